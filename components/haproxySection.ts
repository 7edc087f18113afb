/** A section of haproxy.cfg, with a line before it that says what it is for. */
export function section(comment: string, head: string, lines: (string | undefined)[]): string {
    const given = lines.filter((line) => line !== undefined);
    return [`# ${comment}`, head, ...given.map((line) => `    ${line}`), ""].join("\n");
}

/** An ACL that holds for a hostname in any case (`host_only` makes it lower), with any port, with the dot of a fully qualified name. */
export function hostAcl(name: string, hostname: string): string {
    const host = hostname.toLowerCase();
    return `acl ${name} req.hdr(host),host_only -m str ${host} ${host}.`;
}
