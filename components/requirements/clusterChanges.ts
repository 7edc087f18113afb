import type { DesiredCluster } from "./desiredCluster";
import type { DeployedCluster, DeployedDrive, DeployedNode } from "./deployedCluster";
import { checkName, checkRemovedStores, checkStack } from "./clusterIdentity";
import { checkStore, rootKeyIn } from "./storeOnDrives";
import { driveWordIn } from "./driveWords";
import { checkOutage, checkReleases } from "./neededOutage";
import { LABELS } from "../naming/labels";
import type { Problem } from "../checks/problem";
import type { Pool } from "../store/topology";

/**
 * Changes that are refused unless `allowedChanges` names them explicitly:
 *
 * - `outage`: all nodes are replaced at once, and no request is answered meanwhile.
 * - `mixedReleases`: an image is rolled out node by node although it isn't known whether the two releases work in one
 *   cluster (docs/how-to/upgrade.md).
 * - `rootKeyChange`: data gets other root keys.
 * - `networkChange`: the node network, and every node with it, is replaced, with an outage.
 * - `poolChange`: pools that hold data are removed, or get other nodes or drives.
 * - `drivePathChange`: drives move to other folders of the host or to other volumes; the contents of the former ones are no
 *   longer visible.
 * - `rename`: the cluster gets a new name and therefore new, empty volumes.
 * - `otherStack`: data that another stack has created is taken over.
 * - `storeRemoval`: an additional store is removed, with its data.
 *
 * Two more have a name after a colon, that of a node (`emptyDrives:node2`) or of a host, and allow something for its drives only
 * (`DRIVE_WORDS`):
 *
 * - `emptyDrives:NAME`: a drive begins empty, and the store must heal it from the others of its erasure set.
 * - `unhealedDrives:NAME`: meanwhile the drives of that node or host need not be healed.
 */
export const ALLOWABLE_CHANGES = [
    "outage",
    "mixedReleases",
    "rootKeyChange",
    "networkChange",
    "poolChange",
    "drivePathChange",
    "rename",
    "otherStack",
    "storeRemoval",
] as const;

/** One of {@link ALLOWABLE_CHANGES}. */
export type AllowableChange = (typeof ALLOWABLE_CHANGES)[number];

/** Every reason why an existing cluster must not become the desired one. */
export function checkClusterChange(deployed: DeployedCluster, desired: DesiredCluster): Problem[] {
    const always = [...checkNetworkKind(deployed, desired), ...checkStore(deployed, desired)];
    const ofWords = dangersOf(deployed, desired).flatMap(([change, found]) =>
        desired.allowedChanges.includes(change)
            ? []
            : found.map(({ propertyPath, reason }) => ({
                  propertyPath,
                  reason: `${reason}, or, if that is what you want, add "${change}" to allowedChanges`,
              })),
    );
    return [...always, ...ofWords];
}

/**
 * Allowed changes that the desired cluster doesn't need.
 *
 * @param forDrives Those of `DRIVE_WORDS` that it needs. Undefined if that isn't known.
 */
export function unneededChanges(
    deployed: DeployedCluster,
    desired: DesiredCluster,
    forDrives?: readonly string[],
): string[] {
    const needed: string[] = dangersOf(deployed, desired).flatMap(([change, found]) =>
        found.length === 0 ? [] : [change],
    );
    // Only the check of the whole deployment knows its stores.
    const ofStores = desired.additionalClusters === undefined ? ["storeRemoval"] : [];
    return desired.allowedChanges.filter((change) =>
        driveWordIn(change) === undefined
            ? ![...needed, ...ofStores].includes(change)
            : forDrives?.includes(change) === false,
    );
}

/** The problems of the desired cluster, grouped by the change that would have to be allowed. */
function dangersOf(deployed: DeployedCluster, desired: DesiredCluster): [AllowableChange, Problem[]][] {
    return [
        ["rename", checkName(deployed, desired)],
        ["otherStack", checkStack(deployed, desired)],
        ["storeRemoval", checkRemovedStores(deployed, desired)],
        ["poolChange", checkPools(deployed, desired)],
        ["drivePathChange", checkDrivePlaces(deployed, desired)],
        ["networkChange", checkNetwork(deployed, desired)],
        ["rootKeyChange", checkRootKeys(deployed, desired)],
        ["mixedReleases", checkReleases(deployed, desired)],
        ["outage", checkOutage(deployed, desired)],
    ];
}

const NEW_CLUSTER = "give the cluster a new name beside the old one";

/** Checks pools: they may be added at the end of the list; existing ones can't be changed. */
function checkPools({ drives }: DeployedCluster, desired: DesiredCluster): Problem[] {
    const places = [...new Set(drives.map(({ labels }) => Number(labels[LABELS.pool])))].sort((one, two) => one - two);
    return places.flatMap((index) => {
        const drive = drives.find(({ labels }) => Number(labels[LABELS.pool]) === index);
        const pool = desired.pools[index - 1];
        if (drive === undefined) {
            return [];
        }
        if (pool === undefined) {
            const reason =
                `has no pool ${index}, and the cluster ${desired.clusterName} has data in it (volume ${drive.volume}): ` +
                "pools can't be removed. Set it back";
            return [{ propertyPath: "pools", reason }];
        }
        return checkPool(drive, desired, index, pool);
    });
}

function checkPool({ volume, labels }: DeployedDrive, desired: DesiredCluster, index: number, pool: Pool): Problem[] {
    const fixed: [keyof Pool, string, number][] = [
        ["nodeCount", LABELS.nodesInPool, pool.nodeCount],
        ["drivesPerNode", LABELS.drivesPerNode, pool.drivesPerNode ?? 1],
    ];
    return fixed
        .filter(([, label, wanted]) => Number(labels[label]) !== wanted)
        .map(([property, label, wanted]) => ({
            propertyPath: desired.namesPools ? `pools[${index - 1}].${property}` : property,
            reason:
                `${wanted} doesn't match the data of the cluster ${desired.clusterName}: its volume ${volume} was made with ` +
                `${property} ${labels[label]}. The store's data is laid out for it. Set it back and grow by another pool ` +
                `at the end of pools, or ${NEW_CLUSTER} and copy the objects`,
        }));
}

/** Checks drives: a drive keeps its volume, and a volume stays at the place where it was created. */
function checkDrivePlaces({ drives }: DeployedCluster, desired: DesiredCluster): Problem[] {
    const placeOf = (labels: { [label: string]: string }) =>
        [LABELS.pool, LABELS.node, LABELS.drive].map((label) => Number(labels[label]) - 1);
    const wanted = new Map(
        desired.nodes.flatMap((node) => node.drives.map((drive) => [placeOf(drive.labels).join("/"), drive])),
    );
    const hostOf = new Map(
        desired.nodes.flatMap((node) =>
            node.drives.map((drive) => [drive.volumeName, { node: node.name, host: node.host }]),
        ),
    );
    return drives.flatMap(({ volume, labels, hostPath, host }) => {
        const [pool, node, place] = placeOf(labels);
        const drive = wanted.get([pool, node, place].join("/"));
        if (drive === undefined) {
            return [];
        }
        const placed = hostOf.get(volume);
        if (placed !== undefined && placed.host !== host) {
            const reason =
                `puts ${placed.node} on ${placed.host}, and its data is on ${host} (volume ${volume}): data doesn't move with ` +
                "a node. Set the order of hosts back";
            return [{ propertyPath: "hosts", reason }];
        }
        const path = (property: string) =>
            `${desired.namesPools ? `pools[${pool}].` : ""}${property}[${node}][${place}]`;
        if (drive.volumeName !== volume) {
            const reason =
                `"${drive.volumeName}" is not where the data of ${desired.clusterName} is: that drive is the volume ${volume}. ` +
                "Set it back";
            return [{ propertyPath: path("volumeNames"), reason }];
        }
        if (drive.existing === true || sameFolder(drive.hostPath, hostPath)) {
            return [];
        }
        const reason =
            `${describeFolder(drive.hostPath)} is not where the data of ${desired.clusterName} is: its volume ${volume} stands on ` +
            `${describeFolder(hostPath)}. Set it back, and mount the drive there`;
        return [{ propertyPath: path("drivePaths"), reason }];
    });
}

function sameFolder(one: string | undefined, other: string | undefined): boolean {
    return one?.replace(/\/+$/, "") === other?.replace(/\/+$/, "");
}

function describeFolder(path: string | undefined): string {
    return path === undefined ? "Docker's own data folder" : `"${path}"`;
}

/** Checks the kind of the node network, which can't be changed. */
function checkNetworkKind({ networkKind: kind, drives, nodes }: DeployedCluster, desired: DesiredCluster): Problem[] {
    if (drives.length === 0 || kind === undefined || kind === desired.networkKind) {
        return [];
    }
    if (kind === "bridge") {
        const reason =
            `are new, and ${desired.clusterName} has its data on one host: its nodes can't be spread later. Remove hosts, or ` +
            `${NEW_CLUSTER} and copy the objects`;
        return [{ propertyPath: "hosts", reason }];
    }
    if (desired.networkKind === "bridge") {
        const reason = `are missing, and ${desired.clusterName} has its data on several hosts: set them back`;
        return [{ propertyPath: "hosts", reason }];
    }
    const advice = nodes.some(({ container }) => container !== undefined)
        ? "Set it back"
        : `Set it back; or, as there is no node yet, remove the network (docker network rm ${desired.networkName}, on any host), ` +
          "then run pulumi refresh, and this update again";
    const reason =
        `${desired.networkKind === "unencrypted overlay"} doesn't match the nodes' network, which is an ${kind} network and can't be ` +
        `changed. ${advice}`;
    return [{ propertyPath: "unencryptedOverlay", reason }];
}

function checkNetwork({ subnet, nodes }: DeployedCluster, desired: DesiredCluster): Problem[] {
    if (subnet === undefined || subnet === desired.subnet || nodes.every(({ container }) => container === undefined)) {
        return [];
    }
    const reason =
        `"${desired.subnet}" differs from the nodes' network (${subnet}); the change would replace the network and all nodes at once: ` +
        "set it back";
    return [{ propertyPath: "subnet", reason }];
}

function checkRootKeys(
    { nodes, drives }: DeployedCluster,
    { profile, secrets, clusterName }: DesiredCluster,
): Problem[] {
    if (drives.length === 0) {
        return [];
    }
    return (["accessKey", "secretKey"] as const).flatMap((propertyPath) => {
        const wanted = secrets[profile.variables[propertyPath]];
        // If a change was interrupted, some nodes have the former value and some the new one: either may become the value
        // of all.
        const keyIn = (variables: DeployedNode["secrets"]) => rootKeyIn(variables, propertyPath, profile);
        const known = nodes.filter((node) => keyIn(node.secrets) !== undefined);
        const [other] = known;
        const have = known.flatMap((node) => [keyIn(node.secrets), keyIn(node.runningSecrets)]);
        if (wanted === undefined || other === undefined || have.includes(wanted)) {
            return [];
        }
        const reason = `is not the one that the data of ${clusterName} was made with (node ${other.name}): give the former one`;
        return [{ propertyPath, reason }];
    });
}
