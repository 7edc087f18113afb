import * as pulumi from "@pulumi/pulumi";
import { changesOfAllNodes, checkOutage } from "../preflight/clusterChanges";
import type { DesiredCluster } from "../preflight/desiredCluster";
import { readDeployedCluster, type DeployedCluster } from "../preflight/deployedCluster";
import { DockerEngine } from "../engine/dockerEngine";
import type { DockerHost } from "../engine/dockerHost";
import { LABELS } from "../naming/labels";
import { refuse } from "../inputs/problem";
import { NodeReplacement, type PlacedContainer } from "./nodeReplacement";
import { rolloutWorld, type NodeSteps, type RolloutLimits, type RolloutReport } from "./rolloutWorld";
import type { ServiceProfile } from "../store/serviceProfile";
import type { NodePlace } from "../store/topology";

/** Limits of a rollout, and where it happens. */
export interface RolloutOptions extends RolloutLimits {
    dockerHost?: DockerHost;
    /** The component whose nodes these are, for progress and errors. */
    component: pulumi.Resource;
    /** Name of the node network, which the proxies are on. */
    networkName: string;
    profile: ServiceProfile;
}

/** What an update does with a node's container. */
type Step = "create" | "keep" | "replace";

/** A node, and what becomes of it. */
export interface PlannedNode extends PlacedContainer {
    step: Step;
}

/** What decides the order of a rollout. */
export interface RolloutPlan {
    nodes: PlannedNode[];
    /** Whether the store was ever formed. */
    formed: boolean;
    /** Whether something changes that all nodes must have alike. */
    changesAll: boolean;
}

/** When a node's files may be written, and when its container may be made or replaced: nothing for `dependsOn`, once it may. */
interface Turns {
    prepare: Promise<pulumi.Resource[]>;
    replace: Promise<pulumi.Resource[]>;
}

/** What a node waits for, and what is waited for of it. */
interface NodeGates {
    inputs: Promise<string>;
    prepared: Promise<unknown>;
    prepare: () => void;
    replace: () => void;
}

/**
 * The order in which an update replaces nodes: one at a time, each only when every other is ready and up in the
 * proxies, drained before it stops. A node whose container is missing is created at once, since that takes nothing away;
 * nodes of a store that never held data, and changes that nodes can't differ in, are all replaced at once.
 *
 * It is decided at each update, by what the engine has, and stored nowhere: an update that failed half-way is gone
 * on with, or back, by the next.
 */
export class Rollout {
    private readonly gates = new Map<string, NodeGates>();

    constructor(
        private readonly desired: pulumi.Output<DesiredCluster>,
        private readonly options: RolloutOptions,
    ) {}

    /**
     * The turns of a node.
     *
     * @param inputs Digest of the container's inputs, as its label has it.
     * @param prepared Known once the node's files are written.
     */
    turnOf(place: NodePlace, inputs: pulumi.Output<string>, prepared: pulumi.Output<unknown>): Turns {
        if (pulumi.runtime.isDryRun()) {
            return { prepare: Promise.resolve([]), replace: Promise.resolve([]) };
        }
        const [prepare, replace] = [gate(), gate()];
        this.gates.set(place.name, {
            inputs: settled(inputs),
            prepared: settled(prepared),
            prepare: prepare.open,
            replace: replace.open,
        });
        return { prepare: prepare.opened, replace: replace.opened };
    }

    /**
     * Gives every node its turn, and resolves once the containers of all are there, and those ready that took another's place
     * in a running cluster. In a preview it does nothing.
     *
     * @returns What is left to wait for once all nodes are healthy.
     * @param containers Ids of the nodes' containers, each known once it is there.
     * @throws {pulumi.ResourceError} where a node doesn't come back, or another isn't ready when one is to be replaced:
     * the nodes after it stay as they are.
     */
    async run(containers: Map<string, pulumi.Output<string>>): Promise<() => Promise<void>> {
        if (pulumi.runtime.isDryRun()) {
            return () => Promise.resolve();
        }
        const desired = await settled(this.desired);
        const engine = await DockerEngine.connect(this.options.dockerHost);
        const nodes = await this.plan(engine, desired);
        const world = rolloutWorld(
            engine,
            this.steps(containers),
            this.options.component,
            this.options.networkName,
            desired.nodes.map(({ address }) => address),
        );
        await refuseLostVolumes(engine, desired, world.report);
        const replacement = new NodeReplacement(world, this.options, desired.nodes);
        const left = await replacement.clearLeftovers();
        const deployed = await readDeployedCluster(engine, desired);
        // By now the image is there, and may be another than its name has said.
        if (!desired.allowedChanges.includes("outage")) {
            refuse("StorageCluster", checkOutage(deployed, desired));
        }
        return rollOut(replacement, planOf(nodes, deployed, desired), left);
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

    private async plan(engine: DockerEngine, { clusterName, nodes }: DesiredCluster): Promise<PlannedNode[]> {
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
 * Gives nodes their turns in the order that a plan asks for.
 *
 * @param left Nodes that were returned to service just now.
 * @returns What is left to wait for once all nodes are healthy.
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

function planOf(nodes: PlannedNode[], deployed: DeployedCluster, desired: DesiredCluster): RolloutPlan {
    return { nodes, formed: deployed.formed, changesAll: changesOfAllNodes(deployed, desired).length > 0 };
}

/**
 * By now every volume was made or is in the stack's state. Docker would make an empty one in place of one that isn't
 * there, and the store would come up with it.
 */
async function refuseLostVolumes(
    engine: DockerEngine,
    { nodes }: DesiredCluster,
    report: RolloutReport,
): Promise<void> {
    const there = (await engine.volumes()).map(({ name }) => name);
    const gone = nodes
        .flatMap(({ drives }) => drives.map(({ volumeName }) => volumeName))
        .filter((volume) => !there.includes(volume));
    if (gone.length > 0) {
        throw report.error(
            `${gone.join(", ")}: the stack's state has it, the engine hasn't. Somebody removed it, with what it held. ` +
                "Restore it from a backup (docs/operations.md); or, to have it created again, empty, run `pulumi refresh`, " +
                "then the same update again",
        );
    }
}

/** A promise of no resources, and what keeps it. */
function gate(): { opened: Promise<pulumi.Resource[]>; open: () => void } {
    let open: () => void = () => undefined;
    const opened = new Promise<pulumi.Resource[]>((resolve) => (open = () => resolve([])));
    return { opened, open };
}

/** An output's value, once it is known. */
function settled<Value>(output: pulumi.Output<Value>): Promise<Value> {
    return new Promise((resolve) => output.apply((value) => resolve(value)));
}
