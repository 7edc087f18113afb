import * as pulumi from "@pulumi/pulumi";
import { readArgs } from "../../../config/schemaReader";
import { additionalStoresOf } from "../../../tools/stack/additionalStores";

const MEDIA = { name: "media", s3Host: "media.example.com", consoleHost: "media-console.example.com" };

describe("the key additionalStores", () => {
    const read = (value: unknown) => {
        pulumi.runtime.setAllConfig({ "object-store:additionalStores": JSON.stringify(value) });
        const { args, problems } = readArgs(new pulumi.Config("object-store"), "ObjectStoreArgs");
        return { stores: args["additionalStores"], problems };
    };

    test("has the settings of each store", () => {
        const { stores, problems } = read([
            { ...MEDIA, nodeCount: 4, environment: { A: 5 }, accessKeys: { app: { read: ["photos"] } } },
        ]);
        expect(problems).toEqual([]);
        expect(stores).toMatchObject([{ ...MEDIA, nodeCount: 4, environment: { A: "5" } }]);
    });

    test("refuses what is missing, misspelled or of the wrong type, and shows no secret", () => {
        const { problems } = read([
            { s3Host: "a.b", consoleHost: "c.d", nodeCuont: 4, secretKey: 12345678, memory: "1" },
        ]);
        expect(problems.map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`)).toEqual([
            expect.stringMatching(/^additionalStores\[0\]\.name: is missing/),
            expect.stringMatching(/^additionalStores\[0\]\.nodeCuont: is not known: did you mean nodeCount/),
            expect.stringMatching(/^additionalStores\[0\]\.secretKey: is not text/),
            expect.stringMatching(/^additionalStores\[0\]\.memory: "1" is not a number/),
        ]);
        expect(JSON.stringify(problems)).not.toContain("12345678");
    });

    test("refuses keys of the proxy, and of all stores", () => {
        const { problems } = read([{ ...MEDIA, httpsPort: 1, hosts: [], labels: {} }]);
        expect(problems.map(({ propertyPath }) => propertyPath)).toEqual(
            ["httpsPort", "hosts", "labels"].map((key) => `additionalStores[0].${key}`),
        );
    });

    test("is read by the commands too, unless the program refuses it", async () => {
        const config = (value: string) => Object.assign(() => value, { isSecret: () => false });
        const secret = () => Promise.reject(new Error("no secret"));
        expect(await additionalStoresOf(config(JSON.stringify([MEDIA])), secret)).toEqual([MEDIA]);
        expect(await additionalStoresOf(config('[{"name": "media"}]'), secret)).toBeUndefined();
        expect(await additionalStoresOf(config("media"), secret)).toBeUndefined();
    });
});
