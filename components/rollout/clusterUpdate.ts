import * as pulumi from "@pulumi/pulumi";
import { componentError, refuse } from "../checks/refusal";
import { connectEngines } from "../docker/connectEngine";
import type { DockerEngine } from "../docker/engine";
import { presentHosts, type Host, type HostEngines } from "../docker/hosts";
import { LABELS } from "../naming/labels";
import { Gate } from "../pulumi/gate";
import { changesNothing } from "../pulumi/pulumiCommand";
import { settled } from "../pulumi/settled";
import { changesOfAllNodes, checkOutage } from "../requirements/neededOutage";
import { readDeployedCluster } from "../requirements/deployedCluster";
import type { DesiredCluster } from "../requirements/desiredCluster";
import type { NodeSpec } from "../store/topology";
import { rolloutDependencies, type RolloutDependencies } from "./dependencies";
import { giveEmptyDrives } from "./emptyDrives";
import type { RolloutLimits } from "./limits";
import { NodeGates, type GatesOfNode } from "./nodeGates";
import type { PlannedNode } from "./nodePlan";
import { refuseLostVolumes, refuseWhileAway } from "./refusals";
import { Rollout, type UntilServing } from "./rollout";

/** A cluster as the rollout knows it: with its nodes' containers, and the image that each host has by now. */
export interface PlannedCluster extends Omit<DesiredCluster, "nodes"> {
    nodes: readonly PlannedNode[];
    image: string;
}

/** Limits of an update, and the hosts and network that it runs on. */
export interface ClusterUpdateOptions extends RolloutLimits {
    hosts: readonly Host[];
    /** The component that the nodes belong to, for progress messages and errors. */
    component: pulumi.Resource;
    /** Name of the node network, which the proxies are attached to. */
    networkName: string;
    /** Image of the store. */
    image: pulumi.Input<string>;
    /** Called once no check refuses the change, and before its first node. It may refuse it too. */
    beforeFirstNode: (
        engines: HostEngines<DockerEngine>,
        cluster: PlannedCluster,
        dependencies: Pick<RolloutDependencies, "clock" | "report">,
    ) => Promise<void>;
}

/**
 * One update of a cluster's nodes: what is read, what is refused, and what is done before the first node. What follows is
 * {@link Rollout}.
 *
 * The order is decided at each update from the state of the engine and is stored nowhere. After a failed update the next
 * one can therefore continue it or revert it.
 */
export class ClusterUpdate {
    private readonly gates = new NodeGates();

    constructor(
        private readonly desired: pulumi.Output<DesiredCluster>,
        private readonly options: ClusterUpdateOptions,
    ) {}

    /** The gates at which a node's resources wait. In a preview they are open. */
    gatesOf({ name }: NodeSpec): GatesOfNode {
        return changesNothing() ? { prepare: Gate.opened(), replace: Gate.opened() } : this.gates.of(name);
    }

    /**
     * Adds a node whose resources wait at its gates.
     *
     * @param inputs Digest of the container's inputs, as in its label.
     * @param prepared Known once the node's files are written.
     */
    add({ name }: NodeSpec, inputs: pulumi.Output<string>, prepared: pulumi.Output<unknown>): void {
        this.gates.add(name, inputs, prepared);
    }

    /**
     * Opens every node's gates in order. Resolves once all containers exist, and those are ready that replaced another one in a
     * running cluster. Does nothing in a preview.
     *
     * @param containers Ids of the nodes' containers, each known once the container exists.
     * @throws {pulumi.ResourceError} if a replaced node doesn't become ready, or if another node isn't ready when one is to
     * be replaced. The remaining nodes then stay as they are. Before all, if a new host and the others don't hear each other.
     */
    async run(containers: ReadonlyMap<string, pulumi.Output<string>>): Promise<UntilServing> {
        if (changesNothing()) {
            return () => Promise.resolve();
        }
        try {
            return await this.update(containers);
        } catch (error) {
            const failure = componentError(this.options.component, error);
            this.gates.fail(failure);
            throw failure;
        }
    }

    private async update(containers: ReadonlyMap<string, pulumi.Output<string>>): Promise<UntilServing> {
        const { hosts, component, networkName, beforeFirstNode } = this.options;
        const desired = this.withoutAway(await settled(this.desired));
        const engine = await connectEngines(hosts);
        const dependencies = rolloutDependencies(
            engine,
            this.gates.steps(containers),
            component,
            networkName,
            desired.nodes,
        );
        const nodes = await this.plan(engine, desired);
        await refuseLostVolumes(engine, desired, dependencies.report);
        const image = await settled(pulumi.output(this.options.image));
        await giveEmptyDrives(desired, (host) => engine.on(host).oneShots, image);
        const rollout = new Rollout(dependencies, this.options, desired.nodes);
        const left = await rollout.clearLeftovers();
        if (nodes.every(({ step }) => step === "keep")) {
            // Every container has the digest of its inputs: no check of a change can find one.
            return rollout.run({ nodes, formed: true, changesAll: false }, left);
        }
        const deployed = await readDeployedCluster(hosts, desired);
        // The image has been pulled by now. It may differ from what its name suggested earlier.
        if (!desired.allowedChanges.includes("outage")) {
            refuse("StorageCluster", checkOutage(deployed, desired));
        }
        refuseWhileAway(hosts, nodes, dependencies.report);
        await beforeFirstNode(engine, { ...desired, nodes, image }, dependencies);
        const changesAll = changesOfAllNodes(deployed, desired).length > 0;
        return rollout.run({ nodes, formed: deployed.formed, changesAll }, left);
    }

    /** The cluster without the nodes of hosts that are away. These nodes go on at once: nothing of them changes. */
    private withoutAway(desired: DesiredCluster): DesiredCluster {
        const present = presentHosts(this.options.hosts).map(({ name }) => name);
        const isHere = ({ host }: NodeSpec) => present.includes(host);
        desired.nodes.filter((place) => !isHere(place)).forEach(({ name }) => this.gates.release(name));
        return { ...desired, nodes: desired.nodes.filter(isHere) };
    }

    /** A missing container is created, one with other inputs than those in its label is replaced. */
    private async plan(engine: HostEngines, { clusterName, nodes }: DesiredCluster): Promise<PlannedNode[]> {
        const inputs = await this.gates.inputs();
        const containers = await engine.containers(LABELS.cluster, clusterName);
        return nodes.map((place) => {
            const container = containers.find(({ name }) => name === place.name);
            const unchanged = container?.labels[LABELS.inputs] === inputs.get(place.name);
            return { place, container, step: container === undefined ? "create" : unchanged ? "keep" : "replace" };
        });
    }
}
