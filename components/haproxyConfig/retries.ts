import { namesOf, type HaproxyStore } from "./haproxyStore";

/**
 * Rules that decide which requests may go to another node after one has closed the connection without a response, or has
 * answered 503. Not those that change something, unless they contain the whole result: then it doesn't matter whether the
 * first node has done it already.
 */
export function retryRules(stores: HaproxyStore[]): string[] {
    const admin = stores
        .filter(({ cluster }) => cluster.restrictedPaths.admin.length > 0)
        .map((store) => `${namesOf(store).prefix}admin_path`);
    return [
        "http-request disable-l7-retry unless METH_GET or METH_HEAD or METH_PUT or METH_DELETE",
        "http-request disable-l7-retry if { req.hdr(if-match) -m found } or { req.hdr(if-none-match) -m found }",
        // Data is appended to an object.
        "http-request disable-l7-retry if { req.hdr(x-amz-write-offset-bytes) -m found }",
        // A PUT of an admin API may create something with a name, or a secret, of its own.
        ...(admin.length === 0 ? [] : [`http-request disable-l7-retry if ${admin.join(" or ")}`]),
    ];
}
