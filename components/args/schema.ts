import { checkInteger, checkOneOf } from "../checks/inputChecks";
import { withoutValues, type Problem } from "../checks/problem";
import schema from "./argSchemas.json";

/** An arg, as its docstring and its tags declare it. Written by `npm run generate`. */
export interface ArgSchema {
    type?: "string" | "integer" | "number" | "boolean" | "list" | "map";
    /** The name of its type, in place of `type`. */
    ref?: string;
    /** The schema of a list's items or of a map's values. */
    items?: ArgSchema;
    /** The least and the greatest value, both allowed. */
    range?: readonly number[];
    /** The least and the greatest number of characters, or of a list's items; without the second one there is no greatest. */
    length?: readonly number[];
    /** The allowed words; of a list, those of its items. */
    oneOf?: readonly string[];
    default?: string | number | boolean;
    /** Whether it must not appear in a plain file, in state or in a message. */
    secret?: true;
    /** Whether stack config may name a file in place of its content. */
    file?: true;
    /** Whether only programs have it, and stack config doesn't. */
    program?: true;
}

/** A type of args: its properties, and those that must be set. */
export interface TypeSchema {
    properties: { readonly [name: string]: ArgSchema };
    required?: readonly string[];
}

type Types = typeof schema;

/** Name of a type of args. */
export type ArgsType = keyof Types;

/** Names of the properties of a type that have a default. */
type WithDefault<Properties> = {
    [Name in keyof Properties]: Properties[Name] extends { default: string | number | boolean } ? Name : never;
}[keyof Properties];

/** The schema of a type of args. */
export function schemaOf(type: string): TypeSchema {
    const found = (schema as unknown as { [type: string]: TypeSchema })[type];
    if (found === undefined) {
        throw new Error(`no args have the type ${type}`);
    }
    return found;
}

/** The default of an arg. */
export function defaultOf<Type extends ArgsType, Name extends WithDefault<Types[Type]["properties"]>>(
    type: Type,
    name: Name & string,
): (Types[Type]["properties"][Name] & { default: unknown })["default"] {
    return schemaOf(type).properties[name]?.default as (Types[Type]["properties"][Name] & {
        default: unknown;
    })["default"];
}

/** Names of args that have a default. */
type Defaulted<Type extends ArgsType, Args> = keyof Args & WithDefault<Types[Type]["properties"]>;

/** Args of which those with a default are set. */
export type WithDefaults<Type extends ArgsType, Args> = Omit<Args, Defaulted<Type, Args>> & {
    [Name in Defaulted<Type, Args>]-?: NonNullable<Args[Name]>;
};

/** The args, with the defaults that their docstrings declare. */
export function withDefaults<Type extends ArgsType, Args extends object>(
    type: Type,
    args: Args,
): WithDefaults<Type, Args> {
    const defaults = Object.entries(schemaOf(type).properties).map(([name, arg]) => [name, arg.default]);
    const all = [...defaults, ...Object.entries(args)].filter(([, value]) => value !== undefined);
    return Object.fromEntries(all) as WithDefaults<Type, Args>;
}

/** Those of the args that a type has. */
export function argsOf<Args extends object, Name extends keyof Args & string>(
    type: ArgsType,
    args: Args,
    except: readonly string[] = [],
): Pick<Args, Name> {
    const names = Object.keys(schemaOf(type).properties).filter((name) => !except.includes(name));
    return Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name))) as Pick<Args, Name>;
}

/**
 * Every arg of a type whose value isn't in its range, or isn't one of its words. Args of nested types aren't checked, nor
 * what other resources provide.
 *
 * @param except Names of args that have a check of their own.
 */
export function limitFailures(type: ArgsType, args: object, except: readonly string[] = []): Problem[] {
    const { properties } = schemaOf(type);
    return Object.entries(args)
        .filter(([name]) => !except.includes(name))
        .flatMap(([name, value]: [string, unknown]) => {
            const { range: [least, most] = [], oneOf: words, secret } = properties[name] ?? {};
            const items = Array.isArray(value) ? value.map((item: unknown, index) => [`${name}[${index}]`, item]) : [];
            const known = ([[name, value], ...items] as [string, unknown][]).filter(([, part]) => isKnown(part));
            const failures = known.flatMap(([path, part]) => [
                ...(least === undefined || most === undefined ? [] : checkInteger(path, part, least, most)),
                ...(words === undefined ? [] : checkOneOf(path, part, words)),
            ]);
            return secret === true ? withoutValues(failures, value) : failures;
        });
}

/** Whether a value is set, and simple: what other resources provide is an object. */
function isKnown(value: unknown): boolean {
    return value !== undefined && typeof value !== "object";
}

/** Whether an arg or a part of it is a secret. */
export function holdsSecrets({ secret, items, ref }: ArgSchema): boolean {
    return (
        secret === true ||
        (items !== undefined && holdsSecrets(items)) ||
        (ref !== undefined && Object.values(schemaOf(ref).properties).some(holdsSecrets))
    );
}
