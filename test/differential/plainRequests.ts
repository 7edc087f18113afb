import fc, { type Arbitrary } from "fast-check";
import { body, key, rarely } from "./objects";
import type { Command } from "./protocol";

// Requests that no SDK has an operation for: of browsers, of anybody, to paths of the store's own.

function request(
    method: Arbitrary<string>,
    target: Arbitrary<string>,
    rest: { [Name in keyof Command]?: Arbitrary<Command[Name]> } = {},
): Arbitrary<Command> {
    return fc.record({
        operation: fc.constant("Request"),
        parameters: fc.record({ method, target }),
        ...rest,
    });
}

const object = key.map((name) => `/{bucket}/${encodeURIComponent(name)}`);

const preflight = request(fc.constant("OPTIONS"), object, {
    headers: fc
        .record({
            origin: fc.constantFrom("https://page.example", "null"),
            method: fc.constantFrom("GET", "PUT", "DELETE", "PATCH"),
            names: rarely(fc.constantFrom("x-amz-meta-a, content-type", "authorization"), 2),
        })
        .map(({ origin, method, names }): [string, string][] => [
            ["Origin", origin],
            ["Access-Control-Request-Method", method],
            ...(names === undefined ? [] : [["Access-Control-Request-Headers", names] as [string, string]]),
        ]),
});

const fromPage = request(fc.constantFrom("GET", "HEAD"), object, {
    headers: fc.constant([["Origin", "https://page.example"]]),
});

const byAnybody = fc.oneof(
    request(fc.constantFrom("GET", "HEAD", "DELETE"), object),
    request(fc.constantFrom("PUT", "POST", "PATCH"), object, { body, expect: rarely(fc.constant(true), 3) }),
);

/** Paths of a store that aren't S3, and paths that look like them. */
const OWN_PATHS = [
    ...[
        "/minio/health/live",
        "/minio/admin/v3/info",
        "/minio/v2/metrics/cluster",
        "/minio/bootstrap/v1/verify",
        "/minio/",
    ],
    ...[
        "/rustfs/admin/v3/info",
        "/rustfs/rpc/read_file_stream",
        "/health",
        "/health/ready",
        "/health/live",
        "/profile/cpu",
    ],
    ...[
        "/",
        "/?location",
        "//",
        "/%2e%2e/x",
        "/favicon.ico",
        "/robots.txt",
        "/{bucket}?location=",
        "/{bucket}/?uploads",
    ],
];

const ofTheStore = request(fc.constantFrom("GET", "PUT"), fc.constantFrom(...OWN_PATHS));

/** The form of a web page, signed when it is sent (./postForm.ts). */
const postForm = fc.record({
    operation: fc.constant("PostForm"),
    parameters: fc.record({
        key: fc.oneof(key, fc.constant("form/${filename}")),
        longest: fc.constantFrom(5, 1_000_000),
        status: rarely(fc.constantFrom("200", "201", "303"), 2),
        redirect: rarely(fc.constant("https://page.example/done"), 6),
        by: rarely(fc.constant("stranger"), 6),
    }),
    body,
    expect: rarely(fc.constant(true), 4),
});

export const plainRequests: Arbitrary<Command> = fc.oneof(
    { arbitrary: preflight, weight: 1 },
    { arbitrary: fromPage, weight: 1 },
    { arbitrary: byAnybody, weight: 2 },
    { arbitrary: ofTheStore, weight: 2 },
    { arbitrary: postForm, weight: 2 },
);
