/** A section of haproxy.cfg, with a line before it that says what it is for. */
export function section(comment: string, head: string, lines: (string | undefined)[]): string {
    const given = lines.filter((line) => line !== undefined);
    return [`# ${comment}`, head, ...given.map((line) => `    ${line}`), ""].join("\n");
}

/** The hostname of a request in lower case, without its port. `req.hdr` would read `a,b` as two values, `req.fhdr` doesn't. */
export const REQUESTED_HOST = "req.fhdr(host),host_only";

/** An ACL that holds for a hostname in any case, with any port, with the dot of a fully qualified name. */
export function hostAcl(name: string, hostname: string): string {
    const host = hostname.toLowerCase();
    return `acl ${name} ${REQUESTED_HOST} -m str ${host} ${host}.`;
}

/** Refuses more than one Host: what stands behind may read another one than the rules here (RFC 9112, section 3.2). */
export function oneHostRule(): string {
    return "http-request deny deny_status 400 if { req.fhdr_cnt(host) gt 1 }";
}
