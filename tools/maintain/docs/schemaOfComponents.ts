import * as pulumi from "@pulumi/pulumi";
import { Analyzer } from "@pulumi/pulumi/provider/experimental/analyzer";
import { generateSchema } from "@pulumi/pulumi/provider/experimental/schema";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import * as components from "../../../components";
import { LOCAL, PROJECT } from "../../paths";
import { documentTitle, withDocumentLinks } from "../release/documentLinks";
import { packageManifest, type PackageManifest } from "../release/packageManifest";
import { webAddress } from "../release/repository";
import { Declarations, type ArgTags } from "./declarations";
import { withExamples } from "./schemaExamples";

/** A property in the schema. */
export interface PropertySchema {
    description?: string;
    type?: string;
    $ref?: string;
    secret?: boolean;
    optional?: boolean;
    items?: PropertySchema;
    additionalProperties?: PropertySchema;
}

/** Properties by name. */
export interface PropertySchemas {
    [name: string]: PropertySchema;
}

/** The parts of a schema that this project uses. */
export interface PackageSchema {
    name: string;
    version: string;
    description: string;
    displayName?: string;
    publisher?: string;
    license?: string;
    keywords?: string[];
    homepage?: string;
    repository?: string;
    resources: {
        [token: string]: {
            description?: string;
            isComponent?: boolean;
            inputProperties: PropertySchemas;
            requiredInputs?: string[];
            properties: PropertySchemas;
        };
    };
    types: { [token: string]: { description?: string; properties: PropertySchemas; required?: string[] } };
}

/** Name of the package, with which the components' types begin. */
const PACKAGE = "docker-object-store";

/** Names of the package's components. */
export const COMPONENTS = classesOf(pulumi.ComponentResource);

/** Names of the package's resources in a store. */
export const RESOURCES = classesOf(pulumi.CustomResource);

function classesOf(base: abstract new (...args: never[]) => pulumi.Resource): string[] {
    return Object.entries(components)
        .filter(([, exported]) => (exported as { prototype?: unknown }).prototype instanceof base)
        .map(([name]) => name);
}

/** What the sources of the components declare. */
export interface Declared {
    /** The schema of the component package. Its types have the names of the interfaces. */
    schema: PackageSchema;
    /** The tags of a property's docstring. */
    tagsOf: (path: string) => ArgTags;
}

/** Reads the components' types, docstrings and tags. */
export function declared(): Declared {
    const own = packageManifest(PROJECT);
    const { version, description } = own;
    const folder = copyReadableSources();
    try {
        const manifest = { name: PACKAGE, main: "./index.ts" };
        const analyzer = new Analyzer(folder, PACKAGE, manifest, new Set([...COMPONENTS, ...RESOURCES]));
        const { components: found, typeDefinitions, dependencies } = analyzer.analyze();
        const generated = generateSchema(PACKAGE, version, description, found, typeDefinitions, dependencies);
        const schema = { ...generated, ...LANGUAGES, ...registryEntry(own) } as unknown as PackageSchema;
        RESOURCES.forEach((name) => delete schema.resources[`${PACKAGE}:index:${name}`]?.isComponent);
        const declarations = new Declarations(folder);
        for (const [token, type] of Object.entries(schema.types)) {
            type.description = declarations.docstringOf(typeName(token));
        }
        const tagsOf = (path: string) => {
            const [, type = "", side, property = ""] = PATH.exec(path) ?? [];
            const tags = declarations.tagsOf(side === undefined ? type : `${type}Args`, property);
            // An output is as secret as the arg with its name.
            return side === " outputs" ? { secret: tags.secret } : tags;
        };
        everyProperty(schema).forEach(({ path, property }) => refine(property, tagsOf(path)));
        return { schema: inOrder(schema), tagsOf };
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** The path of a property: name of its type, or of its resource with one of the words, and its own name. */
const PATH = /^[\w-]+:index:(\w+?)( inputs| outputs)?: (\w+)$/;

/** Name of the type or resource of a token. */
export function typeName(token: string): string {
    return token.split(":").at(-1) ?? "";
}

/** The schema of the component package as JSON. */
export function packageSchema({ schema, tagsOf }: Declared): string {
    const own = packageManifest(PROJECT);
    const shown = structuredClone(schema);
    everyProperty(shown).forEach(({ path, property }) => {
        property.description = [property.description ?? "", ...wordsOf(property, tagsOf(path))].join(" ").trim();
    });
    Object.entries(shown.resources).forEach(([token, resource]) => {
        resource.description = withExamples(resource.description ?? "", typeName(token));
    });
    const linked = (key: string, value: unknown) =>
        key === "description" && typeof value === "string"
            ? withDocumentLinks(value, own, (document) => documentTitle(PROJECT, document))
            : value;
    return renameTypes(JSON.stringify(shown, linked, 4));
}

/** What tags say, in sentences. */
export function wordsOf({ type }: PropertySchema, { range, length, oneOf, default: value }: ArgTags): string[] {
    const [from, to] = (length ?? "").split("..");
    const unit = type === "array" ? "items" : "characters";
    return [
        ...(range === undefined ? [] : [`From ${range.replace("..", " to ")}.`]),
        ...(length === undefined ? [] : [to === "" ? `At least ${from} ${unit}.` : `${from} to ${to} ${unit}.`]),
        ...(oneOf?.includes(",") === true ? [`One of ${oneOf.replace(/[\w-]+/g, "`$&`")}.`] : []),
        ...(value === undefined ? [] : [`Default: ${value}.`]),
    ];
}

/** What registries and SDKs show of the package. */
function registryEntry({ author, license, keywords, repository }: PackageManifest): Partial<PackageSchema> {
    const address = webAddress(repository);
    return {
        displayName: "Docker object store",
        publisher: author,
        license,
        // The last two are Pulumi's own words for a package's place in its registry.
        keywords: [...keywords, "category/infrastructure", "kind/component"],
        ...(address === undefined ? {} : { homepage: address, repository: address }),
    };
}

/** Additional settings for the SDK generators. */
const LANGUAGES = {
    // Makes a Go SDK a separate module.
    meta: { supportPack: true },
    language: {
        nodejs: { respectSchemaVersion: true },
        // Makes the names independent of the repository's address.
        python: {
            respectSchemaVersion: true,
            pyproject: { enabled: true },
            packageName: "pulumi_docker_object_store",
        },
        go: {
            respectSchemaVersion: true,
            importBasePath: "example.com/pulumi-docker-object-store/sdk/go/dockerobjectstore",
            // Without these types, the SDK generator refers to some that it omits.
            generateExtraInputTypes: true,
        },
        csharp: { respectSchemaVersion: true },
        java: { respectSchemaVersion: true },
    },
};

/**
 * Copies the components to a folder where the analyzer finds only them and the packages. Replaces each link in a
 * docstring by its text, because the analyzer would turn it into "[object Object]". The analyzer knows components alone, so
 * resources are shown to it as such.
 */
function copyReadableSources(): string {
    mkdirSync(LOCAL, { recursive: true });
    const folder = mkdtempSync(join(LOCAL, "schema-"));
    const source = join(PROJECT, "components");
    for (const file of sourcesIn(source)) {
        const text = readFileSync(join(source, file), "utf8");
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), forAnalyzer(text));
    }
    const { compilerOptions } = ts.readConfigFile(join(PROJECT, "tsconfig.json"), (path) => readFileSync(path, "utf8"))
        .config as { compilerOptions: object };
    writeFileSync(
        join(folder, "tsconfig.json"),
        JSON.stringify({ compilerOptions: { ...compilerOptions, types: ["node"] }, include: ["."] }),
    );
    return folder;
}

function forAnalyzer(text: string): string {
    return text
        .replace(/\{@link ([\w.]+)\}/g, "`$1`")
        .replace("extends pulumi.CustomResource ", "extends pulumi.ComponentResource ")
        .replace("pulumi.CustomResourceOptions", "pulumi.ComponentResourceOptions")
        .replaceAll("declare readonly", "readonly");
}

function sourcesIn(folder: string): string[] {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
}

/** Every named property of a schema. */
export function everyProperty({
    resources,
    types,
}: PackageSchema): { path: string; name: string; property: PropertySchema }[] {
    const groups = [
        ...Object.entries(resources).flatMap(([token, { inputProperties, properties }]) => [
            { path: `${token} inputs`, properties: inputProperties },
            { path: `${token} outputs`, properties },
        ]),
        ...Object.entries(types).map(([token, { properties }]) => ({ path: token, properties })),
    ];
    return groups.flatMap(({ path, properties }) =>
        Object.entries(properties).map(([name, property]) => ({ path: `${path}: ${name}`, name, property })),
    );
}

/** Adds what TypeScript's types can't express: which numbers are integers, and what is secret. */
function refine(property: PropertySchema, { fractions, secret }: ArgTags): void {
    if (property.type === "number" && fractions === undefined) {
        property.type = "integer";
    }
    // The values of a map are secret.
    if (secret !== undefined && property.additionalProperties === undefined) {
        property.secret = true;
    }
    property.description = property.description?.replace(/\s*\n\s*/g, " ");
}

/** Sorts the schema, so that it doesn't depend on the order of the sources. */
function inOrder({ resources, types, ...schema }: PackageSchema): PackageSchema {
    const sorted = <Value>(map: { [token: string]: Value }) =>
        Object.fromEntries(Object.entries(map).sort(([one], [other]) => one.localeCompare(other)));
    return { ...schema, resources: sorted(resources), types: sorted(types) };
}

/** Types of args without the suffix: generators of SDKs add it themselves. */
function renameTypes(schema: string): string {
    return schema.replace(new RegExp(`(${PACKAGE}:index:[A-Za-z]+)Args"`, "g"), '$1"');
}
