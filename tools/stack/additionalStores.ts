import { schemaOf } from "../../components/args/schema";
import { schemaFailures } from "../../components/args/schemaFailures";
import type { StackConfig } from "../pulumi/stackConfig";

/** A store in the config key `additionalStores`, as far as the commands need it. */
export interface ConfiguredStore {
    name: string;
    s3Host: string;
    consoleHost: string;
    image?: string;
    buckets?: object;
    policies?: object;
    accessKeys?: object;
    allowedChanges?: string[];
}

const KEY = "additionalStores";

/**
 * The additional stores in a stack's config. Undefined if the value is not a list of stores; the program then refuses it.
 *
 * @param secret Decrypts one value.
 */
export async function additionalStoresOf(
    config: StackConfig,
    secret: (key: string) => Promise<string>,
): Promise<ConfiguredStore[] | undefined> {
    const text = config.isSecret(KEY) ? await secret(KEY) : config(KEY);
    try {
        const value = JSON.parse(text ?? "[]") as unknown;
        return schemaFailures(KEY, value, schemaOf("ObjectStoreArgs").properties[KEY] ?? {}).length === 0
            ? (value as ConfiguredStore[])
            : undefined;
    } catch {
        return undefined;
    }
}
