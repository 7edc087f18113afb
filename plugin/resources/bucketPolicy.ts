import type { KnownBucketSettings } from "../../components/settings/bucketChecks";
import { canonical } from "../../components/settings/policyDocument";
import { ask, askFor, INPUT_FILE, target, type StoreClient } from "../../components/storeClient/storeClient";

/** A bucket's policy as its args want it, in the form in which two are compared. Empty for none. */
export function policyOf(
    bucket: string,
    { policy, publicReadPrefixes = [] }: Pick<KnownBucketSettings, "policy" | "publicReadPrefixes">,
): string {
    return policy === undefined ? publicPolicy(bucket, publicReadPrefixes) : canonical(policy);
}

/** A bucket's policy that lets everybody read what begins with these. Empty for none. */
function publicPolicy(bucket: string, prefixes: string[]): string {
    const resources = prefixes.map((prefix) => `${objectsOf(bucket)}${prefix}*`);
    const statement = { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: resources };
    return prefixes.length === 0 ? "" : canonical(JSON.stringify({ Version: "2012-10-17", Statement: [statement] }));
}

function objectsOf(bucket: string): string {
    return `arn:aws:s3:::${bucket}/`;
}

/** The settings that lead to a bucket's policy: the short form, if it has one. */
export function settingsOfPolicy(
    bucket: string,
    policy: string,
): Pick<KnownBucketSettings, "policy" | "publicReadPrefixes"> {
    const { Statement: statements } = JSON.parse(policy || "{}") as { Statement?: { Resource?: string[] }[] };
    const start = objectsOf(bucket);
    const prefixes = (statements ?? [])
        .flatMap(({ Resource: resources = [] }) => resources)
        .filter((resource) => resource.startsWith(start) && resource.endsWith("*"))
        .map((resource) => resource.slice(start.length, -1));
    return publicPolicy(bucket, prefixes) === policy
        ? prefixes.length === 0
            ? {}
            : { publicReadPrefixes: prefixes }
        : { policy };
}

/** A bucket's policy in the form in which two are compared. Empty if it has none. */
export async function readPolicy(client: StoreClient, bucket: string): Promise<string> {
    const found = await askFor(client, ["anonymous", "get-json", target(bucket)], ["NoSuchBucketPolicy"]);
    const [{ anonymous } = {}] = (found ?? []) as { anonymous?: object }[];
    return anonymous === undefined ? "" : canonical(JSON.stringify(anonymous));
}

/** Gives a bucket a policy. An empty one is removed. */
export async function writePolicy(client: StoreClient, bucket: string, policy: string): Promise<void> {
    await (policy === ""
        ? ask(client, ["anonymous", "set", "private", target(bucket)])
        : ask(client, ["anonymous", "set-json", INPUT_FILE, target(bucket)], policy));
}
