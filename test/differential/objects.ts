import fc, { type Arbitrary } from "fast-check";
import type { Body } from "./protocol";

// What operations are about: keys, bodies, metadata, headers.

/** A value in one of several cases; otherwise undefined, which it also shrinks to. */
export function rarely<Value>(arbitrary: Arbitrary<Value>, oneIn = 8): Arbitrary<Value | undefined> {
    return fc.oneof(
        { withCrossShrink: true },
        { arbitrary: fc.constant(undefined), weight: oneIn - 1 },
        { arbitrary, weight: 1 },
    );
}

/** The bucket of the sequence; rarely one that isn't there. */
export const bucket = fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant("{bucket}"), weight: 14 },
    { arbitrary: fc.constant("{bucket}-absent"), weight: 1 },
);

/** Keys that sequences come back to. */
const COMMON_KEYS = ["a", "b", "c/d"];

const ODD_KEYS = [
    ...["a b+c", "ünï/☃ ", "100%25", "what?=1&#2", "~(1) [2]", ".hidden/o", "quote\"<it's>&", "a\\b", "a\nb"],
    ...[
        "/leading",
        "trailing/",
        "a//b",
        "a/./b",
        "a/../b",
        "...",
        "{}|^`",
        "a:b;c,d=e@f!$*",
        "😀",
        "ü",
        "%41",
        "a%2Fb",
    ],
    ...[
        "k".repeat(1024),
        "k".repeat(1025),
        `${"k".repeat(203)}/`.repeat(5),
        "minio/admin",
        "rustfs/rpc",
        "health/live",
    ],
];

export const key = fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constantFrom(...COMMON_KEYS), weight: 8 },
    { arbitrary: fc.constantFrom(...ODD_KEYS), weight: 1 },
    { arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), weight: 1 },
);

const block = fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString("base64"));

/** Sizes around those at which clients, proxies and stores change what they do. */
const SIZES = [0, 1, 8_192, 16_384, 32_768, 65_535, 65_536, 262_144, 300_000, 1_100_000];

export const body: Arbitrary<Body> = fc.record({
    block,
    size: fc.oneof(
        { withCrossShrink: true },
        { arbitrary: fc.nat({ max: 50 }), weight: 6 },
        { arbitrary: fc.constantFrom(...SIZES), weight: 2 },
    ),
});

/** A body whose request is ended half-way. */
export const abortedBody: Arbitrary<Body> = fc.record({
    block,
    size: fc.constantFrom(100_000, 400_000, 2_000_000),
    endsAt: fc.constantFrom(0, 1, 20_000, 90_000),
});

const metadataName = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const metadataValue = fc.stringMatching(/^([!-~]([ -~]{0,20}[!-~])?)?$/);

/** Metadata around S3's limit of 2 KiB in all, in few pairs or in many. */
export const metadata: Arbitrary<{ [name: string]: string }> = fc.oneof(
    { withCrossShrink: true },
    {
        arbitrary: fc.dictionary(metadataName, metadataValue, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
        weight: 3,
    },
    {
        arbitrary: fc
            .record({ pairs: fc.integer({ min: 1, max: 110 }), length: fc.nat({ max: 12 }) })
            .map(({ pairs, length }) =>
                Object.fromEntries(Array.from({ length: pairs }, (_, index) => [`m${index}`, "x".repeat(length)])),
            ),
        weight: 2,
    },
    { arbitrary: fc.integer({ min: 1_900, max: 2_100 }).map((length) => ({ long: "x".repeat(length) })), weight: 1 },
);

/** Headers that stores understand beyond S3, by which nodes replicate to each other and clients ask for more. */
const STORE_HEADERS = [
    ...["Actual-Object-Size", "Encrypted-Multipart", "Reset-Status", "Ssec-Crc"].map((name) => `Replication-${name}`),
    ...["Sealed-Key", "Seal-Algorithm", "Iv"].map((name) => `Replication-Server-Side-Encryption-${name}`),
    ...["Replication-Request", "Replication-Check", "Mtime", "Etag", "Version-Id"].map((name) => `Source-${name}`),
    ...["Internal-compression", "Internal-actual-size", "Force-Delete", "Force-Create", "Extract"],
].flatMap((name) => [`x-minio-${name.toLowerCase()}`, `x-rustfs-${name.toLowerCase()}`]);

const AMAZON_HEADERS = [
    ...["acl", "grant-read", "object-lock-mode", "request-payer", "expected-bucket-owner", "website-redirect-location"],
    ...["replication-status", "meta-snowball-auto-extract", "server-side-encryption", "storage-class", "tagging"],
].map((name) => `x-amz-${name}`);

const headerValue = fc.constantFrom(
    "1",
    "true",
    "x",
    "public-read",
    "REPLICA",
    "AES256",
    "AAAAAAAAAAAAAAAAAAAAAA==",
    "a=b&c",
);

/** Further headers: known ones, long ones, many. */
export const headers: Arbitrary<[string, string][]> = fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.tuple(fc.constantFrom(...STORE_HEADERS), headerValue).map((header) => [header]), weight: 3 },
    { arbitrary: fc.tuple(fc.constantFrom(...AMAZON_HEADERS), headerValue).map((header) => [header]), weight: 2 },
    {
        arbitrary: fc
            .integer({ min: 1, max: 9_000 })
            .map((length): [string, string][] => [["x-long", "x".repeat(length)]]),
        weight: 1,
    },
    {
        arbitrary: fc
            .integer({ min: 1, max: 60 })
            .map((count) => Array.from({ length: count }, (_, index): [string, string] => [`x-many-${index}`, "x"])),
        weight: 1,
    },
);

/** ETags for conditions: of the last upload, of any object, of none. */
export const condition = fc.constantFrom("{etag}", "*", '"00000000000000000000000000000000"');
