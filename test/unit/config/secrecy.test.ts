import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import schema from "../../../components/args/argSchemas.json";
import { schemaOf, type ArgSchema } from "../../../components/args/schema";
import { withSecrets } from "../../../config/encryptedKeys";
import { PROJECT } from "../../../tools/paths";
import { everyProperty, type PackageSchema } from "../../../tools/maintain/docs/schemaOfComponents";

const isSecretOutput = (value: unknown) => pulumi.isSecret(value as pulumi.Output<unknown>);

/** The args of a type, with its name. */
function argsOf(type: string): { [path: string]: ArgSchema } {
    const args = Object.entries(schemaOf(type).properties).map(([name, arg]) => [`${type}.${name}`, arg]);
    return Object.fromEntries(args) as { [path: string]: ArgSchema };
}

describe("values that must not be in plain state", () => {
    test("are made Pulumi secrets, at any depth, and no other values are", async () => {
        const cluster = withSecrets(
            { accessKey: "key", nodeCount: 4, secretEnvironment: { ONE: "a", TWO: "b" }, environment: { A: "b" } },
            { ref: "StorageClusterArgs" },
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
            { ref: "HaproxyFrontEndArgs" },
        );
        expect(await isSecretOutput(certificate.pem)).toBe(true);
        const { additionalStores, accessKeys } = withSecrets(
            {
                additionalStores: [{ name: "media", secretKey: "key" }],
                accessKeys: { app: { read: ["photos"], secretKey: "key" } },
            },
            { ref: "ObjectStoreArgs" },
        );
        expect(additionalStores[0]?.name).toBe("media");
        expect(await isSecretOutput(additionalStores[0]?.secretKey)).toBe(true);
        expect(accessKeys.app.read).toEqual(["photos"]);
        expect(await isSecretOutput(accessKeys.app.secretKey)).toBe(true);
        expect(await isSecretOutput(certificate.acme.externalAccountBinding.hmacKey)).toBe(true);
        expect(await isSecretOutput(certificate.acme.dns.secretEnvironment.DUCKDNS_TOKEN)).toBe(true);
        expect(certificate.acme).toMatchObject({ termsAgreed: true, externalAccountBinding: { keyId: "customer" } });
    });

    test("include values that no schema names", async () => {
        const { unheardOf, nested, list } = withSecrets(
            { unheardOf: "a secret, perhaps", nested: { deeper: "another" }, list: ["a third"] },
            { ref: "StorageClusterArgs" },
        );
        for (const value of [unheardOf, nested.deeper, list]) {
            expect(await isSecretOutput(value)).toBe(true);
        }
    });

    test("include every arg whose name, or that of the arg that has it, suggests it", () => {
        const sounds = /key$|secret|pem|password|passphrase|token|hmac|credential/i;
        const typeOf = ({ ref, items }: ArgSchema): string | undefined => ref ?? (items && typeOf(items));
        const found = Object.keys(schema).flatMap((type) =>
            Object.entries(schemaOf(type).properties).flatMap(([name, arg]) => {
                const inner = typeOf(arg);
                const open = inner === undefined ? { [`${type}.${name}`]: arg } : argsOf(inner);
                return sounds.test(name)
                    ? Object.entries(open).flatMap(([path, { secret }]) => (secret === true ? [] : [path]))
                    : [];
            }),
        );
        expect([...new Set(found)].sort()).toEqual([
            // Lengths, and names of variables.
            "ServiceProfile.minimumSecretKeyLength",
            "ServiceVariables.accessKey",
            "ServiceVariables.internodeSecret",
            "ServiceVariables.secretKey",
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
