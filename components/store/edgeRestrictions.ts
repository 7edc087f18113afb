import type { Problem } from "../inputs/problem";

/**
 * Paths of a store that are not for everyone. Each is a path, or, with a `*` at its end, every path that begins so;
 * `/x/*` stands for `/x` as well.
 */
export interface RestrictedPaths {
    /** The admin API. Closed on the S3 hostname, save for networks that stack config names. */
    admin: string[];
    /** Those of `admin` that the console's own pages call in the browser: open on the console's hostname. */
    consoleAdmin: string[];
    /** RPC and gRPC between nodes, and profiling. Closed on both hostnames, for everybody. */
    internal: string[];
}

/**
 * Uploads that a store takes although it verifies no signature of theirs. The front end refuses each that has the payload
 * type, unless the store verifies it: one `Authorization` header of the kind named, and none of the rest.
 */
export interface UnverifiedUploads {
    /** Value of `X-Amz-Content-Sha256` by which they are sent. */
    payload: string;
    /** First word of an `Authorization` header whose signature the store verifies for this payload type. */
    verifiedAuthorization: string;
    /** Parameters of the query by which the store takes an access key without its signature. */
    queryParameters: string[];
    /** Headers with which the store doesn't look at the signature. */
    headers: string[];
}

/** Every problem of what a profile has the front end refuse. */
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
                reason: `"${path}" is not allowed: a path of letters, digits and . _ ~ / -, with a * at its end where all that begin so are meant`,
            })),
        ...words
            .filter(({ word }) => !/^[A-Za-z0-9-]+$/.test(word))
            .map(({ propertyPath, word }) => ({
                propertyPath,
                reason: `"${word}" is not allowed: letters, digits and hyphens, such as X-Amz-Credential`,
            })),
    ];
}
