import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import {
    COMPONENTS,
    RESOURCES,
    type PackageSchema,
    type PropertySchema,
    type PropertySchemas,
} from "../../../../../tools/maintain/docs/schemaOfComponents";
import { EXAMPLE_FILES, SCHEMA_EXAMPLES } from "../../../../../tools/maintain/docs/schemaExamples";
import { PROJECT } from "../../../../../tools/paths";
import { commandsOf, CONSUMERS } from "../../../../../tools/maintain/release/consumers";
import { releaseReport } from "../../../../../tools/maintain/release/releaseReport";
import { packageManifest } from "../../../../../tools/maintain/release/packageManifest";

const schema = JSON.parse(readFileSync(join(PROJECT, "plugin", "schema.json"), "utf8")) as PackageSchema;
const typeOf = (reference: string) => schema.types[reference.replace("#/types/", "")];

/** Properties of a value in a program that the schema doesn't have. */
function unknownIn(value: unknown, { $ref, items }: PropertySchema, path: string): string[] {
    if (Array.isArray(value) && items !== undefined) {
        return value.flatMap((item) => unknownIn(item, items, path));
    }
    const type = $ref === undefined ? undefined : typeOf($ref);
    return type === undefined || typeof value === "string" ? [] : unknownKeys(value as object, type.properties, path);
}

function unknownKeys(values: object, properties: PropertySchemas, path: string): string[] {
    return Object.entries(values).flatMap(([key, value]) => {
        const property = properties[key];
        return property === undefined ? [`${path}.${key}`] : unknownIn(value, property, `${path}.${key}`);
    });
}

describe("the examples in the schema", () => {
    test("there is one for each component and resource, in each language", () => {
        expect(readdirSync(SCHEMA_EXAMPLES).sort()).toEqual([...COMPONENTS, ...RESOURCES].sort());
        for (const [token, { description = "" }] of Object.entries(schema.resources)) {
            const name = token.split(":").at(-1) ?? "";
            for (const [language, file] of Object.entries(EXAMPLE_FILES)) {
                const program = readFileSync(join(SCHEMA_EXAMPLES, name, file), "utf8").trimEnd();
                expect(description).toContain(`\n\`\`\`${language}\n${program}\n\`\`\`\n`);
                expect(program).toContain(name);
            }
        }
    });

    test.each(readdirSync(SCHEMA_EXAMPLES))("%s in YAML has only types and properties of the schema", (name) => {
        const { resources, outputs } = parse(readFileSync(join(SCHEMA_EXAMPLES, name, "Pulumi.yaml"), "utf8")) as {
            resources: { [name: string]: { type: string; properties: object } };
            outputs: { [name: string]: string };
        };
        for (const { type, properties } of Object.values(resources)) {
            const described = schema.resources[type.replace(":", ":index:")];
            expect(described).toBeDefined();
            expect(unknownKeys(properties, described?.inputProperties ?? {}, name)).toEqual([]);
        }
        for (const output of Object.values(outputs)) {
            const [, resource = "", property = ""] = /^\$\{(\w+)\.(\w+)\}$/.exec(output) ?? [];
            const described = schema.resources[resources[resource]?.type.replace(":", ":index:") ?? ""];
            expect(Object.keys(described?.properties ?? {})).toContain(property);
        }
    });
});

test("the schema has what registries show", () => {
    expect(schema).toMatchObject({
        displayName: "Docker object store",
        publisher: packageManifest(PROJECT).author,
        license: "Apache-2.0",
    });
    expect(schema.keywords).toEqual(expect.arrayContaining(["pulumi", "kind/component"]));
});

test.each(CONSUMERS.map(({ example }) => example))("the commands of %s are run outside of the checkout", (example) => {
    const readme = readFileSync(join(PROJECT, "examples", example, "README.md"), "utf8");
    const [setUp, preview] = commandsOf(readme, "/elsewhere/plugin");
    expect(setUp).not.toEqual([]);
    expect(setUp.join("\n")).not.toContain("../../plugin");
    expect(preview).toEqual(["pulumi stack init dev", "pulumi preview"]);
});

test("the report names what a release publishes, and the commands that publish it", () => {
    const made = {
        manifest: { ...packageManifest(PROJECT), version: "1.2.3" },
        packed: { file: ".local/release/a-1.2.3.tgz", name: "a-1.2.3.tgz", size: 3 * 2 ** 20, files: 300 },
        changed: ["CHANGELOG.md"],
        readme: "[a](docs/a.md)",
        dryRun: true,
    };
    const report = releaseReport(made);
    expect(report).toContain("A release of 1.2.3 would publish:");
    expect(report).toContain("300 files, 3.0 MiB");
    expect(report).toContain("npm publish .local/release/a-1.2.3.tgz");
    expect(report).toContain("git push origin main v1.2.3");
    expect(report).toContain("Nothing was changed in the checkout.");
    expect(report).toContain("1 of the README's links");
    const published = releaseReport({
        ...made,
        manifest: { ...made.manifest, repository: "github:owner/name" },
        dryRun: false,
    });
    expect(published).toContain("pulumi package add github.com/owner/name.git/plugin@1.2.3");
    expect(published).not.toContain("Not set");
    expect(published).not.toContain("Nothing was changed");
});
