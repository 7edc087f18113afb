import { checkEdgeRestrictions, type RestrictedPaths, type UnverifiedUploads } from "./edgeRestrictions";
import { checkInteger } from "../inputs/inputChecks";
import type { KnownVulnerability } from "./knownVulnerabilities";
import type { Problem } from "../inputs/problem";

/** Names of the environment variables by which a store is configured (service contract, section 1). */
export interface ServiceVariables {
    /** Root access key. */
    accessKey: string;
    /** Root secret key. */
    secretKey: string;
    /** The drives, as paths or as URLs with `{1...4}` ranges. */
    volumes: string;
    /** Bind address of the S3 API listener. */
    address: string;
    /** Bind address of the console listener. */
    consoleAddress: string;
    /** Turns the console listener on, where a store has such a variable. */
    consoleEnable?: string;
    /** Log level, where a store has one. */
    logLevel?: string;
    /** Directory for log files, where a store writes any. */
    logDirectory?: string;
    /** The secret that nodes show each other, where a store has one of its own. */
    internodeSecret?: string;
    /** Public URL of the console, where a store needs it for its redirects. */
    consoleUrl?: string;
    /**
     * Addresses whose word for a client's address and protocol the store takes (`X-Forwarded-For`, `X-Forwarded-Proto`), separated by
     * commas, where a store asks for them. It gets those that the node network keeps for proxies, as IPv4 and as IPv4-mapped IPv6.
     */
    trustedProxies?: string;
    /** Lets several drives stand on one device, where a store refuses that by itself. */
    drivesOnOneDevice?: string;
}

/**
 * What every node of a cluster must have alike, since a node works only among peers that do. A change of it can't go
 * from node to node: all of them are replaced at once, with an outage. Everything else is rolled.
 */
export interface AlikeOnAllNodes {
    /** Whether the image is: two versions of the store don't work together. */
    image: boolean;
    /** Variables that are: names, or, with a `*` at its end, every name that begins so. */
    variables: string[];
}

/**
 * What a store is: everything by which one S3-compatible store with a console differs from another.
 * The contract itself is the profile `service`; a profile of your own can be given for any store that keeps it.
 */
export interface ServiceProfile {
    /** Lower-case name. The console's cookie is called after it (service contract, section 4, rule 9). */
    name: string;
    /** Image with its exact version, used where none is configured. */
    image?: string;
    /** User and group that the store runs as, `uid:gid`, as numbers. Owner of its drives and of its secrets. */
    user: string;
    /** Program and arguments, run by `/bin/sh` with `exec`. The image's own entry point is not used. */
    command: string[];
    /** Names of the store's variables. */
    variables: ServiceVariables;
    /** Further variables with fixed values, which stack config may override. */
    environment: { [name: string]: string };
    /** Readiness of the S3 listener (service contract, section 4): 200 when the node can serve. */
    s3HealthPath: string;
    /**
     * Path of the S3 listener that answers 200 for as long as the node can read, though its cluster may be unable to write.
     * While no node is ready, GET and HEAD requests go to nodes that answer it. Default: none, every request is refused then.
     */
    s3ReadHealthPath?: string;
    /** Health of the console listener (service contract, section 4). */
    consoleHealthPath: string;
    /**
     * Path of the S3 listener that a working process answers at once, whatever became of its peers. One that doesn't
     * answer it for as long as the health check allows is ended, and started again. Default: none, nothing is ended.
     */
    livenessPath?: string;
    /**
     * Path of the S3 listener that answers 200 when the node sees as many of its peers' drives that the cluster can do
     * without a node. Default: none, readiness alone says that the next node may go.
     */
    maintenancePath?: string;
    /**
     * Seconds from its start that a node of a cluster needs until it serves as its peers do: it has found their drives, and
     * healed what it missed while it was away. It is kept out of the proxies for so long.
     */
    settleSeconds: number;
    /** File, below each drive's folder, that the store writes when a cluster is first formed: it says that there is data. */
    formatFile: string;
    /** What nodes can't differ in. */
    alikeOnAllNodes: AlikeOnAllNodes;
    /** Paths that the front end closes. */
    restrictedPaths: RestrictedPaths;
    /** Uploads that the front end refuses, since the store verifies no signature of theirs. Default: none. */
    unverifiedUploads?: UnverifiedUploads;
    /** Vulnerabilities of versions of the store that an image may still have. Default: none. */
    knownVulnerabilities?: KnownVulnerability[];
    /**
     * Variables of the store that would undo what the component sets: other names of the same settings, files that hold them, TLS and
     * paths where the proxy and the health check expect none. A user can't set them. A `*` at the end stands for any rest. Default: those of
     * the profile that comes with the package under this name, if any.
     */
    conflictingVariables?: string[];
    /** Value that turns the console on, where the store has a variable for it. */
    consoleEnableValue?: string;
    /** Log level where none is configured; none for a store without levels. */
    logLevel?: string;
    /** Shortest root access key that the store takes, in characters. */
    minimumAccessKeyLength: number;
    /** Shortest root secret key that the store takes, in characters. */
    minimumSecretKeyLength: number;
    /** Fewest drives in one erasure set, where there is more than one drive. */
    minimumDrivesPerSet: number;
    /** Most drives in one erasure set. */
    maximumDrivesPerSet: number;
}

/** Whether a name is one of a list's, where those that end with `*` stand for all that begin so. */
export function isNamed(name: string, patterns: readonly string[]): boolean {
    return patterns.some((pattern) =>
        pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    );
}

/** The name of an environment variable, or how some begin. */
const VARIABLES = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;

/** Every problem of a profile that a user gives. */
export function checkServiceProfile(profile: ServiceProfile): Problem[] {
    const { name, user, command, s3HealthPath, consoleHealthPath } = profile;
    const { s3ReadHealthPath = "/", livenessPath = "/", conflictingVariables = [] } = profile;
    const unless = (sound: boolean, propertyPath: string, reason: string): Problem[] =>
        sound ? [] : [{ propertyPath, reason }];
    return [
        ...unless(
            /^[a-z][a-z0-9_]*$/.test(name),
            "name",
            `"${name}" is not allowed: a lower-case letter, then lower-case letters, digits and underscores`,
        ),
        ...unless(/^[0-9]+:[0-9]+$/.test(user), "user", `"${user}" is not allowed: give uid:gid, as numbers`),
        ...unless(command.length > 0, "command", "is empty: give the store's program and its arguments"),
        ...Object.entries({ s3HealthPath, s3ReadHealthPath, consoleHealthPath, livenessPath }).flatMap(
            ([property, path]) =>
                unless(
                    /^\/[^\s"'\\]*$/.test(path),
                    property,
                    `"${path}" is not the path of a URL, such as /health/ready`,
                ),
        ),
        ...unless(
            Array.isArray(conflictingVariables) && conflictingVariables.every((variable) => VARIABLES.test(variable)),
            "conflictingVariables",
            "is not a list of names of environment variables, each with a * at its end or none",
        ),
        ...checkEdgeRestrictions(profile),
        ...checkInteger("minimumDrivesPerSet", profile.minimumDrivesPerSet, 1, profile.maximumDrivesPerSet),
    ];
}
