import { checkAccessKey } from "../../../../components/settings/accessKeyChecks";
import { checkBucket, checkBucketName, type KnownBucketArgs } from "../../../../components/settings/bucketChecks";
import { checkPolicy } from "../../../../components/settings/policyChecks";
import { canonical, documentOf, statementsOf } from "../../../../components/settings/policyDocument";
import { checkStoreContents } from "../../../../components/settings/contentsChecks";

const store = { name: "store" };

const pathsOf = (args: Partial<KnownBucketArgs>) =>
    checkBucket({ store, ...args }).map(({ propertyPath }) => propertyPath);

describe("a bucket's args", () => {
    test.each(["photos", "a-b.c1", "123", "x".repeat(63)])("%s is a name", (name) => {
        expect(checkBucketName("bucketName", name)).toEqual([]);
    });

    test.each(["ab", "Photos", "a..b", "a.-b", "-ab", "ab-", "10.0.0.1", "x".repeat(64), "a_b"])(
        "%s is not a name",
        (name) => {
            expect(checkBucketName("bucketName", name)).toMatchObject([{ propertyPath: "bucketName" }]);
        },
    );

    test("all problems are reported, each by its path", () => {
        expect(
            pathsOf({
                store: { name: "Store" },
                bucketName: "B",
                versioning: false,
                objectLock: true,
                quota: 1,
                lifecycle: [
                    { id: "a b", expireDays: 0 },
                    { id: "twice", expireDays: 1, expireDeleteMarkers: true },
                    { id: "twice" },
                ],
                publicReadPrefixes: ["a*"],
                policy: "{",
                cors: [{ allowedOrigins: [], allowedMethods: ["PATCH"], maxAgeSeconds: -1 }],
                notifications: [{ target: "webhook", events: [] }],
            }),
        ).toEqual([
            "store.name",
            "bucketName",
            "versioning",
            "quota",
            "lifecycle[0].id",
            "lifecycle[0].expireDays",
            "lifecycle[1].expireDeleteMarkers",
            "lifecycle[2].expireDays",
            "lifecycle",
            "publicReadPrefixes[0]",
            "policy",
            "policy",
            "cors[0].allowedOrigins",
            "cors[0].allowedMethods[0]",
            "cors[0].maxAgeSeconds",
            "notifications[0].target",
            "notifications[0].events",
        ]);
    });

    test("retention needs object lock", () => {
        const retention = { mode: "governance", days: 10 };
        expect(pathsOf({ retention })).toEqual(["retention"]);
        expect(pathsOf({ retention, objectLock: true })).toEqual([]);
    });

    test("one host and several exclude each other", () => {
        const hosts = [{ name: "a", dockerHost: "ssh://a", address: "10.0.0.1" }];
        expect(pathsOf({ store: { name: "store", dockerHost: "ssh://a", hosts } })).toEqual(["store.dockerHost"]);
    });
});

describe("a policy", () => {
    test("of the short form lists, reads and writes what it names, and nothing else", () => {
        const statements = statementsOf({ read: ["photos/reports/"], write: ["inbox"], readWrite: ["app"] });
        const allowed = (action: string) =>
            statements.filter(({ Action: actions }) => actions.includes(action)).flatMap(({ Resource }) => Resource);
        expect(allowed("s3:GetObject")).toEqual(["arn:aws:s3:::photos/reports/*", "arn:aws:s3:::app/*"]);
        expect(allowed("s3:PutObject")).toEqual(["arn:aws:s3:::inbox/*", "arn:aws:s3:::app/*"]);
        expect(allowed("s3:DeleteObject")).toEqual(allowed("s3:PutObject"));
        expect(allowed("s3:ListBucket")).toEqual(["arn:aws:s3:::photos", "arn:aws:s3:::app"]);
        expect(statements.flatMap(({ Condition }) => Condition?.StringLike["s3:prefix"] ?? [])).toEqual(["reports/*"]);
    });

    test("is compared in one spelling, whichever way a store returns it", () => {
        const given = `{"Version":"2012-10-17","Statement":[{"Action":"s3:GetObject","Effect":"Allow","Resource":["b","a"],
            "Condition":{"StringEquals":{"s3:prefix":"x"}}}]}`;
        const returned = `{"ID":"","Statement":[{"Sid":"","Effect":"Allow","Action":["s3:GetObject"],"Resource":["a","b"],
            "Condition":{"StringEquals":{"s3:prefix":["x"]}}}],"Version":"2012-10-17"}`;
        expect(canonical(given)).toBe(canonical(returned));
        expect(canonical(given)).not.toBe(canonical(given.replace("Allow", "Deny")));
        expect(documentOf({ document: given })).toBe(canonical(given));
    });

    test("has one form", () => {
        const paths = (args: object) => checkPolicy({ store, ...args }).map(({ propertyPath }) => propertyPath);
        expect(paths({})).toEqual(["document"]);
        expect(paths({ read: ["photos"], document: '{"Statement":[]}' })).toEqual(["document"]);
        expect(paths({ document: "{" })).toEqual(["document"]);
        expect(paths({ document: "[]" })).toEqual(["document"]);
        expect(paths({ policyName: "a b", read: ["P", "photos/?"] })).toEqual(["policyName", "read[0]", "read[1]"]);
        expect(paths({ write: ["photos/2026/"] })).toEqual([]);
    });
});

describe("an access key's args", () => {
    test("are refused without showing the secret", () => {
        const problems = checkAccessKey({
            store,
            namePrefix: "much-too-long",
            policies: ["a b"],
            secretKey: "se cret",
        });
        expect(problems.map(({ propertyPath }) => propertyPath)).toEqual([
            "namePrefix",
            "policies[0]",
            "secretKey",
            "secretKey",
        ]);
        expect(JSON.stringify(problems)).not.toContain("se cret");
        expect(checkAccessKey({ store, policies: [], secretKey: "x".repeat(41) })).toHaveLength(1);
    });
});

describe("what a store contains", () => {
    test("is checked by its paths in the store's args", () => {
        const problems = checkStoreContents({
            buckets: { Photos: { quota: 1 } },
            policies: { app: {}, reports: { read: ["photos"] } },
            accessKeys: { app: { read: ["photos"] }, idle: {}, "a-name-too-long": { policies: ["reports"] } },
        });
        expect(problems.map(({ propertyPath }) => propertyPath)).toEqual([
            "buckets.Photos",
            "buckets.Photos.quota",
            "policies.app.document",
            "accessKeys.idle.policies",
            "accessKeys.a-name-too-long",
            "policies.app",
        ]);
    });
});
