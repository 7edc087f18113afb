import type { DesiredCluster } from "./desiredCluster";
import type { DeployedCluster } from "./deployedCluster";
import { LABELS } from "../naming/labels";
import type { Problem } from "../checks/problem";

/** Whether the stack's state must be queried for its volumes: volumes with another stack's label may be its own. */
export function needsState(
    { drives, otherDrives }: Pick<DeployedCluster, "drives" | "otherDrives">,
    { stackName }: DesiredCluster,
): boolean {
    return drives.length === 0
        ? otherDrives.length > 0
        : drives.some(({ labels }) => labels[LABELS.stack] !== stackName);
}

/** Checks for a cluster under a new name while the stack has data under another name. */
export function checkName(
    { formerDrives, otherDrives, volumesInState, drives }: DeployedCluster,
    { clusterName }: DesiredCluster,
): Problem[] {
    const [former] = [...formerDrives, ...otherDrives.filter(({ volume }) => volumesInState.includes(volume))];
    if (former === undefined || drives.length > 0) {
        return [];
    }
    const reason =
        `"${clusterName}" is new, and this stack's data is under the name ${former.labels[LABELS.cluster]} ` +
        `(volume ${former.volume}): set it back`;
    return [{ propertyPath: "clusterName", reason }];
}

/** Checks for a cluster whose data another stack has created. */
export function checkStack(
    { drives, volumesInState }: DeployedCluster,
    { clusterName, stackName }: DesiredCluster,
): Problem[] {
    const other = drives.find(
        ({ labels, volume }) => labels[LABELS.stack] !== stackName && !volumesInState.includes(volume),
    );
    if (other === undefined) {
        return [];
    }
    const reason =
        `"${clusterName}" has data of the stack ${other.labels[LABELS.stack]} (volume ${other.volume}): ` +
        "give this one another name";
    return [{ propertyPath: "clusterName", reason }];
}

/** Checks for data of a further store that the deployment doesn't have any more. */
export function checkRemovedStores(
    { otherDrives }: DeployedCluster,
    { clusterName, componentName, stackName, additionalClusters }: DesiredCluster,
): Problem[] {
    if (additionalClusters === undefined) {
        return [];
    }
    const removed = otherDrives.flatMap(({ volume, labels }) => {
        const cluster = labels[LABELS.cluster] ?? "";
        const name = cluster.slice(clusterName.length + 1);
        const isOurs =
            cluster === `${clusterName}-${name}` &&
            labels[LABELS.component] === `${componentName}-${name}` &&
            labels[LABELS.stack] === stackName;
        return isOurs && !additionalClusters.includes(cluster) ? [{ name, volume }] : [];
    });
    return [...new Set(removed.map(({ name }) => name))].map((name) => {
        const volumes = removed.filter((one) => one.name === name).map(({ volume }) => volume);
        const reason = `has no store named "${name}" any more, whose objects would be deleted (volumes: ${volumes.join(", ")}). Put it back`;
        return { propertyPath: "additionalStores", reason };
    });
}
