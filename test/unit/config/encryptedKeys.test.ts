import * as pulumi from "@pulumi/pulumi";
import type { ObjectStoreArgs, StoreContentsArgs } from "../../../components";
import { checkEncryptedKeys, encryptedValues, keptSecret } from "../../../config/encryptedKeys";
import { keysOf } from "../../../config/schemaReader";

/** Stack config with these keys, of which some are encrypted. */
function configWith(values: { [key: string]: string }, encrypted: string[]): pulumi.Config {
    const full = (key: string) => `object-store:${key}`;
    pulumi.runtime.setAllConfig(
        Object.fromEntries(Object.entries(values).map(([key, value]) => [full(key), value])),
        encrypted.map(full),
    );
    return new pulumi.Config("object-store");
}

const isSecret = (value: unknown) => pulumi.isSecret(value as pulumi.Output<unknown>);

describe("an encrypted key of stack config", () => {
    const environment = { MINIO_NOTIFY_WEBHOOK_AUTH_TOKEN_ONE: "token" };
    const hosts = { s3Host: "s3.test", consoleHost: "console.test" };
    const contents: StoreContentsArgs = {
        buckets: { photos: { policy: "{}", notifications: [{ target: "arn", events: ["put"] }], forceDestroy: true } },
        policies: { reports: { document: "{}" } },
        accessKeys: { app: { read: ["photos"] } },
    };

    test("that configures variables makes them secret ones, also of additional stores and of a DNS provider", () => {
        const args: ObjectStoreArgs = {
            ...hosts,
            environment,
            secretEnvironment: { OTHER: "value" },
            additionalStores: [{ name: "media", s3Host: "a.test", consoleHost: "b.test", environment }],
            certificate: { acme: { termsAgreed: true, dns: { provider: "rfc2136", environment } } },
        };
        const kept = keptSecret(args, configWith({}, ["environment", "additionalStores", "certificate"]));
        expect(kept.environment).toBeUndefined();
        expect(kept.secretEnvironment).toEqual({ ...environment, OTHER: "value" });
        const [media] = kept.additionalStores ?? [];
        expect([media?.environment, media?.secretEnvironment]).toEqual([undefined, environment]);
        expect(kept.certificate?.acme?.dns).toEqual({ provider: "rfc2136", secretEnvironment: environment });
        expect(keptSecret(args, configWith({}, []))).toEqual(args);
    });

    test.each(["own", "additional"])("that configures what a store contains makes secrets of it: %s", async (kind) => {
        const additionalStores = [{ name: "media", s3Host: "a.test", consoleHost: "b.test", ...contents }];
        const args = { ...hosts, ...(kind === "own" ? contents : { additionalStores }) };
        const config = configWith({}, ["buckets", "policies", "accessKeys", "additionalStores"]);
        const kept = keptSecret(args, config);
        const { buckets, policies, accessKeys } = kind === "own" ? kept : (kept.additionalStores?.[0] ?? {});
        const { photos } = buckets ?? {};
        expect(await isSecret(photos?.policy)).toBe(true);
        expect(await isSecret(photos?.notifications)).toBe(true);
        expect(photos?.forceDestroy).toBe(true);
        expect(await isSecret(policies?.["reports"]?.document)).toBe(true);
        expect(await isSecret(accessKeys?.["app"]?.read)).toBe(true);
    });

    test("that can't stay secret is refused by name, without its value", () => {
        const secretKeys = Object.entries(keysOf("ObjectStoreArgs")).flatMap(([key, { secret }]) =>
            secret === true ? [key] : [],
        );
        const all = Object.keys(keysOf("ObjectStoreArgs"));
        const problems = checkEncryptedKeys(configWith({ s3Host: "s3.example.com" }, all));
        const refused = problems.map(({ propertyPath }) => propertyPath);
        const kept = ["environment", "buckets", "policies", "accessKeys", "additionalStores", "certificate"];
        expect([...refused, ...secretKeys, ...kept].sort()).toEqual(all.sort());
        expect(problems.find(({ propertyPath }) => propertyPath === "s3Host")?.reason).toMatch(
            /^is encrypted, and can't stay secret.*pulumi config set --plaintext s3Host VALUE$/,
        );
        expect(checkEncryptedKeys(configWith({ s3Host: "s3.example.com" }, ["secretKey"]))).toEqual([]);
    });

    test("is in no message", () => {
        const values = encryptedValues(
            configWith({ policies: '{"reports": {"read": ["private"]}}', s3Host: "shown" }, ["policies"]),
        );
        expect(JSON.stringify(values)).toContain("private");
        expect(JSON.stringify(values)).not.toContain("shown");
    });
});
