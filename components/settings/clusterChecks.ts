import { checkContainerLimits } from "../args/containerLimits";
import { limitFailures } from "../args/schema";
import * as pulumi from "@pulumi/pulumi";
import { checkTrustedCertificates } from "../checks/certificatePem";
import { ALLOWABLE_CHANGES } from "../requirements/clusterChanges";
import { checkDriveWord, DRIVE_WORDS, driveWordIn } from "../requirements/driveWords";
import { checkDrivePaths } from "./drivePaths";
import { checkBucketDomains } from "../store/bucketDomains";
import { checkEnvironments } from "../store/environmentChecks";
import { reservedVariables } from "../store/reservedVariables";
import { checkImage } from "../checks/imageChecks";
import {
    checkDockerName,
    checkInteger,
    checkOneOf,
    checkSecret,
    checkSubnet,
    checkVolumeName,
} from "../checks/inputChecks";
import { checkLabels } from "../checks/textChecks";
import { networkForName, networkSize } from "../naming/ipv4Network";
import { under, type Problem } from "../checks/problem";
import { checkServiceProfile } from "../store/serviceProfile";
import { profileNames } from "../store/profiles/all";
import { checkPoolParity } from "./poolParity";
import type { StorageClusterArgs } from "../args/storageClusterArgs";
import { formsErasureSets, nodeCapacity, type Pool } from "../store/topology";
import { MAXIMUM_COUNT, pathsOf, placementOf, poolPath, poolsOf, profileOf } from "./pools";

/** Every problem of a cluster's args that can be found without querying the engine, but for those of several hosts. */
export function checkStorageCluster(name: string, args: StorageClusterArgs): Problem[] {
    return [
        ...checkProfile(args),
        ...checkDockerName("clusterName", args.clusterName ?? name),
        ...checkShape(args),
        ...checkGivenSubnet(args),
        ...checkGivenSecrets(args),
        ...checkStoreSettings(args),
        ...checkLimits(args),
        ...checkLabels("labels", args.labels ?? {}),
    ];
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
    return [
        ...problems,
        ...(typeof args.image === "string" ? checkImage("image", args.image) : []),
        ...(args.clientImage === undefined ? [] : checkImage("clientImage", args.clientImage)),
    ];
}

/** Checks nodes and drives: their numbers, whether the store can form erasure sets with them, and where the drives are. */
export function checkShape(args: StorageClusterArgs): Problem[] {
    const shortForm = ["nodeCount", "drivesPerNode", "drivePaths", "volumeNames"] as const;
    const both = shortForm.filter((property) => args.pools !== undefined && args[property] !== undefined);
    if (both.length > 0) {
        const reason = "and pools exclude each other: it is the short form for one pool, so give it there";
        return both.map((propertyPath) => ({ propertyPath, reason }));
    }
    const pools = poolsOf(args);
    if (pools.length === 0) {
        return [{ propertyPath: "pools", reason: "is empty: give at least one pool" }];
    }
    const problems = pools.flatMap((pool, index) => checkPool(args, pool, poolPath(args, index), pools.length > 1));
    return problems.length > 0
        ? problems
        : [
              ...checkPoolParity(args),
              ...checkDevices(args, pools),
              ...checkDrivePaths(pathsOf(args)),
              ...checkVolumesDiffer(args),
          ];
}

function checkPool(args: StorageClusterArgs, pool: Pool, path: string, several: boolean): Problem[] {
    const { nodeCount, drivesPerNode = 1, drivePaths, volumeNames } = pool;
    const counts = [
        ...checkInteger(`${path}nodeCount`, nodeCount, several ? 2 : 1, MAXIMUM_COUNT),
        ...checkInteger(`${path}drivesPerNode`, drivesPerNode, 1, MAXIMUM_COUNT),
    ];
    if (counts.length > 0) {
        return counts;
    }
    const { name, minimumDrivesPerSet: minimum, maximumDrivesPerSet: maximum } = profileOf(args);
    const problems: Problem[] = [];
    if (!formsErasureSets(nodeCount, drivesPerNode, minimum, maximum)) {
        const reason =
            `${nodeCount} node(s) with ${drivesPerNode} drive(s) each are ${nodeCount * drivesPerNode} drives, of which ${name} can't form ` +
            `erasure sets of ${minimum} to ${maximum} drives, equal in size and even over the nodes: ` +
            "change nodeCount or drivesPerNode";
        problems.push({ propertyPath: `${path}drivesPerNode`, reason });
    }
    if (drivePaths !== undefined && volumeNames !== undefined) {
        const reason = "and drivePaths exclude each other: drivePaths is for volumes that this program creates";
        problems.push({ propertyPath: `${path}volumeNames`, reason });
    }
    problems.push(
        ...checkLists(`${path}drivePaths`, "path", pool, drivePaths),
        ...checkLists(`${path}volumeNames`, "name", pool, volumeNames),
        ...(volumeNames ?? []).flatMap((names, node) =>
            names.flatMap((name, drive) => checkVolumeName(`${path}volumeNames[${node}][${drive}]`, name)),
        ),
    );
    return problems;
}

/** Checks that there is one list for each node, with as many entries as the node has drives. */
function checkLists(
    propertyPath: string,
    entry: string,
    { nodeCount, drivesPerNode = 1 }: Pool,
    lists: string[][] | undefined,
): Problem[] {
    if (lists === undefined || (lists.length === nodeCount && lists.every((list) => list.length === drivesPerNode))) {
        return [];
    }
    const found = lists.map((list) => list.length).join(", ");
    const reason = `lists of ${found || "no"} ${entry}(s): give ${nodeCount} list(s), one for each node, of ${drivesPerNode} ${entry}(s) each`;
    return [{ propertyPath, reason }];
}

/**
 * Checks the devices of drives: on each host, all drives without their own folder are on the device of Docker's data folder.
 */
function checkDevices(args: StorageClusterArgs, pools: Pool[]): Problem[] {
    const placement = placementOf(args, pools);
    const onHosts = new Map<string | undefined, number>();
    for (const [index, { nodeCount, drivesPerNode = 1, drivePaths, volumeNames }] of pools.entries()) {
        for (let node = 0; node < nodeCount && drivePaths === undefined && volumeNames === undefined; node++) {
            const host = placement?.[index]?.[node];
            onHosts.set(host, (onHosts.get(host) ?? 0) + drivesPerNode);
        }
    }
    const drives = Math.max(0, ...onHosts.values());
    if (drives < 2 || args.allowDrivesOnOneDevice === true) {
        return [];
    }
    const reason =
        `${drives} drives${placement === undefined ? "" : " of one host"} would be on one device, Docker's own data folder, so its failure loses all of them: ` +
        "set drivePaths to a device of its own for each, or, for development, set allowDrivesOnOneDevice to true";
    return [{ propertyPath: "allowDrivesOnOneDevice", reason }];
}

function checkVolumesDiffer(args: StorageClusterArgs): Problem[] {
    const names = poolsOf(args).flatMap(({ volumeNames = [] }, pool) =>
        volumeNames.flatMap((ofNode, node) =>
            ofNode.map((name, drive) => ({
                name,
                propertyPath: `${poolPath(args, pool)}volumeNames[${node}][${drive}]`,
            })),
        ),
    );
    return names.flatMap(({ name, propertyPath }, index) => {
        const first = names.findIndex((other) => other.name === name);
        const reason = `"${name}" is ${names[first]?.propertyPath} already: set a volume of its own for each drive`;
        return first === index ? [] : [{ propertyPath, reason }];
    });
}

export function checkGivenSubnet(args: StorageClusterArgs): Problem[] {
    const { subnet } = args;
    const nodeCount = poolsOf(args).reduce((sum, pool) => sum + pool.nodeCount, 0);
    if (subnet !== undefined) {
        const problems = checkSubnet("subnet", subnet, 16, 26);
        if (problems.length > 0) {
            return problems;
        }
    }
    if (!Number.isInteger(nodeCount)) {
        return [];
    }
    const capacity = nodeCapacity(networkSize(subnet ?? networkForName("any")));
    if (nodeCount <= capacity) {
        return [];
    }
    const given = subnet === undefined ? "the default network" : `"${subnet}"`;
    return [{ propertyPath: "subnet", reason: `${given} has room for ${capacity} nodes: give a larger network` }];
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
    const problems = [
        ...(typeof trusted === "string" ? checkTrustedCertificates("additionalTrustedCertificates", trusted) : []),
        // The component sets `SSL_CERT_FILE` to the bundle of these certificates.
        ...checkEnvironments(
            args,
            [
                ...reservedVariables(profile, (args.bucketDomains ?? []).length > 0),
                ...(trusted === undefined ? [] : ["SSL_CERT_FILE"]),
            ],
            profile.refusedVariables,
        ),
    ];
    problems.push(...checkBucketDomains(args.bucketDomains ?? [], profile));
    if (args.logLevel !== undefined && variables.logLevel === undefined) {
        const reason = `"${args.logLevel}" is not allowed: ${profile.name} has no log levels, so leave it out`;
        problems.push({ propertyPath: "logLevel", reason });
    } else {
        problems.push(...limitFailures("StorageClusterArgs", { logLevel: args.logLevel }));
    }
    return problems;
}

/** Args whose limits are checked together with others. */
const CHECKED_WITH_OTHERS = ["profile", "nodeCount", "drivesPerNode", "logLevel", "memory", "openFiles"];

function checkLimits(args: StorageClusterArgs): Problem[] {
    return [
        ...checkContainerLimits(args),
        ...limitFailures("StorageClusterArgs", args, CHECKED_WITH_OTHERS),
        ...(args.allowedChanges ?? []).flatMap((change, index) =>
            checkAllowedChange(`allowedChanges[${index}]`, change, args),
        ),
    ];
}

function checkAllowedChange(propertyPath: string, change: string, args: StorageClusterArgs): Problem[] {
    const nodeCount = poolsOf(args).reduce((sum, pool) => sum + pool.nodeCount, 0);
    const hosts = (args.hosts ?? []).map(({ name }) => name);
    return driveWordIn(change) === undefined
        ? checkOneOf(propertyPath, change, [...ALLOWABLE_CHANGES, ...DRIVE_WORDS.map((word) => `${word}:NAME`)])
        : checkDriveWord(propertyPath, change, nodeCount, hosts);
}

/** Minimum length of the secret between nodes, in characters. */
export const INTERNODE_SECRET_LENGTH = 16;
