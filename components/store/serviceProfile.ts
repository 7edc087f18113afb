import { validRange } from "semver";
import { checkEdgeRestrictions, type EdgeRestrictions, type RestrictedPaths } from "./edgeRestrictions";
import { checkInteger } from "../checks/inputChecks";
import type { KnownVulnerability } from "./knownVulnerabilities";
import type { Problem } from "../checks/problem";

/** Names of the environment variables that configure a store (service contract, section 1). */
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
    /** Enables the console listener, for a store with such a variable. */
    consoleEnable?: string;
    /** Log level, for a store with log levels. */
    logLevel?: string;
    /** Directory for log files, for a store that writes any. */
    logDirectory?: string;
    /** Secret by which nodes authenticate to each other, for a store with a separate one. */
    internodeSecret?: string;
    /** Public URL of the console, for a store that needs it for its redirects. */
    consoleUrl?: string;
    /**
     * Addresses of trusted proxies, separated by commas: from these the store accepts a client's address and protocol
     * (`X-Forwarded-For`, `X-Forwarded-Proto`). For a store with such a variable. It gets the addresses that the node
     * network reserves for proxies, as IPv4 and as IPv4-mapped IPv6.
     */
    trustedProxies?: string;
    /**
     * Domains, separated by commas, for a store that reads a bucket's name from the hostname: `bucket.DOMAIN`. Set only if
     * there are any.
     */
    bucketDomains?: string;
    /** Allows several drives on one device, for a store that refuses that by default. */
    drivesOnOneDevice?: string;
}

/**
 * Settings that must be identical on all nodes of a cluster, since a node works only with peers that have the same. A
 * change of them can't be rolled out node by node: all nodes are replaced at once, with an outage. All other changes are
 * rolled out.
 */
export interface SameOnAllNodes {
    /** Whether the image must be identical: two versions of the store don't work together. */
    image: boolean;
    /** Variables that must be identical: names, or with a `*` at the end prefixes of names. */
    variables: string[];
}

/**
 * Requests to a store's admin API about a bucket with a quota, for a store that refuses writes to it until it has counted
 * its objects. The bucket's name is added to each path. Both only read.
 */
export interface QuotaPaths {
    /** Answers with JSON that has the bucket's quota in bytes as `quota`; 0 without one. */
    quota: string;
    /** Answers 503 as long as the node refuses writes to the bucket, since it has no count of its objects. */
    count: string;
}

/**
 * Requests to a store's admin API about the healing of its drives, each as a method and a path: `GET /admin/drives`. They only
 * read.
 */
export interface HealingRequests {
    /**
     * Answers with JSON that lists the drives of the cluster as `disks`, in one list or in one for each erasure set. Each has
     * `endpoint`, `state` (`ok`), `healing`, and optionally `heal_info` with `started` and `items_failed`.
     */
    drives: string;
    /**
     * Answers with JSON that has `state` (`idle` if no node heals anything) and `coverage` with `unknown`, the number of nodes
     * that don't say. Default: none; the list of drives shows it.
     */
    tasks?: string;
    /**
     * Answers with JSON that has the records of replaced drives as `local` and `cluster`. `local` has `definitive`, which is
     * true if the node knows all of its own. A record has `state` (`completed` once the drive is healed) and `targetSlots`,
     * the endpoints of the drives. Default: none.
     */
    replacements?: string;
}

/**
 * Describes a store: everything in which one S3-compatible store with a console differs from another. The contract itself
 * is the profile `service`. You can pass your own profile for any store that fulfils the contract.
 */
export interface ServiceProfile extends EdgeRestrictions {
    /** Lower-case name. The console's cookie is named after it (service contract, section 4, rule 9). */
    name: string;
    /** Image with its exact version, used if none is configured. */
    image?: string;
    /** User and group that the store runs as, numeric `uid:gid`. They own its drives and its secrets. */
    user: string;
    /** Program and arguments, run by `/bin/sh` with `exec`. The image's own entry point is not used. */
    command: string[];
    /** Names of the store's variables. */
    variables: ServiceVariables;
    /** Additional variables with fixed values, which stack config may override. */
    environment: { [name: string]: string };
    /** Readiness path of the S3 listener (service contract, section 4): answers 200 if the node can serve. */
    s3HealthPath: string;
    /**
     * Path of the S3 listener that answers 200 as long as the node can read, even if its cluster can't write. While no
     * node is ready, GET and HEAD requests go to nodes that answer it.
     *
     * @default none; every request is refused while no node is ready
     */
    s3ReadHealthPath?: string;
    /** Health path of the console listener (service contract, section 4). */
    consoleHealthPath: string;
    /**
     * Path of the S3 listener that a working process answers at once, whatever the state of its peers. A process that
     * doesn't answer it for as long as the health check allows is killed and started again. With `denialSeconds`,
     * proxies ask for it four times a second.
     *
     * @default none; no process is killed
     */
    livenessPath?: string;
    /**
     * Path of the S3 listener that answers 200 if the node sees enough of its peers' drives for the cluster to do
     * without one node.
     *
     * @default none; readiness alone decides whether the next node may be stopped
     */
    maintenancePath?: string;
    /**
     * Time after its start that a node of a cluster needs until it serves like its peers, in seconds: it finds their
     * drives, and heals what it missed while it was stopped. It stays out of the proxies for that time.
     */
    settleSeconds: number;
    /**
     * Time after its start for which a node of a cluster, although it is ready, may deny what its peers have, and
     * acknowledge a delete that reaches none of them, in seconds. Proxies keep a node that has started out for that
     * time, which counts from the moment at which its port is open.
     *
     * @default none
     * @range 1..3600
     */
    denialSeconds?: number;
    /**
     * File that the store writes when a cluster is first formed, relative to each drive's folder. It shows that there is
     * data.
     */
    formatFile: string;
    /** Settings that must be identical on all nodes. */
    sameOnAllNodes: SameOnAllNodes;
    /**
     * Ranges of releases, as semantic versions: nodes of any two releases in one range work in one cluster, so an image
     * is rolled out from one to the other. Any other change of the image is refused, unless `allowedChanges` has
     * `outage` or `mixedReleases`.
     *
     * @default none; every image is rolled out, unless `sameOnAllNodes` forbids it
     */
    mixedReleases?: string[];
    /** Paths that the proxy closes. */
    restrictedPaths: RestrictedPaths;
    /**
     * Vulnerabilities of store versions that a configured image may still have.
     *
     * @default none
     */
    knownVulnerabilities?: KnownVulnerability[];
    /**
     * Variables of the store that would override what the component sets: other names of the same settings, files that
     * hold them, TLS, and paths that the proxy and the health check don't expect. A user can't set them. A `*` at the
     * end makes a name a prefix.
     *
     * @default those of the built-in profile with this name, if any
     */
    conflictingVariables?: string[];
    /**
     * Variables of the store that don't work in this deployment, each with the reason and what to do instead. A user
     * can't set them.
     *
     * @default none
     */
    refusedVariables?: { [name: string]: string };
    /** Value that enables the console, for a store with a variable for it. */
    consoleEnableValue?: string;
    /** Log level, used if none is configured. Undefined for a store without log levels. */
    logLevel?: string;
    /** Minimum length of the root access key, in characters. */
    minimumAccessKeyLength: number;
    /** Minimum length of the root secret key, in characters. */
    minimumSecretKeyLength: number;
    /** Minimum number of drives in one erasure set, if there is more than one drive. */
    minimumDrivesPerSet: number;
    /** Maximum number of drives in one erasure set. */
    maximumDrivesPerSet: number;
    /**
     * Whether all pools have the default parity of the first one.
     *
     * @default false; the size of a pool's own erasure sets decides
     */
    parityOfFirstPool?: boolean;
    /**
     * Variable by which a user sets the number of parity drives in each erasure set, as `EC:2`.
     *
     * @default none; the parity is the store's default
     */
    parityVariable?: string;
    /**
     * How a node is asked whether it has counted the objects of a bucket with a quota. An update that gives a bucket a
     * new quota, and `npm run migrate`, wait for that. A `Bucket` knows those of the built-in profiles only.
     *
     * @default none; the store takes writes at once
     */
    quotaPaths?: QuotaPaths;
    /**
     * How a node is asked whether the drives of its cluster are healed. A drive is only emptied or replaced once the
     * others of its erasure set are.
     *
     * @default none; no drive counts as healed
     */
    healing?: HealingRequests;
    /**
     * Path of the admin API for the durability mode of a bucket, whose name is added, for a store that has such modes.
     * A `Bucket` knows those of the built-in profiles only.
     *
     * @default none
     */
    durabilityPath?: string;
}

/** The name of an environment variable, or a prefix of names followed by `*`. */
const VARIABLES = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;

/** Every problem of a profile that a user passes. */
export function checkServiceProfile(profile: ServiceProfile): Problem[] {
    const { name, user, command, s3HealthPath, consoleHealthPath, denialSeconds } = profile;
    const { s3ReadHealthPath = "/", livenessPath = "/", conflictingVariables = [], mixedReleases = [] } = profile;
    const { durabilityPath = "/" } = profile;
    const { quota, count } = profile.quotaPaths ?? { quota: "/", count: "/" };
    const healing = Object.entries(profile.healing ?? {}) as [string, string][];
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
        ...Object.entries({
            s3HealthPath,
            s3ReadHealthPath,
            consoleHealthPath,
            livenessPath,
            "quotaPaths.quota": quota,
            "quotaPaths.count": count,
            durabilityPath,
        }).flatMap(([property, path]) =>
            unless(/^\/[^\s"'\\]*$/.test(path), property, `"${path}" is not the path of a URL, such as /health/ready`),
        ),
        ...healing.flatMap(([property, request]) =>
            unless(
                /^(GET|POST) \/[^\s"'\\]*$/.test(request),
                `healing.${property}`,
                `"${request}" is not a method and the path of a URL, such as "GET /admin/drives"`,
            ),
        ),
        ...unless(
            Array.isArray(conflictingVariables) && conflictingVariables.every((variable) => VARIABLES.test(variable)),
            "conflictingVariables",
            "is not a list of names of environment variables, each with a * at its end or none",
        ),
        ...mixedReleases.flatMap((range, index) =>
            unless(
                validRange(range) !== null,
                `mixedReleases[${index}]`,
                `"${range}" is not a range of semantic versions, such as ">=1.0.0 <1.1.0"`,
            ),
        ),
        ...checkEdgeRestrictions(profile),
        ...(denialSeconds === undefined ? [] : checkInteger("denialSeconds", denialSeconds, 1, 3600)),
        ...checkInteger("minimumDrivesPerSet", profile.minimumDrivesPerSet, 1, profile.maximumDrivesPerSet),
    ];
}
