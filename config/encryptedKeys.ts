import * as pulumi from "@pulumi/pulumi";
import type { ObjectStoreArgs } from "../components";
import type { Problem } from "../components/checks/problem";
import { CONFIG_KEYS, type ConfigKey, type KeyDescription } from "./keys";

/** Keys that needn't be secret, and stay secret if they are encrypted: all of them, or the parts that can hold a secret. */
const KEPT: readonly ConfigKey[] = ["environment", "buckets", "policies", "accessKeys", "additionalStores", "acme"];

/** Whether the user has encrypted a key of stack config, or a part of it. */
export function isEncrypted(config: pulumi.Config, key: ConfigKey): boolean {
    // The SDK's types don't show it.
    const { isConfigSecret } = pulumi.runtime as unknown as { isConfigSecret: (key: string) => boolean };
    return isConfigSecret(`${config.name}:${key}`);
}

/** The encrypted keys that can't stay secret. */
export function checkEncryptedKeys(config: pulumi.Config): Problem[] {
    return Object.entries<KeyDescription>(CONFIG_KEYS)
        .map(([key, { secret }]) => ({ key: key as ConfigKey, secret }))
        .filter(({ key, secret }) => secret !== true && !KEPT.includes(key) && isEncrypted(config, key))
        .map(({ key }) => ({
            propertyPath: key,
            reason:
                "is encrypted, and can't stay secret, since names, labels or files of the deployment show it: set it again by " +
                `pulumi config set --plaintext ${key} VALUE`,
        }));
}

/** The values of encrypted keys, which no message may show. */
export function encryptedValues(config: pulumi.Config): unknown[] {
    return (Object.keys(CONFIG_KEYS) as ConfigKey[]).flatMap((key) => {
        const text = isEncrypted(config, key) ? config.get(key) : undefined;
        return text === undefined ? [] : [text, parsed(text)];
    });
}

/** The args with what the user has encrypted as secrets, in place of settings that state and `docker inspect` show. */
export function keptSecret(args: ObjectStoreArgs, config: pulumi.Config): ObjectStoreArgs {
    const of = <Value>(key: ConfigKey, value: Value, hide: (value: Value) => Value) =>
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
        certificate: of("acme", certificate, (given) =>
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

function parsed(text: string): unknown {
    try {
        return JSON.parse(text) as unknown;
    } catch {
        return undefined;
    }
}
