import { changesOfAllNodes, checkClusterChange, unneededChanges } from "./clusterChanges";
import type { DesiredCluster } from "./desiredCluster";
import type { DeployedCluster } from "./deployedCluster";
import type { EngineSnapshot } from "./engineSnapshot";
import type { DockerEngine } from "../engine/dockerEngine";
import type { EngineInfo } from "../engine/engine";
import { hostId } from "../engine/hostIds";
import { LABELS } from "../naming/labels";
import { changeOwnerName, driveServerName, trialName, writerName } from "../naming/containerNames";
import { localHost, type LocalHost } from "../engine/localHost";
import type { Problem } from "../inputs/problem";
import type { DrivePlace } from "../store/topology";

/** Checks whether the deployed cluster, especially its data, can become the desired one. */
export async function checkCluster(snapshot: EngineSnapshot, desired: DesiredCluster): Promise<Problem[]> {
    const deployed = await snapshot.cluster(desired);
    const ofHosts = await Promise.all(
        [...snapshot.hosts].map(async ([name, host]) => {
            const engine = await host.engine();
            const here = { ...desired, nodes: desired.nodes.filter((node) => node.host === name) };
            return {
                unmounted: engine.local ? await checkMounts(await engine.info(), deployed, here, localHost) : undefined,
                existing: await checkExistingVolumes(engine, here),
            };
        }),
    );
    // Whether the folders of a host are mounted is unknown if that is another machine.
    const unmounted = ofHosts.some((host) => host.unmounted === undefined)
        ? undefined
        : ofHosts.flatMap((host) => host.unmounted ?? []);
    const problems = [
        ...checkClusterChange(deployed, desired),
        ...(desired.allowedChanges.includes("emptyDrives") ? [] : ofHosts.flatMap((host) => host.unmounted ?? [])),
        ...ofHosts.flatMap(({ existing }) => existing),
        ...checkAway(snapshot.away, deployed, desired),
    ];
    if (snapshot.away.length > 0) {
        await snapshot.warnOnce(
            desired.clusterName,
            "away",
            `unreachableHosts: ${snapshot.away.join(", ")} stay as they are, with their former configuration and certificate. ` +
                "Remove a host from the list once it is back",
        );
    }
    const together = changesOfAllNodes(deployed, desired);
    if (problems.length === 0 && together.length > 0) {
        await snapshot.warnOnce(
            desired.clusterName,
            "outage",
            `a change of ${together.join("; ")} replaces all ${desired.nodes.length} nodes of ${desired.clusterName} at once: ` +
                "from the moment when their running requests have ended until they are ready again, no request is answered",
        );
    }
    await warnOfUnneeded(snapshot, deployed, desired, unmounted);
    const unread = deployed.nodes.filter((node) => node.unread).map(({ name }) => name);
    if (unread.length > 0) {
        await snapshot.warnOnce(
            desired.clusterName,
            "unread",
            `${unread.join(", ")}: there is no container, and a preview creates none, so the data's root keys can't be read now. ` +
                "Root keys and lost volumes are checked when the update begins, before it changes anything",
        );
    }
    return problems;
}

/** Checks for a change of the node network while a host is away: it would replace all nodes. */
function checkAway(away: readonly string[], { subnet }: DeployedCluster, desired: DesiredCluster): Problem[] {
    if (away.length === 0 || subnet === undefined || subnet === desired.subnet) {
        return [];
    }
    const reason =
        `"${desired.subnet}" would replace the nodes' network (${subnet}) and all nodes, and no node is replaced while a host is away ` +
        `(unreachableHosts: ${away.join(", ")}): set it back`;
    return [{ propertyPath: "subnet", reason }];
}

/**
 * Warns of values of `allowedChanges` that aren't needed. If they stay, they permit a later change that wasn't intended.
 */
async function warnOfUnneeded(
    snapshot: EngineSnapshot,
    deployed: DeployedCluster,
    desired: DesiredCluster,
    unmounted?: Problem[],
): Promise<void> {
    const { accessKey, secretKey, internodeSecret } = desired.profile.variables;
    // Root secrets that are generated are known only in the update, where they are checked once more.
    const secrets = [accessKey, secretKey, ...(desired.nodes.length > 1 ? [internodeSecret] : [])];
    const isKnown =
        desired.alike !== undefined &&
        secrets.every((name) => name === undefined || desired.secrets[name] !== undefined) &&
        deployed.nodes.every(({ unread }) => !unread);
    // Whether folders on another host are empty isn't known.
    const words = unneededChanges(deployed, desired).filter(
        (word) => word !== "emptyDrives" || unmounted?.length === 0,
    );
    if (isKnown && words.length > 0) {
        await snapshot.warnOnce(
            desired.clusterName,
            "unneeded",
            `allowedChanges: this update doesn't need ${words.map((word) => `"${word}"`).join(", ")}. Remove it, so that it doesn't allow a later change by accident`,
        );
    }
}

/** Checks the volumes that the user provides: they must exist, and no other cluster or container may use them. */
async function checkExistingVolumes(engine: DockerEngine, desired: DesiredCluster): Promise<Problem[]> {
    const drives = desired.nodes.flatMap((node) =>
        node.drives.filter(({ existing }) => existing === true).map((drive) => ({ node: node.name, ...drive })),
    );
    const volumes = drives.length === 0 ? [] : await engine.volumes();
    const found = await Promise.all(
        drives.map(async ({ node, volumeName, labels }): Promise<Problem[]> => {
            const place = [LABELS.node, LABELS.drive].map((label) => `[${Number(labels[label]) - 1}]`).join("");
            const pool = desired.namesPools ? `pools[${Number(labels[LABELS.pool]) - 1}].` : "";
            const propertyPath = `${pool}volumeNames${place}`;
            const volume = volumes.find(({ name }) => name === volumeName);
            if (volume === undefined) {
                return [{ propertyPath, reason: `"${volumeName}" doesn't exist on the engine: create it first` }];
            }
            const owner = volume.labels[LABELS.cluster];
            if (owner !== undefined) {
                return [
                    { propertyPath, reason: `"${volumeName}" is a volume of the cluster ${owner}'s own: give another` },
                ];
            }
            const own = [
                node,
                ...[writerName, trialName, driveServerName, changeOwnerName].map((nameOf) => nameOf(node)),
            ];
            const users = (await engine.usersOf(volumeName)).filter((user) => !own.includes(user));
            return users.length === 0
                ? []
                : [{ propertyPath, reason: `"${volumeName}" is in use by ${users.join(", ")}: stop that first` }];
        }),
    );
    return found.flat();
}

/**
 * Checks for a drive's folder whose disk isn't mounted: the store would take it for a new drive, and would write to the
 * root disk.
 */
export async function checkMounts(
    engine: EngineInfo,
    deployed: DeployedCluster,
    desired: DesiredCluster,
    host: LocalHost,
): Promise<Problem[]> {
    const prepared = desired.nodes.filter(({ name }) =>
        deployed.nodes.some((node) => node.name === name && node.secrets !== undefined),
    );
    const drives = prepared.flatMap((place) => place.drives);
    const owner = await hostId("user", Number(desired.profile.user.split(":")[0]), engine, host);
    const unmounted = await Promise.all(drives.map((drive) => isUnmounted(drive, deployed, desired, owner, host)));
    return drives
        .filter((_, place) => unmounted[place])
        .map(({ hostPath, volumeName }) => ({
            propertyPath: "drivePaths",
            reason:
                `"${hostPath}" has none of the data of ${volumeName}: is the disk mounted there? Mount it, ` +
                'or, to have the store heal an empty one from the others, add "emptyDrives" to allowedChanges',
        }));
}

/**
 * Whether a folder lacks its disk. A folder that was never a drive has another owner. One with the store's owner lacks the
 * store's format file.
 *
 * @param owner The store's user, as the host numbers it. Undefined if that isn't known.
 */
async function isUnmounted(
    { hostPath }: DrivePlace,
    deployed: DeployedCluster,
    desired: DesiredCluster,
    owner: number | undefined,
    host: LocalHost,
): Promise<boolean> {
    const folder = hostPath === undefined ? undefined : await host.folder(hostPath);
    if (folder === undefined) {
        return false;
    }
    if (owner !== undefined && owner !== folder.owner) {
        return true;
    }
    // A pool that is only now being added may not have been formed yet.
    const formed = deployed.formed && desired.pools.length === 1;
    if (!formed) {
        return false;
    }
    return host.lacks(`${hostPath}/${desired.profile.formatFile}`);
}
