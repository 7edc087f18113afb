import type { Problem } from "../inputs/problem";

/**
 * Paths of a store that are not open to all clients. Each entry is a path, or with a `*` at its end a prefix of paths.
 * `/x/*` includes `/x`.
 */
export interface RestrictedPaths {
    /** The admin API. Closed on the S3 hostname, except for the networks that stack config names. */
    admin: string[];
    /** Paths of `admin` that the console's own pages call from the browser. Open on the console's hostname. */
    consoleAdmin: string[];
    /** RPC and gRPC between nodes, and profiling. Closed on both hostnames, for all clients. */
    internal: string[];
}

/**
 * Uploads that a store accepts without verifying their signature. The front end refuses each upload with this payload type
 * unless the store verifies it. The store does if there is exactly one `Authorization` header of the named kind and none of
 * the listed parameters and headers.
 */
export interface UnverifiedUploads {
    /** Value of `X-Amz-Content-Sha256` that marks them. */
    payload: string;
    /** First word of an `Authorization` header whose signature the store verifies for this payload type. */
    verifiedAuthorization: string;
    /** Query parameters by which the store accepts an access key without its signature. */
    queryParameters: string[];
    /** Headers that make the store ignore the signature. */
    headers: string[];
}

/** Every problem of the paths and uploads that a profile makes the front end refuse. */
export function checkEdgeRestrictions({
    restrictedPaths,
    unverifiedUploads,
}: {
    restrictedPaths: RestrictedPaths;
    unverifiedUploads?: UnverifiedUploads;
}): Problem[] {
    const paths = Object.entries(restrictedPaths).flatMap(([property, list]: [string, string[]]) =>
        list.map((path, place) => ({ propertyPath: `restrictedPaths.${property}[${place}]`, path })),
    );
    const words = Object.entries(unverifiedUploads ?? {}).flatMap(([property, value]: [string, string | string[]]) =>
        Array.isArray(value)
            ? value.map((word, place) => ({ propertyPath: `unverifiedUploads.${property}[${place}]`, word }))
            : [{ propertyPath: `unverifiedUploads.${property}`, word: value }],
    );
    return [
        ...paths
            .filter(({ path }) => !/^\/[A-Za-z0-9._~/-]*\*?$/.test(path))
            .map(({ propertyPath, path }) => ({
                propertyPath,
                reason: `"${path}" is not allowed: a path of letters, digits and . _ ~ / -, optionally with * at its end, to match every path with that prefix`,
            })),
        ...words
            .filter(({ word }) => !/^[A-Za-z0-9-]+$/.test(word))
            .map(({ propertyPath, word }) => ({
                propertyPath,
                reason: `"${word}" is not allowed: letters, digits and hyphens, such as X-Amz-Credential`,
            })),
    ];
}
