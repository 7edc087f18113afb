import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
    CLUSTER_SECRECY,
    FRONT_END_SECRECY,
    OBJECT_STORE_SECRECY,
    SECRECY,
    withSecrets,
    type Secrecy,
} from "../../../../components/args/argSecrecy";
import { ACME_CONFIG_KEYS, CONFIG_KEYS, type KeyDescription } from "../../../../config/keys";
import { PROJECT } from "../../../../tools/paths";
import { everyProperty, type PackageSchema } from "../../../../tools/maintain/docs/schemaOfComponents";

/** Paths of the properties that a table marks as secret. */
function secretsOf(secrecy: Secrecy, path: string[] = []): string[] {
    if (typeof secrecy === "string") {
        return secrecy === "secret" ? [path.join(".")] : [];
    }
    return Object.entries(secrecy).flatMap(([property, inner]) => secretsOf(inner, [...path, property]));
}

const isSecretOutput = (value: unknown) => pulumi.isSecret(value as pulumi.Output<unknown>);

describe("values that must not be in plain state", () => {
    test("are made Pulumi secrets, at any depth, and no other values are", async () => {
        const cluster = withSecrets(
            { accessKey: "key", nodeCount: 4, secretEnvironment: { ONE: "a", TWO: "b" }, environment: { A: "b" } },
            CLUSTER_SECRECY,
        );
        expect(await isSecretOutput(cluster.accessKey)).toBe(true);
        expect(await isSecretOutput(cluster.secretEnvironment.ONE)).toBe(true);
        expect(await isSecretOutput(cluster.secretEnvironment.TWO)).toBe(true);
        expect(cluster).toMatchObject({ nodeCount: 4, environment: { A: "b" } });
        const binding = { keyId: "customer", hmacKey: "key" };
        const { certificate } = withSecrets(
            {
                certificate: {
                    pem: "pem",
                    acme: {
                        termsAgreed: true,
                        externalAccountBinding: binding,
                        dns: { provider: "duckdns", secretEnvironment: { DUCKDNS_TOKEN: "token" } },
                    },
                },
            },
            FRONT_END_SECRECY,
        );
        expect(await isSecretOutput(certificate.pem)).toBe(true);
        const { additionalStores } = withSecrets(
            { additionalStores: [{ name: "media", secretKey: "key" }] },
            OBJECT_STORE_SECRECY,
        );
        expect(additionalStores[0]?.name).toBe("media");
        expect(await isSecretOutput(additionalStores[0]?.secretKey)).toBe(true);
        expect(await isSecretOutput(certificate.acme.externalAccountBinding.hmacKey)).toBe(true);
        expect(await isSecretOutput(certificate.acme.dns.secretEnvironment.DUCKDNS_TOKEN)).toBe(true);
        expect(certificate.acme).toMatchObject({ termsAgreed: true, externalAccountBinding: { keyId: "customer" } });
    });

    test("include values that no table names", async () => {
        const { unheardOf, nested, list } = withSecrets(
            { unheardOf: "a secret, perhaps", nested: { deeper: "another" }, list: ["a third"] },
            CLUSTER_SECRECY,
        );
        for (const value of [unheardOf, nested.deeper, list]) {
            expect(await isSecretOutput(value)).toBe(true);
        }
    });

    test("are the same in stack config and in the args", () => {
        const described: [string, KeyDescription][] = [
            ...Object.entries(CONFIG_KEYS),
            ...Object.entries(ACME_CONFIG_KEYS).map(([key, text]): [string, KeyDescription] => [`acme.${key}`, text]),
        ];
        const secret = described.flatMap(([key, { secret: marked }]) => (marked === true ? [key] : []));
        const ofArgs = [...secretsOf(CLUSTER_SECRECY), ...secretsOf(FRONT_END_SECRECY)];
        const inConfig = ofArgs.map((path) =>
            path.replace(/^certificate\.pem$/, "certificatePem").replace(/^certificate\./, ""),
        );
        expect(secret.sort()).toEqual(inConfig.sort());
        // Compares with the documents.
        const said = described.flatMap(([key, { meaning }]) =>
            meaning.includes("set it with `--secret`") ? [key] : [],
        );
        expect(said.sort()).toEqual(secret);
    });

    test("include every arg and key whose name suggests it", () => {
        // Except lengths, names of variables, and identifiers of keys.
        const harmless = [
            "ServiceProfile: minimumAccessKeyLength",
            "ServiceProfile: minimumSecretKeyLength",
            "ServiceVariables: accessKey",
            "ServiceVariables: secretKey",
            "ServiceVariables: internodeSecret",
            // A map: in each key of it the secret is marked.
            "ObjectStore: accessKeys",
            "AdditionalStore: accessKeys",
            "AdditionalStoreOutputs: accessKeys",
            "KeyPair: accessKey",
        ];
        const sounds = /secret|password|passphrase|token|hmac|credential|(access|private|secret)key|pem$/i;
        const schema = JSON.parse(readFileSync(join(PROJECT, "plugin", "schema.json"), "utf8")) as PackageSchema;
        const found = everyProperty(schema).filter(({ path, name }) => sounds.test(name) && !path.includes(" outputs"));
        const open = found
            .map(({ path }) => path.replace(/^[\w-]+:index:/, "").replace(" inputs", ""))
            .filter((path) => {
                const [type = "", property = ""] = path.split(": ");
                const secrecy = SECRECY[type];
                return !(typeof secrecy === "object" && secrecy[property] === "secret");
            });
        expect(found.length).toBeGreaterThan(8);
        expect(open.sort()).toEqual(harmless.sort());
        const keys: [string, KeyDescription][] = [...Object.entries(CONFIG_KEYS), ...Object.entries(ACME_CONFIG_KEYS)];
        expect(keys.filter(([key, { secret }]) => sounds.test(key) && secret !== true).map(([key]) => key)).toEqual([
            "accessKeys",
        ]);
    });

    test("are marked as secret for programs in other languages: the values, not the names of variables", () => {
        const schema = JSON.parse(readFileSync(join(PROJECT, "plugin", "schema.json"), "utf8")) as PackageSchema;
        const marked = everyProperty(schema).flatMap(({ path, property }) =>
            property.secret === true ? [path.replace(/^[\w-]+:index:/, "")] : [],
        );
        expect(marked.sort()).toEqual([
            "AccessKey inputs: secretKey",
            "AccessKey outputs: secretKey",
            "AdditionalStore: accessKey",
            "AdditionalStore: internodeSecret",
            "AdditionalStore: secretKey",
            "AdditionalStoreOutputs: accessKey",
            "AdditionalStoreOutputs: secretKey",
            "Certificate: pem",
            "ExternalAccountBinding: hmacKey",
            "KeyPair: secretKey",
            "ObjectStore inputs: accessKey",
            "ObjectStore inputs: internodeSecret",
            "ObjectStore inputs: secretKey",
            "ObjectStore outputs: accessKey",
            "ObjectStore outputs: secretKey",
            "StorageCluster inputs: accessKey",
            "StorageCluster inputs: internodeSecret",
            "StorageCluster inputs: secretKey",
            "StorageCluster outputs: accessKey",
            "StorageCluster outputs: secretKey",
            "StoreAccessKey: secretKey",
        ]);
    });
});
