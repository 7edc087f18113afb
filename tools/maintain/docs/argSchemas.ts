import type { ArgSchema, TypeSchema } from "../../../components/args/schema";
import type { ArgTags } from "./declarations";
import { typeName, wordsOf, type Declared, type PropertySchema, type PropertySchemas } from "./schemaOfComponents";

/** An arg with what only its readers need. */
export interface DescribedArg extends ArgSchema {
    /** Its docstring. */
    description: string;
    /** Its allowed values, in sentences. */
    allowed: string;
    /** Its default, as Markdown. */
    defaultText?: string;
    group?: string;
}

/** A type of args with what only its readers need. */
export interface DescribedType extends TypeSchema {
    properties: { [name: string]: DescribedArg };
}

/** Every type that args have, by the name of its interface, with its tags and docstrings. */
export function describedTypes(source: Declared): { [type: string]: DescribedType } {
    const { resources, types } = source.schema;
    const ofResources = Object.entries(resources).map(([token, { inputProperties, requiredInputs }]) =>
        described(source, `${typeName(token)}Args`, `${token} inputs`, inputProperties, requiredInputs),
    );
    const others = new Map(
        Object.entries(types).map(([token, { properties, required }]) =>
            described(source, typeName(token), token, properties, required),
        ),
    );
    // Those that only outputs have are left out.
    const reached = new Map(ofResources);
    for (const [, { properties }] of reached) {
        for (const { ref } of Object.values(properties).map(innermost)) {
            const type = others.get(ref ?? "");
            if (ref !== undefined && type !== undefined) {
                reached.set(ref, type);
            }
        }
    }
    return Object.fromEntries([...reached].sort(([one], [other]) => one.localeCompare(other)));
}

function innermost(arg: ArgSchema): ArgSchema {
    return arg.items === undefined ? arg : innermost(arg.items);
}

function described(
    { tagsOf }: Declared,
    type: string,
    path: string,
    properties: PropertySchemas,
    required: string[] = [],
): [string, DescribedType] {
    const args = Object.entries(properties).map(([name, property]): [string, DescribedArg] => {
        const tags = tagsOf(`${path}: ${name}`);
        const { default: defaultText, group, ...limits } = tags;
        const arg = {
            ...shapeOf(property),
            ...tagged(limits),
            ...(defaultText === undefined ? {} : { defaultText, default: valueOf(defaultText) }),
            description: property.description ?? "",
            allowed: wordsOf(property, { ...tags, default: undefined }).join(" "),
            group,
        };
        return [name, arg];
    });
    const inOrder = Object.keys(properties).filter((name) => required.includes(name));
    return [type, { properties: Object.fromEntries(args), ...(inOrder.length === 0 ? {} : { required: inOrder }) }];
}

function shapeOf({ $ref, type, items, additionalProperties }: PropertySchema): ArgSchema {
    if ($ref !== undefined) {
        return { ref: typeName($ref) };
    }
    if (items !== undefined) {
        return { type: "list", items: shapeOf(items) };
    }
    if (additionalProperties !== undefined) {
        return { type: "map", items: shapeOf(additionalProperties) };
    }
    return { type: type as ArgSchema["type"] };
}

function tagged({ range, length, oneOf, secret, file, program }: ArgTags): ArgSchema {
    return {
        ...(range === undefined ? {} : { range: limitsOf(range) }),
        ...(length === undefined ? {} : { length: limitsOf(length) }),
        ...(oneOf === undefined ? {} : { oneOf: oneOf.split(", ") }),
        ...(secret === undefined ? {} : { secret: true }),
        ...(file === undefined ? {} : { file: true }),
        ...(program === undefined ? {} : { program: true }),
    };
}

/** @throws {Error} if the text isn't `a..b`. */
function limitsOf(text: string): number[] {
    const [, ...limits] = /^(\d+)\.\.(\d*)$/.exec(text) ?? [];
    if (limits.length === 0) {
        throw new Error(`"${text}" has no limits: give both, as 1..64`);
    }
    return limits.filter((limit) => limit !== "").map(Number);
}

/** The value of a default. Undefined for a description of one. */
function valueOf(text: string): ArgSchema["default"] {
    const word = /^`([^`]+)`$/.exec(text)?.[1];
    return word ?? (/^(\d+(\.\d+)?|true|false)$/.test(text) ? (JSON.parse(text) as number | boolean) : undefined);
}

/** The schemas of all args as JSON, without what only their readers need. */
export function argSchemas(types: { [type: string]: DescribedType }): string {
    const hidden = ["description", "allowed", "defaultText", "group"];
    return JSON.stringify(types, (_, value: unknown) =>
        value !== null && typeof value === "object" && "description" in value && "allowed" in value
            ? Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.includes(name)))
            : value,
    );
}
