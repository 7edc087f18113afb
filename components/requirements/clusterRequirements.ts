import { checkClusterChange, unneededChanges } from "./clusterChanges";
import { changesOfAllNodes } from "./neededOutage";
import type { DesiredCluster } from "./desiredCluster";
import { rulingOn, type DriveRuling } from "./driveRuling";
import type { DeployedCluster } from "./deployedCluster";
import type { EngineCache } from "./engineCache";
import type { DockerEngine } from "../docker/engine";
import { LABELS } from "../naming/labels";
import { changeOwnerName, driveServerName, trialName, writerName } from "../naming/containerNames";
import { located, type At, type Problem } from "../checks/problem";
import type { Requirement } from "./requirement";

/** The deployed cluster, especially its data, can become the desired one. */
export function clusterCanBecome(desired: DesiredCluster, at: At): Requirement {
    return async (engines) => located(at, await checkCluster(engines, desired));
}

/** Checks whether the deployed cluster, especially its data, can become the desired one. */
export async function checkCluster(snapshot: EngineCache, desired: DesiredCluster): Promise<Problem[]> {
    const deployed = await snapshot.cluster(desired);
    const ofHosts = await Promise.all(
        [...snapshot.hosts].map(async ([name, host]) => {
            const engine = await host.engine();
            const here = { ...desired, nodes: desired.nodes.filter((node) => node.host === name) };
            return checkExistingVolumes(engine, here);
        }),
    );
    const drives = await snapshot.once(desired.clusterName, "drives", () => rulingOn(snapshot, deployed, desired));
    const problems = [
        ...checkClusterChange(deployed, desired),
        ...drives.problems,
        ...ofHosts.flat(),
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
    await warnOfDrives(snapshot, desired, drives);
    await warnOfUnneeded(snapshot, deployed, desired, drives);
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

/** Says which drives will be empty, and which could not be looked at. */
async function warnOfDrives(
    snapshot: EngineCache,
    { clusterName }: DesiredCluster,
    { problems, emptied, isComplete }: DriveRuling,
): Promise<void> {
    if (!isComplete) {
        await snapshot.warnOnce(
            clusterName,
            "unseen",
            "a preview creates no container, so it can't look at all drives: whether each has its data is checked when the update begins, before " +
                "it changes anything",
        );
    }
    if (problems.length === 0 && emptied.length > 0) {
        await snapshot.warnOnce(
            clusterName,
            "emptied",
            `${emptied.map(({ name }) => name).join(", ")} will be empty. The store heals what was on it from the others of its erasure set, which takes ` +
                "until after the update: npm run status shows when that has ended. Until then, don't replace another drive or host",
        );
    }
}

/**
 * Warns of values of `allowedChanges` that aren't needed. If they stay, they permit a later change that wasn't intended.
 */
async function warnOfUnneeded(
    snapshot: EngineCache,
    deployed: DeployedCluster,
    desired: DesiredCluster,
    drives: DriveRuling,
): Promise<void> {
    const { accessKey, secretKey, internodeSecret } = desired.profile.variables;
    // Root secrets that are generated are known only in the update, where they are checked once more.
    const secrets = [accessKey, secretKey, ...(desired.nodes.length > 1 ? [internodeSecret] : [])];
    const isKnown =
        desired.alike !== undefined &&
        secrets.every((name) => name === undefined || desired.secrets[name] !== undefined) &&
        deployed.nodes.every(({ unread }) => !unread);
    const words = unneededChanges(deployed, desired, drives.isComplete ? drives.needed : undefined);
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
                return [
                    { propertyPath, reason: `"${volumeName}" doesn't exist on the Docker daemon: create it first` },
                ];
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
