import { describeContainer, indent } from "../docker/containerReport";
import type { Host, HostEngines } from "../docker/hosts";
import { documentReference } from "../naming/documentation";
import type { DesiredCluster } from "../requirements/desiredCluster";
import type { RolloutReport, RolloutDependencies } from "./dependencies";
import { placesWith, type PlannedNode } from "./nodePlan";

/**
 * By now every volume was created or is in the stack's state. Docker would create an empty volume in place of a missing
 * one, and the store would start with it.
 *
 * @throws {pulumi.ResourceError} if a volume is missing.
 */
export async function refuseLostVolumes(
    engine: HostEngines,
    { nodes }: DesiredCluster,
    report: RolloutReport,
): Promise<void> {
    const lost = [...new Set(nodes.map(({ host }) => host))].map(async (host) => {
        const there = new Set((await engine.on(host).volumes()).map(({ name }) => name));
        return nodes
            .filter((place) => place.host === host)
            .flatMap(({ drives }) => drives.map(({ volumeName }) => volumeName))
            .filter((volume) => !there.has(volume));
    });
    const gone = (await Promise.all(lost)).flat();
    if (gone.length > 0) {
        throw report.error(
            `${gone.join(", ")}: it is in the stack's state but not on the Docker daemon: it was removed, with its data. ` +
                `Restore it from a backup (${documentReference("how-to/restore", "Steps")}); or, to have it created ` +
                "again, empty, run `pulumi refresh`, then the same update again",
        );
    }
}

/** @throws {pulumi.ResourceError} if a node would be replaced while a host is away: the cluster could lose its quorum. */
export function refuseWhileAway(hosts: readonly Host[], nodes: readonly PlannedNode[], report: RolloutReport): void {
    const away = hosts.filter((host) => host.away === true).map(({ name }) => name);
    const replaced = placesWith("replace", nodes).map(({ name }) => name);
    if (away.length > 0 && replaced.length > 0) {
        throw report.error(
            `${replaced.join(", ")}: no node is replaced while a host is away (unreachableHosts: ${away.join(", ")}), since the ` +
                "cluster could lose its quorum. Set the change back until the host has returned, or was replaced",
        );
    }
}

/** @throws {pulumi.ResourceError} if an operator stopped a node, who may have had reasons to do so. */
export async function refuseStopped(
    nodes: readonly PlannedNode[],
    { engine, report }: Pick<RolloutDependencies, "engine" | "report">,
): Promise<void> {
    const stopped = nodes
        .flatMap(({ container }) => container ?? [])
        .filter(({ state }) => state === "exited" || state === "paused");
    if (stopped.length === 0) {
        return;
    }
    const reports = await Promise.all(
        stopped.map(async ({ name, id, state }) => `${name} is ${state}. ${await describeContainer(engine, id)}`),
    );
    const names = stopped.map(({ name }) => name).join(" ");
    throw report.error(
        [
            "No node is replaced while another one is stopped, since the cluster could lose its quorum:",
            ...reports.map(indent),
            `Start it (docker start ${names}; docker unpause where it is paused), then run the same update again.`,
        ].join("\n"),
    );
}
