import type * as pulumi from "@pulumi/pulumi";
import { checkTrustedCertificates } from "./certificate";
import { INTERNODE_SECRET_LENGTH } from "./credentials";
import type { EngineDemands } from "./enginePreflight";
import {
    checkContainerLimits,
    checkDockerName,
    checkEnvironmentNames,
    checkImage,
    checkInteger,
    checkOneOf,
    checkSecret,
    checkSubnet,
} from "./inputChecks";
import { networkForName, networkSize } from "./ipv4Network";
import { refuse, under, type Problem } from "./problem";
import { checkServiceProfile, findProfile, profileNames, serviceProfile, type ServiceProfile } from "./serviceProfile";
import type { StorageClusterArgs } from "./storageCluster";
import { formsErasureSets, layOut, nodeCapacity, type Topology } from "./topology";

/** The args of a cluster with every default filled in, and what follows from them. */
export interface StorageClusterSettings {
    clusterName: string;
    profile: ServiceProfile;
    image: pulumi.Input<string>;
    topology: Topology;
    allowDrivesOnOneDevice: boolean;
    subnet: string;
    accessKey?: pulumi.Input<string>;
    secretKey?: pulumi.Input<string>;
    internodeSecret?: pulumi.Input<string>;
    logLevel?: string;
    environment: { [name: string]: pulumi.Input<string> };
    secretEnvironment: { [name: string]: pulumi.Input<string> };
    additionalTrustedCertificates?: pulumi.Input<string>;
    consoleUrl?: pulumi.Input<string>;
    egress: boolean;
    memory?: number;
    cpus?: number;
    openFiles?: number;
    retainData: boolean;
    readyTimeout: number;
    dockerHost?: string;
    demands: EngineDemands;
}

/** Most nodes, and most drives of a node: what RustFS and MinIO were seen to be run with. */
const MAXIMUM_COUNT = 64;

/** Every problem of a cluster's args that is seen without asking anyone. */
export function checkStorageCluster(name: string, args: StorageClusterArgs): Problem[] {
    return [
        ...checkProfile(args),
        ...checkDockerName("clusterName", args.clusterName ?? name),
        ...checkShape(args),
        ...checkGivenSubnet(args),
        ...checkGivenSecrets(args),
        ...checkStoreSettings(args),
        ...checkLimits(args),
    ];
}

/**
 * Fills in the defaults.
 *
 * @throws {pulumi.InputPropertiesError} with every problem of {@link checkStorageCluster}.
 */
export function resolveStorageCluster(name: string, args: StorageClusterArgs): StorageClusterSettings {
    refuse("StorageCluster", checkStorageCluster(name, args));
    const profile = profileOf(args);
    const clusterName = args.clusterName ?? name;
    const subnet = args.subnet ?? networkForName(clusterName);
    const { nodeCount = 1, drivesPerNode = 1, drivePaths } = args;
    return {
        clusterName,
        profile,
        image: args.image ?? profile.image ?? "",
        topology: layOut({ clusterName, profileName: profile.name, nodeCount, drivesPerNode, drivePaths, subnet }),
        allowDrivesOnOneDevice: args.allowDrivesOnOneDevice ?? false,
        subnet,
        accessKey: args.accessKey,
        secretKey: args.secretKey,
        internodeSecret: args.internodeSecret,
        logLevel: args.logLevel ?? profile.logLevel,
        environment: args.environment ?? {},
        secretEnvironment: args.secretEnvironment ?? {},
        additionalTrustedCertificates: args.additionalTrustedCertificates,
        consoleUrl: args.consoleUrl,
        egress: args.egress ?? false,
        memory: args.memory,
        cpus: args.cpus,
        openFiles: args.openFiles,
        retainData: args.retainData ?? true,
        readyTimeout: args.readyTimeout ?? 300,
        dockerHost: args.dockerHost,
        demands: clusterDemands(name, args),
    };
}

/** What a cluster will ask of the host, as far as its args are sound. */
export function clusterDemands(name: string, args: StorageClusterArgs): EngineDemands {
    const clusterName = args.clusterName ?? name;
    const subnet = args.subnet ?? networkForName(clusterName);
    return {
        dockerHost: args.dockerHost,
        networks:
            checkGivenSubnet(args).length > 0 ? [] : [{ name: `${clusterName}-nodes`, propertyPath: "subnet", subnet }],
        shape:
            checkShape(args).length > 0
                ? undefined
                : {
                      clusterName,
                      profileName: profileOf(args).name,
                      nodeCount: args.nodeCount ?? 1,
                      drivesPerNode: args.drivesPerNode ?? 1,
                  },
        drivePaths: (args.drivePaths ?? []).flatMap((paths, node) =>
            paths.map((path, drive) => ({ propertyPath: `drivePaths[${node}][${drive}]`, path })),
        ),
        allowDrivesOnOneDevice: args.allowDrivesOnOneDevice,
    };
}

function profileOf(args: StorageClusterArgs): ServiceProfile {
    return args.customProfile ?? findProfile(args.profile ?? "rustfs") ?? serviceProfile;
}

function checkProfile(args: StorageClusterArgs): Problem[] {
    if (args.customProfile !== undefined && args.profile !== undefined) {
        const reason = `"${args.profile}" and customProfile exclude each other: give one of the two`;
        return [{ propertyPath: "profile", reason }];
    }
    const problems = [
        ...(args.profile === undefined ? [] : checkOneOf("profile", args.profile, profileNames)),
        ...(args.customProfile === undefined ? [] : under("customProfile", checkServiceProfile(args.customProfile))),
    ];
    if (problems.length === 0 && args.image === undefined && profileOf(args).image === undefined) {
        const reason = `is missing: the profile "${profileOf(args).name}" has no image of its own`;
        return [{ propertyPath: "image", reason }];
    }
    return typeof args.image === "string" ? [...problems, ...checkImage("image", args.image)] : problems;
}

/** Nodes and drives: their numbers, whether the store can code over them, and where they stand. */
function checkShape(args: StorageClusterArgs): Problem[] {
    const { nodeCount = 1, drivesPerNode = 1, drivePaths } = args;
    const counts = [
        ...checkInteger("nodeCount", nodeCount, 1, MAXIMUM_COUNT),
        ...checkInteger("drivesPerNode", drivesPerNode, 1, MAXIMUM_COUNT),
    ];
    if (counts.length > 0) {
        return counts;
    }
    const { name, minimumDrivesPerSet: minimum, maximumDrivesPerSet: maximum } = profileOf(args);
    const problems: Problem[] = [];
    const drives = nodeCount * drivesPerNode;
    if (!formsErasureSets(nodeCount, drivesPerNode, minimum, maximum)) {
        const reason =
            `${nodeCount} node(s) with ${drivesPerNode} drive(s) each are ${drives} drives, of which ${name} can't form ` +
            `erasure sets of ${minimum} to ${maximum} drives, equal in size and even over the nodes: ` +
            "change nodeCount or drivesPerNode";
        problems.push({ propertyPath: "drivesPerNode", reason });
    }
    if (drives > 1 && drivePaths === undefined && args.allowDrivesOnOneDevice !== true) {
        const reason =
            `${drives} drives would stand on one device, Docker's own data folder, so that its end takes them all: ` +
            "give each a device of its own by drivePaths, or, for development, set allowDrivesOnOneDevice to true";
        problems.push({ propertyPath: "allowDrivesOnOneDevice", reason });
    }
    return [...problems, ...checkPaths(drivePaths, nodeCount, drivesPerNode)];
}

function checkPaths(drivePaths: string[][] | undefined, nodeCount: number, drivesPerNode: number): Problem[] {
    if (drivePaths === undefined) {
        return [];
    }
    if (drivePaths.length !== nodeCount || drivePaths.some((paths) => paths.length !== drivesPerNode)) {
        const found = drivePaths.map((paths) => paths.length).join(", ");
        const reason = `lists of ${found || "no"} path(s): give ${nodeCount} list(s), one for each node, of ${drivesPerNode} path(s) each`;
        return [{ propertyPath: "drivePaths", reason }];
    }
    const seen = new Map<string, string>();
    return drivePaths.flatMap((paths, node) =>
        paths.flatMap((path, drive): Problem[] => {
            const propertyPath = `drivePaths[${node}][${drive}]`;
            if (!path.startsWith("/")) {
                return [{ propertyPath, reason: `"${path}" is not an absolute path` }];
            }
            const key = path.replace(/\/+$/, "");
            const first = seen.get(key);
            seen.set(key, first ?? propertyPath);
            return first === undefined
                ? []
                : [{ propertyPath, reason: `"${path}" is ${first} already: give each drive a folder of its own` }];
        }),
    );
}

function checkGivenSubnet({ subnet, nodeCount = 1 }: StorageClusterArgs): Problem[] {
    if (subnet === undefined) {
        return [];
    }
    const problems = checkSubnet("subnet", subnet, 16, 26);
    if (problems.length > 0 || nodeCount <= nodeCapacity(networkSize(subnet))) {
        return problems;
    }
    const reason = `"${subnet}" has room for ${nodeCapacity(networkSize(subnet))} nodes: give a larger network`;
    return [{ propertyPath: "subnet", reason }];
}

function checkGivenSecrets(args: StorageClusterArgs): Problem[] {
    const profile = profileOf(args);
    const plain = (property: string, value: pulumi.Input<string> | undefined, minimumLength: number) =>
        typeof value === "string" ? checkSecret(property, value, minimumLength) : [];
    return [
        ...plain("accessKey", args.accessKey, profile.minimumAccessKeyLength),
        ...plain("secretKey", args.secretKey, profile.minimumSecretKeyLength),
        ...plain("internodeSecret", args.internodeSecret, INTERNODE_SECRET_LENGTH),
        ...(args.internodeSecret !== undefined && profile.variables.internodeSecret === undefined
            ? [{ propertyPath: "internodeSecret", reason: `${profile.name} has no such secret: leave it out` }]
            : []),
    ];
}

function checkStoreSettings(args: StorageClusterArgs): Problem[] {
    const profile = profileOf(args);
    const { additionalTrustedCertificates: trusted } = args;
    const { variables } = profile;
    const reserved = Object.values<string>({ ...variables });
    const problems = [
        ...(typeof trusted === "string" ? checkTrustedCertificates("additionalTrustedCertificates", trusted) : []),
        ...checkEnvironmentNames("environment", Object.keys(args.environment ?? {}), reserved),
        ...checkEnvironmentNames("secretEnvironment", Object.keys(args.secretEnvironment ?? {}), reserved),
    ];
    if (args.logLevel !== undefined && variables.logLevel === undefined) {
        const reason = `"${args.logLevel}" is not allowed: ${profile.name} has no log levels, so leave it out`;
        problems.push({ propertyPath: "logLevel", reason });
    } else if (args.logLevel !== undefined) {
        problems.push(...checkOneOf("logLevel", args.logLevel, LOG_LEVELS));
    }
    return problems;
}

/** Log levels of the stores that have any. */
const LOG_LEVELS = ["error", "warn", "info", "debug", "trace"];

function checkLimits(args: StorageClusterArgs): Problem[] {
    return [
        ...checkContainerLimits(args),
        ...(args.readyTimeout === undefined ? [] : checkInteger("readyTimeout", args.readyTimeout, 10, 3600)),
    ];
}
