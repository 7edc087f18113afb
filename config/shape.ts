import { oneOf } from "../components/checks/nearest";
import type { Problem } from "../components/checks/problem";

/** The type of a value of stack config. A `secret` is a text that is never shown. */
export type Shape =
    | "string"
    | "secret"
    | "number"
    | "boolean"
    | { list: Shape }
    /** Names of any kind, each with a text, a number, true or false. Of `secret`, the values are never shown. */
    | { texts: "string" | "secret" }
    /** Names that the user chooses, each with a value of one type. */
    | { each: Shape }
    | { map: { [property: string]: Shape }; required?: readonly string[] };

/** The expected type of a simple value, as worded in messages. */
const ALLOWED = {
    string: 'text: put it in quotes, such as "7"',
    secret: "text: put it in quotes",
    number: "a number: give digits without quotes, such as 4",
    boolean: "allowed: give true or false, without quotes",
} as const;

/** Every part of a value that doesn't match a shape, each under its own path. Lists, maps and secrets are never shown. */
export function shapeProblems(propertyPath: string, value: unknown, shape: Shape): Problem[] {
    const refused = (reason: string, secret = false): Problem[] => [
        { propertyPath, reason: secret ? reason : `${shownSimple(value)}${reason}` },
    ];
    if (typeof shape === "string") {
        const type = shape === "secret" ? "string" : shape;
        return typeof value === type ? [] : refused(`is not ${ALLOWED[shape]}`, shape === "secret");
    }
    if ("list" in shape) {
        return Array.isArray(value)
            ? value.flatMap((item, place) => shapeProblems(`${propertyPath}[${place}]`, item, shape.list))
            : refused(`is not a list: give one, such as ${example(shape)}`, holdsSecrets(shape));
    }
    if ("texts" in shape) {
        return textProblems(propertyPath, value);
    }
    if ("each" in shape) {
        return typeof value === "object" && value !== null && !Array.isArray(value)
            ? Object.entries(value).flatMap(([name, inner]) =>
                  shapeProblems(`${propertyPath}.${name}`, inner, shape.each),
              )
            : refused(`is not a map of names: give one, such as ${example(shape)}`, holdsSecrets(shape));
    }
    const known = Object.keys(shape.map);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        const [first = ""] = shape.required ?? known;
        const shown = `{"${first}": ${example(shape.map[first] ?? "string")}}`;
        return refused(`is not a map of ${known.join(", ")}: give one, such as ${shown}`, holdsSecrets(shape));
    }
    const given = Object.entries(value);
    const missing = (shape.required ?? []).filter((property) => !given.some(([name]) => name === property));
    return [
        ...missing.map((property) => ({
            propertyPath: `${propertyPath}.${property}`,
            reason: `is missing: give it, such as ${example(shape.map[property] ?? "string")}`,
        })),
        ...given.flatMap(([property, inner]) => {
            const path = `${propertyPath}.${property}`;
            const wanted = Object.hasOwn(shape.map, property) ? shape.map[property] : undefined;
            return wanted === undefined
                ? [{ propertyPath: path, reason: `is not known: ${oneOf(property, known)}` }]
                : shapeProblems(path, inner, wanted);
        }),
    ];
}

/** The values are never shown. */
function textProblems(propertyPath: string, value: unknown): Problem[] {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        const reason = 'is not a map of names to values: give one, such as {"NAME": "value"}';
        return [{ propertyPath, reason }];
    }
    return Object.entries(value).flatMap(([name, text]: [string, unknown]) => {
        if (typeof text !== "object") {
            return [];
        }
        const found = text === null ? "nothing" : Array.isArray(text) ? "a list" : "a map";
        const reason = `is ${found}: give text, a number, true or false; JSON goes in quotes, as one text`;
        return [{ propertyPath: `${propertyPath}.${name}`, reason }];
    });
}

/** A value as the beginning of a message. Empty for lists, maps and null. */
function shownSimple(value: unknown): string {
    return value === null || typeof value === "object" ? "" : `${JSON.stringify(value)} `;
}

function holdsSecrets(shape: Shape): boolean {
    if (typeof shape === "string") {
        return shape === "secret";
    }
    if ("texts" in shape) {
        return shape.texts === "secret";
    }
    if ("each" in shape) {
        return holdsSecrets(shape.each);
    }
    return "list" in shape ? holdsSecrets(shape.list) : Object.values(shape.map).some(holdsSecrets);
}

function example(shape: Shape): string {
    if (typeof shape === "string") {
        return { string: '"text"', secret: '"text"', number: "4", boolean: "true" }[shape];
    }
    if ("each" in shape) {
        return `{"name": ${example(shape.each)}}`;
    }
    return "list" in shape ? `[${example(shape.list)}]` : "texts" in shape ? '{"NAME": "value"}' : "{…}";
}
