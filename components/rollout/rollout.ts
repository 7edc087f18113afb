import * as pulumi from "@pulumi/pulumi";
import { connectEngines } from "../docker/connectEngine";
import { changesOfAllNodes, checkOutage } from "../requirements/clusterChanges";
import type { DesiredCluster } from "../requirements/desiredCluster";
import { readDeployedCluster } from "../requirements/deployedCluster";
import { presentHosts, type DeploymentHost, type HostEngines } from "../docker/hosts";
import { LABELS } from "../naming/labels";
import { componentError, refuse } from "../checks/refusal";
import { settled } from "../pulumi/settled";
import type { PlannedNode, Step } from "./nodePlan";
import { giveEmptyDrives } from "./emptyDrives";
import { NodeReplacement } from "./nodeReplacement";
import { probeOverlay } from "../hosts/overlay/overlayProbe";
import { rolloutWorld, type NodeSteps, type RolloutLimits, type RolloutReport } from "./dependencies";
import type { NodePlace } from "../store/topology";
import { documentReference } from "../naming/documentation";
import { changesNothing } from "../pulumi/pulumiCommand";

/** Limits of a rollout, and the hosts and network that it runs on. */
export interface RolloutOptions extends RolloutLimits {
    hosts: readonly DeploymentHost[];
    /** The component that the nodes belong to, for progress messages and errors. */
    component: pulumi.Resource;
    /** Name of the node network, which the proxies are attached to. */
    networkName: string;
    /** Image of the store. */
    image: pulumi.Input<string>;
}

/** The facts that determine the order of a rollout. */
export interface RolloutPlan {
    nodes: PlannedNode[];
    /** Whether the store has ever been formed. */
    formed: boolean;
    /** Whether a setting changes that must be identical on all nodes. */
    changesAll: boolean;
}

/**
 * Two promises: the first resolves when a node's files may be written, the second when its container may be created or
 * replaced. Both resolve to no resources, for `dependsOn`.
 */
interface Turns {
    prepare: Promise<pulumi.Resource[]>;
    replace: Promise<pulumi.Resource[]>;
}

/**
 * The outputs of a node that the rollout waits for (`inputs`, `prepared`), and the functions that let the node go on
 * (`prepare`, `replace`, `fail`).
 */
interface NodeGates {
    inputs: Promise<string>;
    prepared: Promise<unknown>;
    prepare: () => void;
    replace: () => void;
    /** Lets the node fail with an error, if it hasn't gone on yet. Without that, the program would wait for the node forever. */
    fail: (error: unknown) => void;
}

/** Waits until the nodes also serve through the proxies. Called once all nodes are healthy. */
export type UntilServing = () => Promise<void>;

/** For a rollout that has changed nothing. */
export const SERVES: UntilServing = () => Promise.resolve();

/**
 * The order in which an update replaces nodes: one at a time, and each only when all others are ready and up in the
 * proxies. A node is drained before it stops. A missing container is created at once, since that takes no node out of
 * service. All nodes are replaced at once if the store has never held data, or if a setting changes that must be identical
 * on all nodes.
 *
 * The order is decided at each update from the state of the engine and is stored nowhere. After a failed update the next
 * one can therefore continue it or revert it.
 */
export class Rollout {
    private readonly gates = new Map<string, NodeGates>();

    constructor(
        private readonly desired: pulumi.Output<DesiredCluster>,
        private readonly options: RolloutOptions,
    ) {}

    /**
     * The turns of a node: when its files may be written, and when its container may be replaced.
     *
     * @param inputs Digest of the container's inputs, as in its label.
     * @param prepared Known once the node's files are written.
     */
    turnOf(place: NodePlace, inputs: pulumi.Output<string>, prepared: pulumi.Output<unknown>): Turns {
        if (changesNothing()) {
            return { prepare: Promise.resolve([]), replace: Promise.resolve([]) };
        }
        const [prepare, replace] = [gate(), gate()];
        this.gates.set(place.name, {
            inputs: settled(inputs),
            prepared: settled(prepared),
            prepare: prepare.open,
            replace: replace.open,
            fail: (error) => [prepare, replace].forEach((turn) => turn.fail(error)),
        });
        return { prepare: prepare.opened, replace: replace.opened };
    }

    /**
     * Gives every node its turn. Resolves once all containers exist, and those are ready that replaced another one in a
     * running cluster. Does nothing in a preview.
     *
     * @param containers Ids of the nodes' containers, each known once the container exists.
     * @throws {pulumi.ResourceError} if a replaced node doesn't become ready, or if another node isn't ready when one is to
     * be replaced. The remaining nodes then stay as they are. Before all, if a new host and the others don't hear each other.
     */
    async run(containers: Map<string, pulumi.Output<string>>): Promise<UntilServing> {
        if (changesNothing()) {
            return SERVES;
        }
        try {
            return await this.giveTurns(containers);
        } catch (error) {
            const failure = componentError(this.options.component, error);
            this.gates.forEach(({ fail }) => fail(failure));
            throw failure;
        }
    }

    private async giveTurns(containers: Map<string, pulumi.Output<string>>): Promise<UntilServing> {
        const desired = this.withoutAbsent(await settled(this.desired));
        const engine = await connectEngines(this.options.hosts);
        const world = rolloutWorld(
            engine,
            this.steps(containers),
            this.options.component,
            this.options.networkName,
            desired.nodes,
        );
        const nodes = await this.plan(engine, desired);
        await refuseLostVolumes(engine, desired, world.report);
        const image = await settled(pulumi.output(this.options.image));
        await giveEmptyDrives(desired, (host) => engine.on(host).helpers, image);
        const replacement = new NodeReplacement(world, this.options, desired.nodes);
        const left = await replacement.clearLeftovers();
        if (nodes.every(({ step }) => step === "keep")) {
            // Every container has the digest of its inputs: no check of a change can find one.
            return rollOut(replacement, { nodes, formed: true, changesAll: false }, left);
        }
        const deployed = await readDeployedCluster(this.options.hosts, desired);
        // The image has been pulled by now. It may differ from what its name suggested earlier.
        if (!desired.allowedChanges.includes("outage")) {
            refuse("StorageCluster", checkOutage(deployed, desired));
        }
        this.refuseWhileAbsent(nodes, world.report);
        await probeOverlay(engine, this.options.hosts, { ...desired, nodes, image }, world);
        const changesAll = changesOfAllNodes(deployed, desired).length > 0;
        return rollOut(replacement, { nodes, formed: deployed.formed, changesAll }, left);
    }

    /** The cluster without the nodes of hosts that are away. These nodes go on at once: nothing of them changes. */
    private withoutAbsent(desired: DesiredCluster): DesiredCluster {
        const present = presentHosts(this.options.hosts).map(({ name }) => name);
        const isHere = ({ host }: NodePlace) => present.includes(host);
        for (const { name } of desired.nodes.filter((place) => !isHere(place))) {
            this.gates.get(name)?.prepare();
            this.gates.get(name)?.replace();
            this.gates.delete(name);
        }
        return { ...desired, nodes: desired.nodes.filter(isHere) };
    }

    /** @throws {pulumi.ResourceError} if a node would be replaced while a host is away: the cluster could lose its quorum. */
    private refuseWhileAbsent(nodes: PlannedNode[], report: RolloutReport): void {
        const away = this.options.hosts.filter((host) => host.away === true).map(({ name }) => name);
        const replaced = nodes.filter(({ step }) => step === "replace").map(({ place }) => place.name);
        if (away.length > 0 && replaced.length > 0) {
            throw report.error(
                `${replaced.join(", ")}: no node is replaced while a host is away (unreachableHosts: ${away.join(", ")}), since the ` +
                    "cluster could lose its quorum. Set the change back until the host has returned, or was replaced",
            );
        }
    }

    private steps(containers: Map<string, pulumi.Output<string>>): NodeSteps {
        const ids = new Map([...containers].map(([name, id]) => [name, settled(id)]));
        return {
            prepare: async (name) => {
                this.gates.get(name)?.prepare();
                await this.gates.get(name)?.prepared;
            },
            replace: (name) => {
                this.gates.get(name)?.prepare();
                this.gates.get(name)?.replace();
                return ids.get(name) ?? Promise.resolve("");
            },
        };
    }

    private async plan(engine: HostEngines, { clusterName, nodes }: DesiredCluster): Promise<PlannedNode[]> {
        const inputs = new Map<string, string>();
        for (const [name, node] of this.gates) {
            inputs.set(name, await node.inputs);
        }
        const containers = await engine.containers(LABELS.cluster, clusterName);
        return nodes.map((place) => {
            const container = containers.find(({ name }) => name === place.name);
            const unchanged = container?.labels[LABELS.inputs] === inputs.get(place.name);
            return { place, container, step: container === undefined ? "create" : unchanged ? "keep" : "replace" };
        });
    }
}

/**
 * Gives nodes their turns in the order of a plan.
 *
 * @param left Nodes that were just returned to service.
 * @returns A function that waits for the rest; call it once all nodes are healthy.
 */
export async function rollOut(
    replacement: NodeReplacement,
    { nodes, formed, changesAll }: RolloutPlan,
    left: readonly NodePlace[],
): Promise<() => Promise<void>> {
    const withStep = (step: Step) => nodes.filter((node) => node.step === step);
    const placesOf = (step: Step) => withStep(step).map(({ place }) => place);
    const [all, created, replaced] = [nodes.map(({ place }) => place), placesOf("create"), placesOf("replace")];
    if (nodes.length === 1 || !formed) {
        await replacement.atOnce(all);
        return () => replacement.untilServing([...created, ...replaced, ...left]);
    }
    if (replaced.length > 0 && changesAll) {
        await replacement.together(all);
    } else {
        if (replaced.length > 0) {
            await replacement.refuseStopped(nodes.flatMap(({ container }) => container ?? []));
        }
        await replacement.atOnce(created);
        await replacement.keep(withStep("keep"));
        await replacement.oneByOne(replaced);
    }
    return () => replacement.untilServing([...created, ...left]);
}

/**
 * By now every volume was created or is in the stack's state. Docker would create an empty volume in place of a missing
 * one, and the store would start with it.
 */
async function refuseLostVolumes(engine: HostEngines, { nodes }: DesiredCluster, report: RolloutReport): Promise<void> {
    const lost = hostsOf(nodes).map(async (host) => {
        const there = new Set((await engine.on(host).volumes()).map(({ name }) => name));
        return nodes
            .filter((place) => place.host === host)
            .flatMap(({ drives }) => drives.map(({ volumeName }) => volumeName))
            .filter((volume) => !there.has(volume));
    });
    const gone = (await Promise.all(lost)).flat();
    if (gone.length > 0) {
        throw report.error(
            `${gone.join(", ")}: it is in the stack's state but not on the engine: it was removed, with its data. ` +
                `Restore it from a backup (${documentReference("how-to/restore", "Steps")}); or, to have it created ` +
                "again, empty, run `pulumi refresh`, then the same update again",
        );
    }
}

/** The hosts of nodes, each once. */
function hostsOf(nodes: readonly NodePlace[]): (string | undefined)[] {
    return [...new Set(nodes.map(({ host }) => host))];
}

/** A promise of no resources, and the functions that settle it. */
function gate(): { opened: Promise<pulumi.Resource[]>; open: () => void; fail: (error: unknown) => void } {
    let open: () => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
    const opened = new Promise<pulumi.Resource[]>((resolve, reject) => {
        open = () => resolve([]);
        fail = reject;
    });
    return { opened, open, fail };
}
