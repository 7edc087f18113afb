import { schemaOf } from "../../../../components/args/schema";
import { schemaFailures } from "../../../../components/args/schemaFailures";

const failuresOf = (arg: string, value: unknown) => {
    const schema = schemaOf("ObjectStoreArgs").properties[arg] ?? {};
    return schemaFailures(arg, value, schema).map(({ propertyPath, reason }) => `${propertyPath}: ${reason}`);
};
const pathsOf = (value: unknown) => failuresOf("pools", value).map((failure) => failure.replace(/: .*/, ""));

test("a value of the right types has no failure", () => {
    expect(pathsOf([{ nodeCount: 4, drivePaths: [["/mnt/a"], []] }, { nodeCount: 2 }])).toEqual([]);
    expect(failuresOf("certificate", { pem: { file: "certificate.pem" } })).toEqual([]);
    expect(failuresOf("environment", { A: "a", B: 5, C: true })).toEqual([]);
});

test("every failure is reported, with its property's path", () => {
    expect(pathsOf([{ nodeCount: "4", drivepaths: [] }, { drivePaths: [["/mnt/a", 7], "/mnt/b"] }, "four"])).toEqual([
        "pools[0].nodeCount",
        "pools[0].drivepaths",
        "pools[1].nodeCount",
        "pools[1].drivePaths[0][1]",
        "pools[1].drivePaths[1]",
        "pools[2]",
    ]);
    expect(pathsOf({})).toEqual(["pools"]);
});

test("each failure contains the value, what is allowed, and the syntax", () => {
    expect(
        failuresOf("buckets", { photos: { versioning: "yes", quota: "4", policy: 7, cors: "all", qouta: 1 } }),
    ).toEqual([
        'buckets.photos.versioning: "yes" is not allowed: give true or false, without quotes',
        'buckets.photos.quota: "4" is not a number: give digits without quotes, such as 4',
        'buckets.photos.policy: 7 is not text: put it in quotes, such as "7"',
        'buckets.photos.cors: "all" is not a list: give one, such as [{…}]',
        "buckets.photos.qouta: is not known: did you mean quota?",
    ]);
    expect(failuresOf("buckets", 5)).toEqual(['buckets: 5 is not a map of names: give one, such as {"name": {…}}']);
    expect(failuresOf("floatingAddress", 5)).toEqual([
        'floatingAddress: 5 is not a map of address, image, routerId: give one, such as {"address": "text"}',
    ]);
    expect(failuresOf("floatingAddress", { address: "10.0.0.1" })).toEqual([
        'floatingAddress.image: is missing: give it, such as "text"',
    ]);
});

test("a secret is never reported, nor a value that may contain one", () => {
    const acme = (binding: unknown) => ({ acme: { termsAgreed: true, externalAccountBinding: binding } });
    for (const value of [
        acme({ keyId: "id", hmacKey: 12345 }),
        acme("12345"),
        acme({ hmackey: "12345" }),
        "12345",
        { pem: 12345 },
    ]) {
        const failures = failuresOf("certificate", value);
        expect(failures).not.toEqual([]);
        expect(failures.join()).not.toContain("12345");
    }
    expect(failuresOf("accessKeys", { app: { secretKey: 12345 } }).join()).not.toContain("12345");
});
