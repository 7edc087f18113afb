import { poll, type Clock } from "../../docker/poll";
import type { DesiredCluster } from "../../requirements/desiredCluster";
import { presentHosts, type Host } from "../../docker/hosts";
import type { PlacedContainer } from "../../rollout/nodePlan";
import { diagnose, type Diagnosis } from "./overlayDiagnosis";
import {
    answers,
    reachAll,
    withHelpers,
    type Direction,
    type Helper,
    type HelperSettings,
    type OverlayEngine,
    type OverlayHost,
} from "./overlayHelpers";
import { describeOverlay } from "./overlayReport";
import type { RolloutDependencies } from "../../rollout/dependencies";

/** A cluster whose network is tested. */
export interface OverlayCluster extends Pick<DesiredCluster, "clusterName" | "networkKind" | "networkName"> {
    /** Image of the store, which every host has by now. */
    image: string;
    /** Its nodes, with their containers as far as these exist. */
    nodes: readonly PlacedContainer[];
}

/** Time in which the engines inform each other of new containers, in seconds. */
const LEARN_SECONDS = 20;

/** Time limit of a connection, in seconds. */
const CONNECT_SECONDS = 3;

/**
 * Tests before a host gets its first node whether its containers and those of the other hosts reach each other on the node
 * network. Otherwise a port that is blocked between hosts would be noticed only because nodes never become ready. A host
 * that has nodes costs no test, nor does a cluster on one host.
 *
 * @param engines The engines of the hosts.
 * @throws {pulumi.ResourceError} with the hosts that don't hear each other, and what doesn't arrive.
 */
export async function probeOverlay(
    engines: { on(host: string | undefined): OverlayEngine },
    allHosts: readonly Host[],
    cluster: OverlayCluster,
    { clock, report }: Pick<RolloutDependencies, "clock" | "report">,
): Promise<void> {
    const hosts = presentHosts(allHosts).flatMap(({ name, address = "" }) =>
        name === undefined ? [] : [{ name, address, engine: engines.on(name) }],
    );
    const without = hosts.filter((host) => isWithoutNodes(host, cluster));
    if (hosts.length < 2 || without.length === 0) {
        return;
    }
    await report.progress("testing the network between the hosts");
    const { clusterName: owner, image, networkName, networkKind, nodes } = cluster;
    const settings = { owner, image, network: networkName };
    const encrypted = networkKind === "encrypted overlay";
    const message = await withHelpers(hosts, settings, async (helpers, refusals) => {
        const failing = await untilAllAnswer(directionsOf(helpers, without), clock);
        const diagnosis = await diagnosisOf(failing, settings, encrypted);
        const isNew = nodes.every(({ container }) => container === undefined);
        const found = describeOverlay(
            { ...diagnosis, refusals },
            helpers.map(({ host }) => host),
            { networkName, encrypted, isNew },
        );
        if (found === undefined && failing.length > 0) {
            await report.warning(
                `it took more than ${LEARN_SECONDS} s until the hosts heard each other on ${networkName}: UDP 7946 may be blocked`,
            );
        }
        return found;
    });
    if (message !== undefined) {
        throw report.error(message);
    }
}

/** Whether a host is to get its first node. */
function isWithoutNodes({ name }: OverlayHost, { nodes }: OverlayCluster): boolean {
    const own = nodes.filter(({ place }) => place.host === name);
    return own.length > 0 && own.every(({ container }) => container === undefined);
}

/** Connections from and to these hosts. */
function directionsOf(helpers: readonly Helper[], hosts: readonly OverlayHost[]): Direction[] {
    return helpers.flatMap((from) =>
        helpers
            .filter((to) => to !== from && (hosts.includes(from.host) || hosts.includes(to.host)))
            .map((to) => ({ from, to })),
    );
}

/** Tests connections until all helpers answer. Returns those that still fail after the limit. */
async function untilAllAnswer(directions: Direction[], clock: Clock): Promise<Direction[]> {
    let failing = directions;
    await poll(
        async () => {
            const reached = await reachAll(failing, CONNECT_SECONDS);
            failing = failing.filter((_, index) => !answers(reached[index] ?? "silent"));
            return failing.length === 0 ? true : undefined;
        },
        { clock, timeout: LEARN_SECONDS },
    );
    return failing;
}

async function diagnosisOf(
    failing: readonly Direction[],
    settings: HelperSettings,
    encrypted: boolean,
): Promise<Diagnosis> {
    if (failing.length === 0) {
        return { unheard: [], withoutEsp: [] };
    }
    const hosts = [...new Set(failing.flatMap(({ from, to }) => [from.host, to.host]))];
    return withHelpers(hosts, { ...settings, network: "host" }, (onHosts) => diagnose(failing, onHosts, encrypted));
}
