import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import { schemaOf, type ArgSchema } from "../components/args/schema";
import { schemaFailures } from "../components/args/schemaFailures";
import { oneOf } from "../components/checks/nearest";
import type { Problem } from "../components/checks/problem";

/** The keys that stack config has for a type of args: its properties, except those that only programs have. */
export function keysOf(type: string): { [key: string]: ArgSchema } {
    const keys = Object.entries(schemaOf(type).properties).filter(([, { program }]) => program !== true);
    return Object.fromEntries(keys);
}

/** Reads the args of a type from stack config. Keys whose values aren't as their schemas say are left out. */
export function readArgs(
    config: pulumi.Config,
    type: string,
): { args: { [key: string]: unknown }; problems: Problem[] } {
    const keys = keysOf(type);
    const problems = unknownKeys(config, Object.keys(keys));
    const args = Object.entries(keys).flatMap(([key, schema]) => {
        const text = config.get(key);
        const found: Problem[] = [];
        const value = text === undefined ? undefined : valueIn(text, schema, key, found);
        problems.push(...found);
        return value === undefined || found.length > 0 ? [] : [[key, value] as const];
    });
    return { args: Object.fromEntries(args), problems };
}

function unknownKeys(config: pulumi.Config, known: string[]): Problem[] {
    const prefix = `${config.name}:`;
    return Object.keys(pulumi.runtime.allConfig())
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length))
        .filter((key) => !known.includes(key))
        .map((key) => ({ propertyPath: key, reason: `is not a config key of this program: ${oneOf(key, known)}` }));
}

/** The value of a key's text, which is JSON if it isn't a simple one. */
function valueIn(text: string, schema: ArgSchema, key: string, problems: Problem[]): unknown {
    const refused = (reason: string): unknown => {
        problems.push({ propertyPath: key, reason });
        return undefined;
    };
    switch (schema.type) {
        case "integer":
        case "number":
            return /^-?[0-9]+(\.[0-9]+)?$/.test(text)
                ? Number(text)
                : refused(`"${text}" is not a number: give digits, with a dot before fractions, such as 4 or 1.5`);
        case "boolean":
            return text === "true" || text === "false"
                ? text === "true"
                : refused(`"${text}" is not allowed: give true or false`);
        case "string":
            if (schema.file !== true || !text.startsWith("{")) {
                return resolved(text, schema, key, problems);
            }
    }
    const parsed = parsedJson(text);
    if (parsed === undefined) {
        return refused('is not valid JSON: give a list, such as ["a", "b"], or a map, such as {"name": "value"}');
    }
    const value = resolved(parsed, schema, key, problems);
    problems.push(...schemaFailures(key, value, schema));
    return value;
}

/** A value that a text has as JSON. Undefined if it has none. */
export function parsedJson(text: string): unknown {
    try {
        return JSON.parse(text) as unknown;
    } catch {
        return undefined;
    }
}

/** A value with the content of the files that it names, and with texts in place of the numbers of a map of texts. */
function resolved(value: unknown, schema: ArgSchema, path: string, problems: Problem[]): unknown {
    const { type, ref, items = {}, file } = schema;
    if (file === true) {
        return contentOf(value, path, problems);
    }
    if (type === "list" && Array.isArray(value)) {
        return value.map((item: unknown, index) => resolved(item, items, `${path}[${index}]`, problems));
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return value;
    }
    const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => {
        if (type === "map" && items.type === "string") {
            return [name, ["number", "boolean"].includes(typeof inner) ? String(inner) : inner];
        }
        const part = ref === undefined ? items : (schemaOf(ref).properties[name] ?? {});
        return [name, resolved(inner, part, `${path}.${name}`, problems)];
    });
    return Object.fromEntries(entries);
}

/** A text, or that of the file in `{file: PATH}`. Messages never show a text, since it may be a key. */
function contentOf(value: unknown, propertyPath: string, problems: Problem[]): unknown {
    const refused = (reason: string): unknown => {
        problems.push({ propertyPath, reason });
        return "";
    };
    if (typeof value === "string") {
        return value.includes("-----BEGIN")
            ? value
            : refused('is not a PEM: give one, or {"file": "PATH"} for the file that holds it');
    }
    const { file, ...others } = (value ?? {}) as { file?: unknown };
    if (typeof file !== "string" || Object.keys(others).length > 0) {
        return value;
    }
    if (file.includes("-----BEGIN")) {
        return refused("holds a PEM itself: give the path of the file that holds it");
    }
    try {
        return readFileSync(file, "utf8");
    } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        return refused(`"${file}" can't be read (${code}): give the path of a PEM file, from the program's folder`);
    }
}
