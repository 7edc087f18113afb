import type { BucketCorsRule } from "../../components/args/bucketArgs";
import type { KnownBucketSettings } from "../../components/settings/bucketChecks";
import { ask, askFor, INPUT_FILE, target, type StoreClient } from "../../components/storeClient/storeClient";
import { nonEmpty, positive, withoutUndefined } from "./unsetValues";

/** A CORS rule as the client prints it. */
interface StoredCorsRule {
    allowedOrigins?: string[];
    allowedMethods?: string[];
    allowedHeaders?: string[];
    exposeHeaders?: string[];
    maxAgeSeconds?: number;
}

/** The rules as a bucket's args want them, in the form in which a store has them. */
export function corsOf({ cors }: Pick<KnownBucketSettings, "cors">): BucketCorsRule[] {
    return (cors ?? []).map((rule) =>
        withoutUndefined({
            ...rule,
            allowedHeaders: nonEmpty(rule.allowedHeaders),
            exposeHeaders: nonEmpty(rule.exposeHeaders),
            maxAgeSeconds: positive(rule.maxAgeSeconds),
        }),
    );
}

/** A bucket's CORS rules as a store has them. None of a store that doesn't know CORS of buckets. */
export async function readCors(client: StoreClient, bucket: string): Promise<BucketCorsRule[]> {
    const found = await askFor(client, ["cors", "get", target(bucket)], ["NoSuchCORSConfiguration", "NotImplemented"]);
    const [{ cors } = {}] = (found ?? []) as { cors?: { CORSRules?: { [name: string]: unknown }[] } }[];
    return (cors?.CORSRules ?? []).map((rule) => {
        const {
            allowedOrigins = [],
            allowedMethods = [],
            ...others
        } = Object.fromEntries(Object.entries(rule).map(([name, value]) => [corsName(name), value])) as StoredCorsRule;
        return withoutUndefined({
            allowedOrigins,
            allowedMethods,
            allowedHeaders: nonEmpty(others.allowedHeaders),
            exposeHeaders: nonEmpty(others.exposeHeaders),
            maxAgeSeconds: positive(others.maxAgeSeconds),
        });
    });
}

function corsName(name: string): string {
    const names: { [stored: string]: string } = {
        AllowedOrigin: "allowedOrigins",
        AllowedMethod: "allowedMethods",
        AllowedHeader: "allowedHeaders",
        ExposeHeader: "exposeHeaders",
        MaxAgeSeconds: "maxAgeSeconds",
    };
    return names[name] ?? name;
}

/** Replaces a bucket's CORS rules. */
export async function writeCors(client: StoreClient, bucket: string, rules: BucketCorsRule[]): Promise<void> {
    await (rules.length === 0
        ? ask(client, ["cors", "remove", target(bucket)])
        : ask(client, ["cors", "set", target(bucket), INPUT_FILE], corsDocument(rules)));
}

/** CORS rules as XML (PutBucketCors), the format that the client reads. */
function corsDocument(rules: BucketCorsRule[]): string {
    const elements = (name: string, values: (string | number)[]) =>
        values.map((value) => `<${name}>${escaped(String(value))}</${name}>`).join("");
    const stored = rules.map(
        ({ allowedOrigins, allowedMethods, allowedHeaders = [], exposeHeaders = [], maxAgeSeconds }) =>
            [
                "<CORSRule>",
                elements("AllowedOrigin", allowedOrigins),
                elements("AllowedMethod", allowedMethods),
                elements("AllowedHeader", allowedHeaders),
                elements("ExposeHeader", exposeHeaders),
                elements("MaxAgeSeconds", maxAgeSeconds === undefined ? [] : [maxAgeSeconds]),
                "</CORSRule>",
            ].join(""),
    );
    return `<CORSConfiguration>${stored.join("")}</CORSConfiguration>`;
}

function escaped(text: string): string {
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
