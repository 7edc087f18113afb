import * as pulumi from "@pulumi/pulumi";
import type { ObjectStoreArgs } from "../components";
import type { Problem } from "../components/checks/problem";
import { holdsSecrets, schemaOf, type ArgSchema } from "../components/args/schema";
import { keysOf, parsedJson } from "./schemaReader";

/** Keys that needn't be secret, and stay secret if they are encrypted: all of them, or the parts that can hold a secret. */
const KEPT = ["environment", "buckets", "policies", "accessKeys", "additionalStores", "certificate"];

/** Whether the user has encrypted a key of stack config, or a part of it. */
export function isEncrypted(config: pulumi.Config, key: string): boolean {
    // The SDK's types don't show it.
    const { isConfigSecret } = pulumi.runtime as unknown as { isConfigSecret: (key: string) => boolean };
    return isConfigSecret(`${config.name}:${key}`);
}

/** The encrypted keys that can't stay secret. */
export function checkEncryptedKeys(config: pulumi.Config): Problem[] {
    return Object.entries(keysOf("ObjectStoreArgs"))
        .filter(([key, { secret }]) => secret !== true && !KEPT.includes(key) && isEncrypted(config, key))
        .map(([key]) => ({
            propertyPath: key,
            reason:
                "is encrypted, and can't stay secret, since names, labels or files of the deployment show it: set it again by " +
                `pulumi config set --plaintext ${key} VALUE`,
        }));
}

/** The values of encrypted keys, which no message may show. */
export function encryptedValues(config: pulumi.Config): unknown[] {
    return Object.keys(keysOf("ObjectStoreArgs")).flatMap((key) => {
        const text = isEncrypted(config, key) ? config.get(key) : undefined;
        return text === undefined ? [] : [text, parsedJson(text)];
    });
}

/** The args with what the user has encrypted as secrets, in place of settings that state and `docker inspect` show. */
export function keptSecret(args: ObjectStoreArgs, config: pulumi.Config): ObjectStoreArgs {
    const of = <Value>(key: string, value: Value, hide: (value: Value) => Value) =>
        isEncrypted(config, key) ? hide(value) : value;
    const { additionalStores, certificate } = args;
    return {
        ...of("environment", args, withSecretEnvironment),
        buckets: of("buckets", args.buckets, secretTexts),
        policies: of("policies", args.policies, secretTexts),
        accessKeys: of("accessKeys", args.accessKeys, secretTexts),
        additionalStores: of("additionalStores", additionalStores, (stores) =>
            stores?.map((store) => ({
                ...withSecretEnvironment(store),
                buckets: secretTexts(store.buckets),
                policies: secretTexts(store.policies),
                accessKeys: secretTexts(store.accessKeys),
            })),
        ),
        certificate: of("certificate", certificate, (given) =>
            given?.acme?.dns === undefined
                ? given
                : { ...given, acme: { ...given.acme, dns: withSecretEnvironment(given.acme.dns) } },
        ),
    };
}

/** Settings with variables of a container. */
interface WithEnvironment {
    environment?: { [name: string]: pulumi.Input<string> };
    secretEnvironment?: { [name: string]: pulumi.Input<string> };
}

/** Settings with all variables among the secret ones. */
function withSecretEnvironment<Args extends WithEnvironment>({ environment, ...args }: Args): Args {
    const { secretEnvironment } = args;
    return {
        ...args,
        ...(environment === undefined ? {} : { secretEnvironment: { ...environment, ...secretEnvironment } }),
    } as Args;
}

/** A value with its texts, numbers and lists as secrets. What is true or false stays, since the program acts on it. */
function secretTexts<Value>(value: Value): Value {
    if (value === undefined || typeof value === "boolean") {
        return value;
    }
    return typeof value === "object" && value !== null && !Array.isArray(value)
        ? (Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, secretTexts(inner)])) as Value)
        : (pulumi.secret(value) as Value);
}

/**
 * Makes Pulumi secrets of the values that must not be stored unencrypted in state. Values that no schema names become
 * secrets as well.
 */
export function withSecrets<Value>(value: Value, schema: ArgSchema | undefined): Value {
    const all = schema === undefined || schema.secret === true;
    if (value === undefined || (!all && !holdsSecrets(schema))) {
        return value;
    }
    if (Array.isArray(value) && !all) {
        return value.map((item: unknown) => withSecrets(item, schema.items)) as Value;
    }
    if (typeof value === "object" && !Array.isArray(value) && value !== null && !pulumi.Output.isInstance(value)) {
        const of = ({ ref, items }: ArgSchema, name: string) =>
            ref === undefined ? items : schemaOf(ref).properties[name];
        const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => [
            name,
            withSecrets(inner, all ? undefined : of(schema, name)),
        ]);
        return Object.fromEntries(entries) as Value;
    }
    return pulumi.secret(value) as Value;
}
