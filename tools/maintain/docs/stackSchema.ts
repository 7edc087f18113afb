import type { ArgSchema } from "../../../components/args/schema";
import type { DescribedArg, DescribedType } from "./argSchemas";

/** A JSON Schema, as far as this project writes one. */
export interface JsonSchema {
    [keyword: string]: unknown;
}

/** Beginning of the keys of this program in a stack's config. */
const NAMESPACE = "object-store";

/** What `pulumi config set --secret` writes in place of a text. */
const SECURE = {
    type: "object",
    properties: { secure: { type: "string" } },
    required: ["secure"],
    additionalProperties: false,
};

const FILE = {
    type: "object",
    properties: { file: { type: "string" } },
    required: ["file"],
    additionalProperties: false,
};

/** The JSON Schema of `Pulumi.STACK.yaml`, by which editors complete and check it. */
export function stackSchema(types: { [type: string]: DescribedType }): string {
    const keys = Object.entries(types["ObjectStoreArgs"]?.properties ?? {})
        .filter(([, { program }]) => program === undefined)
        .map(([key, arg]) => [`${NAMESPACE}:${key}`, withDescription(arg, orText(arg))] as const);
    const definitions = Object.entries(types).map(([name, { properties, required = [] }]): [string, JsonSchema] => [
        name,
        {
            type: "object",
            properties: Object.fromEntries(
                Object.entries(properties).map(([key, arg]) => [key, withDescription(arg, valueOf(arg))]),
            ),
            required,
            additionalProperties: false,
        },
    ]);
    const schema = {
        $schema: "http://json-schema.org/draft-07/schema#",
        title: "Config of a stack of this program",
        type: "object",
        properties: {
            config: {
                type: "object",
                properties: Object.fromEntries(keys),
                propertyNames: {
                    anyOf: [{ enum: keys.map(([key]) => key) }, { not: { pattern: `^${NAMESPACE}:` } }],
                },
            },
        },
        definitions: { secure: SECURE, file: FILE, ...Object.fromEntries(definitions) },
    };
    return JSON.stringify(reached(schema));
}

function withDescription({ description, allowed, defaultText }: DescribedArg, schema: JsonSchema): JsonSchema {
    const said = defaultText === undefined ? [] : [`Default: ${defaultText}.`];
    return { description: [description, allowed, ...said].filter(Boolean).join(" "), ...schema };
}

/** The schema of a value of a key: `pulumi config set` writes numbers and truth values as texts. */
function orText(arg: ArgSchema): JsonSchema {
    const texts: { [type: string]: string } = {
        integer: "^[0-9]+$",
        number: "^[0-9]+(\\.[0-9]+)?$",
        boolean: "^(true|false)$",
    };
    const pattern = texts[arg.type ?? ""];
    return pattern === undefined ? valueOf(arg) : { anyOf: [...anyOf(valueOf(arg)), { type: "string", pattern }] };
}

function valueOf(arg: ArgSchema): JsonSchema {
    return { anyOf: [plainValueOf(arg), ...(arg.file === undefined ? [] : [ref("file")]), ref("secure")] };
}

function plainValueOf({ type, ref: name, items, range, length, oneOf }: ArgSchema): JsonSchema {
    if (name !== undefined) {
        return ref(name);
    }
    const [least, most] = length ?? [];
    switch (type) {
        case "list":
            return { type: "array", items: valueOf({ ...items, oneOf }), minItems: least, maxItems: most };
        case "map":
            return { type: "object", additionalProperties: items?.type === "string" ? TEXT : valueOf(items ?? {}) };
        case "string":
            return oneOf === undefined ? { type, minLength: least, maxLength: most } : { enum: oneOf };
        default:
            return { type, minimum: range?.[0], maximum: range?.[1] };
    }
}

/** A variable's value. */
const TEXT = { anyOf: [{ type: ["string", "number", "boolean"] }, { $ref: "#/definitions/secure" }] };

function ref(name: string): JsonSchema {
    return { $ref: `#/definitions/${name}` };
}

function anyOf({ anyOf: alternatives }: JsonSchema): JsonSchema[] {
    return alternatives as JsonSchema[];
}

/** The schema without definitions that nothing refers to. */
function reached<Schema extends { properties: object; definitions: JsonSchema }>(schema: Schema): Schema {
    const used = (from: unknown) =>
        [...JSON.stringify(from).matchAll(/#\/definitions\/(\w+)/g)].map(([, name = ""]) => name);
    const names = new Set(used(schema.properties));
    for (const name of names) {
        used(schema.definitions[name]).forEach((inner) => names.add(inner));
    }
    const definitions = Object.entries(schema.definitions).filter(([name]) => names.has(name));
    return { ...schema, definitions: Object.fromEntries(definitions) };
}
