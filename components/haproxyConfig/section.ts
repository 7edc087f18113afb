/** A section of haproxy.cfg, preceded by a comment line that states its purpose. */
export function section(comment: string, head: string, lines: (string | undefined)[]): string {
    const given = lines.filter((line) => line !== undefined);
    return [`# ${comment}`, head, ...given.map((line) => `    ${line}`), ""].join("\n");
}

/**
 * The hostname of a request in lower case, without its port. `req.fhdr` is used, since `req.hdr` would read `a,b` as two
 * values.
 */
export const REQUESTED_HOST = "req.fhdr(host),host_only";

/**
 * An ACL that is true for a hostname in any case, with any port, with or without the trailing dot of a fully qualified
 * name.
 */
export function hostAcl(name: string, hostname: string): string {
    const host = hostname.toLowerCase();
    return `acl ${name} ${REQUESTED_HOST} -m str ${host} ${host}.`;
}

/**
 * Refuses requests with more than one Host header: the server behind the proxy may use another one than the rules here (RFC
 * 9112, section 3.2).
 */
export function oneHostRule(): string {
    return "http-request deny deny_status 400 if { req.fhdr_cnt(host) gt 1 }";
}
