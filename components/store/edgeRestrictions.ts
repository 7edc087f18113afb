import { validRange } from "semver";
import type { Problem } from "../checks/problem";
import { isRelease } from "./releases";

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
 * Uploads that a store accepts without verifying their signature. The proxy refuses each upload with this payload type
 * unless the store verifies it. The store does if there is exactly one `Authorization` header of the named kind and none of
 * the listed parameters and headers.
 */
export interface UnverifiedUploads {
    /** Value of `X-Amz-Content-Sha256` that marks them. */
    payload: string;
    /**
     * First word of an `Authorization` header whose signature the store verifies for this payload type. Default: none; all of
     * these uploads are refused.
     */
    verifiedAuthorization?: string;
    /** Query parameters by which the store accepts an access key without its signature. */
    queryParameters: string[];
    /** Headers that make the store ignore the signature. */
    headers: string[];
    /**
     * Releases of the store that verify it, as a range of semantic versions: `>=20250403.145628.0` for those since
     * `RELEASE.2025-04-03T14-56-28Z`. An image whose tag names no release counts as an older one. Default: all releases.
     */
    verifyingReleases?: string;
}

/**
 * Metadata of an object that the store accepts from everybody who may write it, although only its own replication should
 * set it. The proxy refuses requests that contain it, unless they are in the form of the replication.
 */
export interface ReplicatedMetadata {
    /** Prefix of its headers, and of its query parameters, in any case. */
    prefix: string;
    /** Header with which the store asks for a permission of its own. */
    permitted: RequiredHeader;
    /** Query parameter of the requests that complete an upload in parts. The store accepts the metadata there without that header. */
    completedBy: string;
}

/** A header that has to be in a request. */
export interface RequiredHeader {
    /** Its name. */
    header: string;
    /** Its only allowed value. */
    value: string;
}

/** Links to objects that the console's pages make for everybody: the path contains a URL of the store, which a node reads. */
export interface SharedObjects {
    /** The path before that URL, which is in base64 for URLs (RFC 4648, section 5). */
    path: string;
    /** First part of the paths that belong to no bucket. */
    reserved: string;
}

/** What a profile makes the proxy refuse, beside paths. */
export interface EdgeRestrictions {
    /** Uploads that are refused, since the store doesn't verify their signatures. Default: none. */
    unverifiedUploads?: UnverifiedUploads;
    /** Metadata that only the store's replication may set. Default: none. */
    replicatedMetadata?: ReplicatedMetadata;
    /** Links of the console that may only lead to objects, and that the access log doesn't show. Default: none. */
    sharedObjects?: SharedObjects;
}

/** What the proxy refuses for a store of this image. */
export function edgeRestrictionsOf(
    { unverifiedUploads, replicatedMetadata, sharedObjects }: EdgeRestrictions,
    image: string,
): EdgeRestrictions {
    const range = unverifiedUploads?.verifyingReleases;
    const verifies = range === undefined || isRelease(image, range);
    return {
        ...(unverifiedUploads === undefined
            ? {}
            : {
                  unverifiedUploads: verifies
                      ? unverifiedUploads
                      : { ...unverifiedUploads, verifiedAuthorization: undefined },
              }),
        ...(replicatedMetadata === undefined ? {} : { replicatedMetadata }),
        ...(sharedObjects === undefined ? {} : { sharedObjects }),
    };
}

/** The paths in a bucket that are closed, since paths of the store begin with its name: `/profile/cpu`. */
export function closedKeys({ admin, internal }: RestrictedPaths, bucket: string): string[] {
    return [...admin, ...internal].filter((path) => path.startsWith(`/${bucket}/`));
}

/** Every problem of what a profile makes the proxy refuse. */
export function checkEdgeRestrictions({
    restrictedPaths,
    unverifiedUploads,
    replicatedMetadata,
    sharedObjects,
}: EdgeRestrictions & { restrictedPaths: RestrictedPaths }): Problem[] {
    const { verifyingReleases, ...uploads } = unverifiedUploads ?? {};
    const paths = [
        ...textsIn(restrictedPaths, "restrictedPaths"),
        ...textsIn(sharedObjects?.path, "sharedObjects.path"),
    ];
    const words = [
        ...textsIn(uploads, "unverifiedUploads"),
        ...textsIn(replicatedMetadata, "replicatedMetadata"),
        ...textsIn(sharedObjects?.reserved, "sharedObjects.reserved"),
    ];
    return [
        ...paths
            .filter(({ text }) => !/^\/[A-Za-z0-9._~/-]*\*?$/.test(text))
            .map(({ propertyPath, text }) => ({
                propertyPath,
                reason: `"${text}" is not allowed: a path of letters, digits and . _ ~ / -, optionally with * at its end, to match every path with that prefix`,
            })),
        ...words
            .filter(({ text }) => !/^[A-Za-z0-9-]+$/.test(text))
            .map(({ propertyPath, text }) => ({
                propertyPath,
                reason: `"${text}" is not allowed: letters, digits and hyphens, such as X-Amz-Credential`,
            })),
        ...(verifyingReleases === undefined || validRange(verifyingReleases) !== null
            ? []
            : [
                  {
                      propertyPath: "unverifiedUploads.verifyingReleases",
                      reason: `"${verifyingReleases}" is not a range of semantic versions, such as ">=1.0.0"`,
                  },
              ]),
    ];
}

/** The texts in a value, each with the path of its property. */
function textsIn(value: unknown, propertyPath: string): { propertyPath: string; text: string }[] {
    if (typeof value === "string") {
        return [{ propertyPath, text: value }];
    }
    return Array.isArray(value)
        ? value.flatMap((inner: unknown, index) => textsIn(inner, `${propertyPath}[${index}]`))
        : Object.entries(value ?? {}).flatMap(([name, inner]) => textsIn(inner, `${propertyPath}.${name}`));
}
