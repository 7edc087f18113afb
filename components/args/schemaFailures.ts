import { oneOf } from "../checks/nearest";
import type { Problem } from "../checks/problem";
import { holdsSecrets, schemaOf, type ArgSchema, type TypeSchema } from "./schema";

/** The expected type of a simple value, as worded in messages. */
const ALLOWED = {
    string: 'text: put it in quotes, such as "7"',
    secret: "text: put it in quotes",
    number: "a number: give digits without quotes, such as 4",
    boolean: "allowed: give true or false, without quotes",
} as const;

/** Every part of a value that doesn't have the types of its schema, each under its own path. Lists, maps and secrets are never shown. */
export function schemaFailures(path: string, value: unknown, schema: ArgSchema): Problem[] {
    const { type, items = {}, ref } = schema;
    const refused = (reason: string): Problem[] => [
        { propertyPath: path, reason: holdsSecrets(schema) ? reason : `${shownSimple(value)}${reason}` },
    ];
    if (ref !== undefined) {
        return isMap(value) ? propertyFailures(path, value, schemaOf(ref)) : refused(mapExpected(schemaOf(ref)));
    }
    switch (type) {
        case "list":
            return Array.isArray(value)
                ? value.flatMap((item, index) => schemaFailures(`${path}[${index}]`, item, items))
                : refused(`is not a list: give one, such as ${example(schema)}`);
        case "map":
            return items.type === "string" ? textFailures(path, value) : mapFailures();
        default: {
            if (schema.file === true && isMap(value) && "file" in value && Object.keys(value).length === 1) {
                return schemaFailures(`${path}.file`, value.file, { type: "string" });
            }
            const expected = type === "integer" || type === undefined ? "number" : type;
            return typeof value === expected
                ? []
                : refused(`is not ${ALLOWED[schema.secret === true && type === "string" ? "secret" : expected]}`);
        }
    }

    function mapFailures(): Problem[] {
        return isMap(value)
            ? Object.entries(value).flatMap(([name, inner]) => schemaFailures(`${path}.${name}`, inner, items))
            : refused(`is not a map of names: give one, such as ${example(schema)}`);
    }
}

function propertyFailures(path: string, value: object, { properties, required = [] }: TypeSchema): Problem[] {
    return [
        ...required
            .filter((name) => !Object.hasOwn(value, name))
            .map((name) => ({
                propertyPath: `${path}.${name}`,
                reason: `is missing: give it, such as ${example(properties[name] ?? {})}`,
            })),
        ...Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
            const wanted = Object.hasOwn(properties, name) ? properties[name] : undefined;
            return wanted === undefined
                ? [{ propertyPath: `${path}.${name}`, reason: `is not known: ${oneOf(name, Object.keys(properties))}` }]
                : schemaFailures(`${path}.${name}`, inner, wanted);
        }),
    ];
}

/** The values are never shown. */
function textFailures(path: string, value: unknown): Problem[] {
    if (!isMap(value)) {
        return [{ propertyPath: path, reason: 'is not a map of names to values: give one, such as {"NAME": "value"}' }];
    }
    return Object.entries(value).flatMap(([name, text]: [string, unknown]) => {
        if (typeof text !== "object") {
            return [];
        }
        const found = text === null ? "nothing" : Array.isArray(text) ? "a list" : "a map";
        const reason = `is ${found}: give text, a number, true or false; JSON goes in quotes, as one text`;
        return [{ propertyPath: `${path}.${name}`, reason }];
    });
}

function mapExpected({ properties, required }: TypeSchema): string {
    const known = Object.keys(properties);
    const [first = ""] = required ?? known;
    return `is not a map of ${known.join(", ")}: give one, such as {"${first}": ${example(properties[first] ?? {})}}`;
}

function isMap(value: unknown): value is object {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as the beginning of a message. Empty for lists, maps and null. */
function shownSimple(value: unknown): string {
    return value === null || typeof value === "object" ? "" : `${JSON.stringify(value)} `;
}

function example({ type, items = {}, ref }: ArgSchema): string {
    if (ref !== undefined) {
        return "{…}";
    }
    switch (type) {
        case "list":
            return `[${example(items)}]`;
        case "map":
            return items.type === "string" ? '{"NAME": "value"}' : `{"name": ${example(items)}}`;
        case "string":
            return '"text"';
        default:
            return type === "boolean" ? "true" : "4";
    }
}
