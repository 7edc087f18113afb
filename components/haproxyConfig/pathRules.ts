/**
 * Maximum nesting depth of `..` in a path: `/a/b/c/../../..` has three. Of consecutive `..`, each pass resolves every
 * second one, so that about thirty are resolved.
 */
const DOT_SEGMENT_DEPTH = 4;

// Possessive quantifiers: a long run would otherwise exhaust the regex's stack, and `regsub` would then change nothing.
const SINGLE_DOTS = "regsub('/(?:[.]/)++','/','g')";
const LEADING_DOTS = "regsub('^/(?:[.][.]/)++','/')";
const INNERMOST_DOTS = "regsub('/(?![.][.]/)[^/]+/[.][.]/','/','g')";

/**
 * HAProxy rules that interpret the request's path in the two ways that a store could, each with a slash at its end:
 * `txn.path` is decoded and has no double slashes; `txn.resolved_path` has no dot segments either (RFC 3986, section
 * 5.2.4). The request itself is not changed. A path that can't be interpreted in these ways is refused.
 */
export function readPath(): string[] {
    const passes = Array.from({ length: DOT_SEGMENT_DEPTH }, () => `${INNERMOST_DOTS},${LEADING_DOTS}`);
    return [
        "http-request set-var(txn.path) \"path,url_dec,concat(/),regsub('/+','/','g')\"",
        "http-request deny deny_status 400 unless { var(txn.path) -m found }",
        `http-request set-var(txn.resolved_path) "var(txn.path),${[SINGLE_DOTS, LEADING_DOTS, ...passes].join(",")}" if { var(txn.path) -m sub /./ /../ }`,
        "http-request deny deny_status 400 if { var(txn.resolved_path) -m sub /./ /../ }",
    ];
}

/**
 * An ACL that is true if either form of {@link readPath} is one of these paths. They have the format of a profile's
 * `restrictedPaths`.
 *
 * @param ofBuckets Whether the path with the bucket of the hostname before it counts too.
 */
export function pathAcl(name: string, paths: string[], ofBuckets = false): string[] {
    const regex = `'^(?:${paths.map(regexOf).join("|")})'`;
    const readings = ["path", "resolved_path", ...(ofBuckets ? ["bucket_path", "bucket_resolved_path"] : [])];
    return readings.map((reading) => `acl ${name} var(txn.${reading}) -m reg ${regex}`);
}

function regexOf(path: string): string {
    const literal = path.replace(/\*$/, "").replaceAll(".", "[.]");
    return path.endsWith("*") ? literal : `${literal}/$`;
}
