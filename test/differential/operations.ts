import fc, { type Arbitrary } from "fast-check";
import { abortedBody, body, bucket, condition, headers, key, metadata, rarely } from "./objects";
import type { Body, Command } from "./protocol";
import { plainRequests } from "./plainRequests";

const PAST = "2020-01-01T00:00:00Z";
const FUTURE = "2060-01-01T00:00:00Z";
const time = fc.constantFrom(PAST, FUTURE);

type Parameters = { [Name in string]: Arbitrary<unknown> };

/** An operation with its parameters and the way of sending it. */
function operation(name: string, parameters: Parameters, sending: Sending = {}): Arbitrary<Command> {
    return fc.record({
        operation: fc.constant(name),
        parameters: fc.record({ Bucket: bucket, ...parameters }),
        by: rarely(fc.constantFrom("stranger" as const, "anonymous" as const), 12),
        ...sending,
    });
}

type Sending = { [Name in keyof Command]?: Arbitrary<Command[Name]> };

const upload: Sending = {
    body,
    expect: fc.boolean(),
    streamed: rarely(fc.constant(true), 4),
    headers: rarely(headers, 5),
};

const described: Parameters = {
    Metadata: rarely(metadata, 3),
    ContentType: rarely(fc.constantFrom("text/plain; charset=utf-8", "a/b")),
    CacheControl: rarely(fc.constantFrom("no-cache", "max-age=60, public")),
    ContentDisposition: rarely(fc.constant('attachment; filename="100% sure.txt"')),
    ContentEncoding: rarely(fc.constantFrom("gzip", "aws-chunked", "br")),
    ContentLanguage: rarely(fc.constant("en, de")),
    Tagging: rarely(fc.constantFrom("a=b&c=d%20e", "a=b&a=c", "=")),
};

const putObject = operation(
    "PutObject",
    {
        Key: key,
        ...described,
        IfMatch: rarely(condition, 6),
        IfNoneMatch: rarely(fc.constantFrom("*", "{etag}"), 4),
        ContentMD5: rarely(fc.constantFrom("AAAAAAAAAAAAAAAAAAAAAA==", "not base64"), 12),
        ChecksumSHA256: rarely(fc.constantFrom("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "short"), 12),
        ServerSideEncryption: rarely(fc.constantFrom("AES256", "aws:kms"), 16),
        StorageClass: rarely(fc.constantFrom("STANDARD", "REDUCED_REDUNDANCY", "NONE"), 12),
    },
    upload,
);

const abortedPut = operation("PutObject", { Key: key }, { body: abortedBody, expect: fc.boolean() });

const conditions: Parameters = {
    IfMatch: rarely(condition),
    IfNoneMatch: rarely(condition),
    IfModifiedSince: rarely(time, 10),
    IfUnmodifiedSince: rarely(time, 10),
};

const range = fc.constantFrom(
    ...[
        "bytes=0-3",
        "bytes=-5",
        "bytes=5-",
        "bytes=1000000-",
        "bytes=3-1",
        "bytes=0-0,2-3",
        "bytes=-0",
        "bites=0-3",
        "x",
    ],
);

const overrides: Parameters = {
    ResponseContentType: rarely(fc.constantFrom('text/plain; name="a/b+c&d"', "x/ü"), 3),
    ResponseContentDisposition: rarely(fc.constant('attachment; filename="100% sure.txt"'), 3),
    ResponseCacheControl: rarely(fc.constant("no-store"), 3),
};

const getObject = operation("GetObject", {
    Key: key,
    ...conditions,
    Range: rarely(range, 4),
    PartNumber: rarely(fc.constantFrom(1, 2), 12),
    VersionId: rarely(fc.constantFrom("{version}", "null", "x"), 12),
    ChecksumMode: rarely(fc.constant("ENABLED"), 4),
});

const headObject = operation("HeadObject", { Key: key, ...conditions, Range: rarely(range) });

const presigned = fc.oneof(
    operation("GetObject", { Key: key, ...overrides }, { presigned: fc.constant(true) }),
    operation("PutObject", { Key: key }, { presigned: fc.constant(true), body, expect: fc.boolean() }),
    operation("HeadObject", { Key: key }, { presigned: fc.constant(true) }),
);

const copyObject = operation("CopyObject", {
    Key: key,
    CopySource: fc.constantFrom(
        "{bucket}/a",
        "{bucket}/b",
        "{bucket}/c%2Fd",
        "{bucket}/%C3%BC",
        "{bucket}-absent/a",
        "a",
    ),
    MetadataDirective: rarely(fc.constantFrom("COPY", "REPLACE"), 3),
    Metadata: rarely(metadata, 3),
    CopySourceIfMatch: rarely(condition),
    CopySourceIfNoneMatch: rarely(condition),
});

const deleteObject = operation("DeleteObject", { Key: key, VersionId: rarely(fc.constantFrom("{version}", "x"), 8) });

const deleteObjects = operation("DeleteObjects", {
    Delete: fc.record({
        Objects: fc.array(fc.record({ Key: key }), { minLength: 1, maxLength: 4 }),
        Quiet: rarely(fc.constant(true), 3),
    }),
});

const lists = fc.oneof(
    operation("ListObjectsV2", {
        Prefix: rarely(fc.constantFrom("a", "c/", "ü", "p".repeat(1024)), 3),
        Delimiter: rarely(fc.constantFrom("/", "a"), 3),
        MaxKeys: rarely(fc.constantFrom(0, 1, 2), 3),
        StartAfter: rarely(fc.constant("a"), 6),
        EncodingType: rarely(fc.constant("url"), 3),
        FetchOwner: rarely(fc.constant(true), 6),
    }),
    operation("ListObjects", { Marker: rarely(fc.constant("a"), 3), MaxKeys: rarely(fc.constantFrom(1, 2), 3) }),
    operation("ListObjectVersions", { MaxKeys: rarely(fc.constantFrom(1, 2), 3) }),
    operation("ListMultipartUploads", { Prefix: rarely(key, 3) }),
);

const settings = fc.oneof(
    ...[
        "HeadBucket",
        "GetBucketLocation",
        "GetBucketVersioning",
        "GetBucketPolicy",
        "GetBucketAcl",
        "GetBucketTagging",
    ].map((name) => operation(name, {})),
    ...["GetBucketCors", "DeleteBucket", "CreateBucket", "GetBucketEncryption", "GetObjectLockConfiguration"].map(
        (name) => operation(name, {}),
    ),
    ...["GetObjectTagging", "GetObjectAcl", "GetObjectRetention", "DeleteObjectTagging"].map((name) =>
        operation(name, { Key: key }),
    ),
    operation("GetObjectAttributes", {
        Key: key,
        ObjectAttributes: fc.constantFrom(["ETag"], ["ObjectSize"], ["Checksum"]),
    }),
    operation("PutObjectTagging", {
        Key: key,
        Tagging: fc.constant({ TagSet: [{ Key: "a", Value: "ü +" }] }),
    }),
    operation("PutBucketVersioning", {
        VersioningConfiguration: fc.record({ Status: fc.constantFrom("Enabled", "Suspended") }),
    }),
    operation("PutBucketPolicy", { Policy: fc.constantFrom(publicPolicy(), "no policy") }),
);

/** Everybody may read and write the objects of the bucket. */
function publicPolicy(): string {
    const [Action, Resource] = [["s3:GetObject", "s3:PutObject"], ["arn:aws:s3:::{bucket}/*"]];
    return JSON.stringify({
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Principal: { AWS: ["*"] }, Action, Resource }],
    });
}

const SMALLEST_PART = 5 * 1024 * 1024;

const multipart = fc
    .record({
        Key: key,
        metadata: rarely(metadata, 3),
        first: rarely(fc.constant<Body>({ block: "YQ==", size: SMALLEST_PART }), 6),
        last: body,
        expect: fc.boolean(),
        end: fc.constantFrom("CompleteMultipartUpload", "AbortMultipartUpload", "none", "ListParts", "wrong"),
        ifNoneMatch: rarely(fc.constant("*"), 4),
    })
    .map(({ Key, metadata: Metadata, first, last, expect, end, ifNoneMatch: IfNoneMatch }): Command[] => {
        const upload = { Bucket: "{bucket}", Key, UploadId: "{upload}" };
        const bodies = first === undefined ? [last] : [first, last];
        const parts = bodies.map((_, index) => ({
            PartNumber: index + 1,
            ETag: end === "wrong" ? "x" : `{part ${index + 1}}`,
        }));
        const complete = { ...upload, IfNoneMatch, MultipartUpload: { Parts: parts } };
        return [
            { operation: "CreateMultipartUpload", parameters: { Bucket: "{bucket}", Key, Metadata } },
            ...bodies.map((part, index) => ({
                operation: "UploadPart",
                parameters: { ...upload, PartNumber: index + 1 },
                body: part,
                expect,
            })),
            ...(end === "CompleteMultipartUpload" || end === "wrong"
                ? [{ operation: "CompleteMultipartUpload", parameters: complete }]
                : []),
            ...(end === "AbortMultipartUpload" || end === "ListParts" ? [{ operation: end, parameters: upload }] : []),
        ];
    });

/** Each step of a sequence: one command, or some that belong together. */
const step: Arbitrary<Command[]> = fc.oneof(
    { withCrossShrink: true },
    ...(
        [
            [putObject, 10],
            [getObject, 6],
            [headObject, 3],
            [deleteObject, 2],
            [copyObject, 2],
            [deleteObjects, 1],
            [lists, 2],
            [settings, 2],
            [presigned, 2],
            [abortedPut, 1],
            [plainRequests, 3],
        ] as const
    ).map(([arbitrary, weight]) => ({ arbitrary: arbitrary.map((command): Command[] => [command]), weight })),
    { arbitrary: multipart, weight: 1 },
);

/** Random requests on one connection. */
export const sequence: Arbitrary<Command[]> = fc
    .array(step, { minLength: 1, maxLength: 8, size: "max" })
    .map((steps) => steps.flat());
