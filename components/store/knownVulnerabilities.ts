import { gte, lt } from "semver";
import { releaseOf } from "./releases";
import { isNamed } from "./variableNames";

/** A vulnerability of some releases of a program. An update with an affected image logs a warning, in preview too. */
export interface KnownVulnerability {
    /** Its number, such as `CVE-2025-62506`, or that of its GitHub advisory. */
    id: string;
    /** What an attacker can do with it. */
    effect: string;
    /** Tag of the first release that has it. Default: every release before `fixedIn` has it. */
    since?: string;
    /**
     * Tag of the first release without it: a semantic version, or a date as in MinIO's releases. Default: no release fixes it.
     */
    fixedIn?: string;
    /** Variables of the store without which it has no effect; a `*` at the end makes a name a prefix. Default: none. */
    onlyWith?: string[];
    /** What to do about it. */
    remedy: string;
}

const FORK = "set image to a maintained fork, or to a build of one";

/**
 * Vulnerabilities of MinIO that an image may have. Sources: the advisories of github.com/minio/minio, and for releases that fix
 * those of 2026, the advisories of the fork github.com/pgsty/silo. CVE-2026-34204, CVE-2026-40344 and
 * CVE-2026-41145 are refused by the proxy.
 */
export const minioVulnerabilities: KnownVulnerability[] = [
    {
        id: "CVE-2023-28432",
        effect: "a node of a cluster gives its variables, the root keys too, to everybody who reaches its port",
        since: "RELEASE.2019-12-17T23-16-33Z",
        fixedIn: "RELEASE.2023-03-20T20-16-18Z",
        remedy: "set image to a later release, and change the root keys",
    },
    {
        id: "CVE-2024-55949",
        effect: "every user can import users and policies, and so become an administrator",
        fixedIn: "RELEASE.2024-12-13T22-19-12Z",
        remedy: "set image to a later release",
    },
    {
        id: "CVE-2025-31489",
        effect: "whoever knows an access key can write objects without its secret",
        since: "RELEASE.2023-05-18T00-05-36Z",
        fixedIn: "RELEASE.2025-04-03T14-56-28Z",
        remedy: "set image to a later release",
    },
    {
        id: "CVE-2025-62506",
        effect: "service accounts and temporary credentials can escape their own session policy",
        fixedIn: "RELEASE.2025-10-15T17-29-55Z",
        remedy:
            "no official image fixes it: let `npm run up` build one (Pulumi.offline.yaml), set image to one of " +
            "your own, or issue no credentials with a session policy",
    },
    {
        id: "CVE-2026-33322",
        effect:
            "whoever knows the client secret of OpenID Connect can sign tokens (HS256) for any user and policy, so it is as " +
            "powerful as the root keys",
        fixedIn: "RELEASE.2026-04-17T00-00-00Z",
        onlyWith: ["MINIO_IDENTITY_OPENID_*"],
        remedy: `keep the secret as you keep the root keys, in secretEnvironment, or ${FORK}`,
    },
    {
        id: "CVE-2026-33419",
        effect: "names of LDAP users can be found out and their passwords guessed without a limit",
        fixedIn: "RELEASE.2026-06-18T00-00-00Z",
        onlyWith: ["MINIO_IDENTITY_LDAP_*"],
        remedy: FORK,
    },
    {
        id: "CVE-2026-39414",
        effect: "whoever may read an object can use up a node's memory by S3 Select",
        fixedIn: "RELEASE.2026-04-17T00-00-00Z",
        remedy: `set memory, so that only the node restarts, or ${FORK}`,
    },
];

const UPGRADE = "set image to a later release";

/** Vulnerabilities of RustFS. Sources: its GitHub advisories, and the tags of github.com/rustfs/rustfs that contain the fixes. */
export const rustfsVulnerabilities: KnownVulnerability[] = [
    {
        id: "CVE-2025-68926",
        effect: "nodes accept requests of everybody who reaches their port, by a token that is the same everywhere",
        fixedIn: "1.0.0-alpha.77",
        remedy: UPGRADE,
    },
    {
        id: "CVE-2026-21862",
        effect: "clients can claim any address in policies with aws:SourceIp",
        fixedIn: "1.0.0-alpha.78",
        remedy: UPGRADE,
    },
    {
        id: "CVE-2026-22043",
        effect: "restricted service accounts and temporary credentials can make unrestricted ones",
        since: "1.0.0-alpha.13",
        fixedIn: "1.0.0-alpha.79",
        remedy: UPGRADE,
    },
    {
        id: "CVE-2026-39360",
        effect: "users can copy objects that they may not read, by uploads in parts",
        fixedIn: "1.0.0-alpha.90",
        remedy: UPGRADE,
    },
    {
        id: "CVE-2026-40937",
        effect: "every user can change the targets of notifications",
        fixedIn: "1.0.0-alpha.94",
        remedy: UPGRADE,
    },
    {
        id: "GHSA-5354-r3w2-34m8",
        effect: "who may create service accounts can create one with the rights of the root keys",
        fixedIn: "1.0.0-beta.11",
        remedy: UPGRADE,
    },
    {
        id: "GHSA-6r96-hmgc-726c",
        effect: "clients can set values that policies compare, such as the user's name, by headers",
        fixedIn: "1.0.0-beta.12",
        remedy: UPGRADE,
    },
];

/**
 * Vulnerabilities of HAProxy 3.2 that this configuration makes reachable. It has no QUIC (CVE-2026-26080, CVE-2026-26081), no
 * FastCGI (CVE-2026-55203) and reads no JSON (CVE-2025-11230). Source: Debian's changelog of haproxy.
 */
export const haproxyVulnerabilities: KnownVulnerability[] = [
    {
        id: "CVE-2026-55204",
        effect: "a client can end the process by compressed headers of HTTP/2, when memory is short",
        fixedIn: "3.2.20",
        remedy: "set it to a later release of 3.2",
    },
];

/** Vulnerabilities of the ACME client. Source: GO-2025-3847. */
export const legoVulnerabilities: KnownVulnerability[] = [
    {
        id: "CVE-2025-54799",
        effect: "it also talks to a CA by HTTP, without TLS, if the directory names such addresses",
        fixedIn: "4.25.2",
        remedy: "set it to a later release of lego 4",
    },
];

/** An image whose release isn't known. */
export type UnknownRelease = "unknown";

/**
 * The vulnerabilities of a list that affect an image.
 *
 * @param variables Names of the variables that the store has.
 * @param said What the image says of its release. Used if the tag names none.
 */
export function vulnerabilitiesOf(
    image: string,
    known: readonly KnownVulnerability[] = [],
    variables: readonly string[] = [],
    said = "",
): KnownVulnerability[] | UnknownRelease {
    const release = releaseOf(image) ?? releaseOf(`:${said}`);
    const reachable = known.filter(
        ({ onlyWith }) => onlyWith === undefined || variables.some((name) => isNamed(name, onlyWith)),
    );
    if (release === undefined) {
        return reachable.length === 0 ? [] : "unknown";
    }
    const at = (tag: string | undefined) => (tag === undefined ? undefined : releaseOf(`:${tag}`));
    return reachable.filter(({ since, fixedIn }) => {
        const [first, last] = [at(since), at(fixedIn)];
        return (first === undefined || gte(release, first)) && (last === undefined || lt(release, last));
    });
}

/** The warnings of an image, one for each vulnerability, or one that its release isn't known. */
export function vulnerabilityWarnings(
    property: string,
    image: string,
    known: readonly KnownVulnerability[] = [],
    variables: readonly string[] = [],
    said = "",
): string[] {
    const found = vulnerabilitiesOf(image, known, variables, said);
    if (found === "unknown") {
        const ids = known.map(({ id }) => id).join(", ");
        return [
            `${property}: "${image}" names no exact release, so it can't be known whether it has a known vulnerability (${ids}): ` +
                "give the release as tag, also before a digest",
        ];
    }
    return found.map(({ id, effect, fixedIn, remedy }) => {
        const fixed = fixedIn === undefined ? "No release fixes it" : `Fixed in ${fixedIn}`;
        return `${property}: "${image}" has ${id}: ${effect}. ${fixed}; ${remedy}`;
    });
}
