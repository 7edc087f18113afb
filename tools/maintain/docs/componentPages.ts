import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { format, resolveConfig } from "prettier";
import { PROJECT } from "../../paths";
import { documentTitle } from "../release/documentLinks";
import { EXAMPLE_FILES, SCHEMA_EXAMPLES } from "./schemaExamples";
import type { PackageSchema, PropertySchema, PropertySchemas } from "./schemaOfComponents";

/** Folder of the reference pages in the project. */
export const REFERENCE = "docs/reference";

/** Name of the page of the types, without its extension. */
const TYPES = "types";

const LANGUAGES: { [language in keyof typeof EXAMPLE_FILES]: string } = {
    typescript: "TypeScript",
    python: "Python",
    go: "Go",
    yaml: "YAML",
};

/** Pages of the components and resources in the package's schema, with examples first, and one of their types; by their paths. */
export async function componentPages(): Promise<Map<string, string>> {
    const schema = JSON.parse(readFileSync(join(PROJECT, "plugin", "schema.json"), "utf8")) as PackageSchema;
    const { resources, types } = schema;
    const titles = documentTitles();
    const pages = Object.entries(resources).map(([token, { description = "", inputProperties, properties }]) => {
        const name = nameOf(token);
        const [text = ""] = description.split("{{% examples %}}");
        const parts = [
            `# ${name}`,
            linked(text.trim(), titles),
            `## Examples`,
            examplesOf(name),
            `## Inputs`,
            propertyList(inputProperties, titles, { optional: true }),
            `## Outputs`,
            propertyList(properties, titles, { optional: false }),
        ];
        return [`${REFERENCE}/${name}.md`, page(parts)] as const;
    });
    const described = Object.entries(types).map(
        ([token, { description = "", properties }]) =>
            `## ${nameOf(token)}\n\n${linked(description.replaceAll("\n", " "), titles)}\n\n${propertyList(properties, titles, { optional: true })}`,
    );
    const all: (readonly [string, string])[] = [
        ...pages,
        [`${REFERENCE}/${TYPES}.md`, page(["# Types", ...described])],
    ];
    const options = { ...(await resolveConfig("page.md")), parser: "markdown" };
    return new Map(
        await Promise.all(
            all.map(async ([path, text]): Promise<[string, string]> => [path, await format(text, options)]),
        ),
    );
}

function page(parts: string[]): string {
    const [title = "", ...rest] = parts;
    return `${[title, "<!-- written by `npm run docs` from plugin/schema.json -->", ...rest].join("\n\n")}\n`;
}

function examplesOf(name: string): string {
    return Object.entries(EXAMPLE_FILES)
        .map(([language, file]) => {
            const program = readFileSync(join(SCHEMA_EXAMPLES, name, file), "utf8").trimEnd();
            const title = LANGUAGES[language as keyof typeof EXAMPLE_FILES];
            return `### ${title}\n\n\`\`\`${language}\n${program}\n\`\`\``;
        })
        .join("\n\n");
}

function propertyList(
    properties: PropertySchemas,
    titles: Map<string, string>,
    { optional: showsRequired }: { optional: boolean },
): string {
    return Object.entries(properties)
        .map(([name, property]) => {
            const marks = [
                typeOf(property),
                ...(showsRequired && property.optional !== true ? ["required"] : []),
                ...(property.secret === true ? ["secret"] : []),
            ];
            return `- **\`${name}\`** (${marks.join(", ")}): ${linked(property.description ?? "", titles)}`;
        })
        .join("\n");
}

function typeOf({ type, $ref, items, additionalProperties }: PropertySchema): string {
    if ($ref !== undefined) {
        const name = nameOf($ref);
        return $ref.startsWith("#/types/") ? `[${name}](${TYPES}.md#${name.toLowerCase()})` : name;
    }
    if (items !== undefined) {
        return `list of ${typeOf(items)}`;
    }
    return additionalProperties === undefined ? (type ?? "any") : `map of ${typeOf(additionalProperties)}`;
}

function nameOf(token: string): string {
    return token.split(/[:/]/).at(-1) ?? "";
}

/** A description whose references to documents, by their titles or addresses, are links within the repository. */
function linked(text: string, titles: Map<string, string>): string {
    const link = (title: string, path: string, anchor = "") =>
        `[${title}](${posix.relative(REFERENCE, path)}${anchor})`;
    const paths = new Map([...titles].map(([title, path]) => [path, title]));
    return text
        .replaceAll(/document "([^"]+)"/g, (whole, title: string) => {
            const path = titles.get(title);
            return path === undefined ? whole : link(title, path);
        })
        .replaceAll(
            /https:\/\/[^\s()]+\/blob\/v[^\s/]+\/(docs\/[\w/-]+\.md)(#[\w-]+)?/g,
            (whole, path: string, anchor: string | undefined) => {
                const title = paths.get(path);
                return title === undefined ? whole : link(title, path, anchor);
            },
        );
}

/** Paths of the documents, by their titles. */
function documentTitles(): Map<string, string> {
    const files = readdirSync(join(PROJECT, "docs"), { recursive: true, encoding: "utf8" });
    const documents = files.filter((file) => file.endsWith(".md") && !file.startsWith("reference/"));
    return new Map(
        documents.map((file) => [documentTitle(PROJECT, file.replace(/\.md$/, "")), posix.join("docs", file)]),
    );
}
