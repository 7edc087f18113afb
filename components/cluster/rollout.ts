import type * as docker from "@pulumi/docker";
import type { DockerEngine } from "../engine/dockerEngine";
import * as pulumi from "@pulumi/pulumi";
import { connectEngines } from "../engine/connectEngine";
import { changesOfAllNodes, checkOutage } from "../preflight/clusterChanges";
import type { DesiredCluster } from "../preflight/desiredCluster";
import { continuationOf, takeOverOf } from "../preflight/profileChange";
import { takeOverProblems } from "../preflight/takeOverChecks";
import { readDeployedCluster, type DeployedCluster } from "../preflight/deployedCluster";
import { presentHosts, type DeploymentHost, type HostEngines } from "../engine/hostEngines";
import { LABELS } from "../naming/labels";
import { componentError, refuse } from "../inputs/refusal";
import { settled } from "../program/settled";
import type { PlannedNode, Step } from "./nodePlan";
import { recoverTakeOver } from "../engine/trialRecovery";
import { hiddenFromFormer, needsFormer } from "../store/profiles/takeOvers";
import { removeTrialsOrWarn, settleTakenOver, StoreTakeOver, untilQuotasCounted } from "./storeTakeOver";
import { untilFormerReady } from "./formerStore";
import { TakenOut } from "./takenOut";
import { hasOtherPaths } from "../traffic/proxyServers";
import { EngineTrialNodes, type KnownContainer } from "./trialNodes";
import { NodeReplacement } from "./nodeReplacement";
import { probeOverlay } from "./overlayProbe";
import { rolloutWorld, type NodeSteps, type RolloutLimits, type RolloutReport } from "./rolloutWorld";
import type { ServiceProfile } from "../store/serviceProfile";
import type { NodePlace } from "../store/topology";
import { documentReference } from "../naming/documentation";
import { changesNothing } from "../program/pulumiCommand";

/** Limits of a rollout, and the hosts and network that it runs on. */
export interface RolloutOptions extends RolloutLimits {
    hosts: readonly DeploymentHost[];
    /** The component that the nodes belong to, for progress messages and errors. */
    component: pulumi.Resource;
    /** Name of the node network, which the proxies are attached to. */
    networkName: string;
    profile: ServiceProfile;
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
    container: () => Promise<KnownContainer>;
    prepared: Promise<unknown>;
    prepare: () => void;
    replace: () => void;
    /** Lets the node fail with an error, if it hasn't gone on yet. Without that, the program would wait for the node forever. */
    fail: (error: unknown) => void;
}

/** What is left to wait for once all nodes are healthy. */
export interface RolloutRest {
    /** Waits until the nodes serve through the proxies. */
    untilServing: () => Promise<void>;
    /** Waits until the store takes writes to buckets with a quota. It takes minutes, and the proxies must not wait for it. */
    untilCounted: () => Promise<void>;
}

/** The rest of a rollout that has changed nothing. */
export const NOTHING_LEFT: RolloutRest = {
    untilServing: () => Promise.resolve(),
    untilCounted: () => Promise.resolve(),
};

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
     * @param container The container's inputs.
     * @param prepared Known once the node's files are written.
     */
    turnOf(
        place: NodePlace,
        inputs: pulumi.Output<string>,
        container: docker.ContainerArgs,
        prepared: pulumi.Output<unknown>,
    ): Turns {
        if (changesNothing()) {
            return { prepare: Promise.resolve([]), replace: Promise.resolve([]) };
        }
        const [prepare, replace] = [gate(), gate()];
        this.gates.set(place.name, {
            inputs: settled(inputs),
            container: () => settled(pulumi.output(container)),
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
    async run(containers: Map<string, pulumi.Output<string>>): Promise<RolloutRest> {
        if (changesNothing()) {
            return NOTHING_LEFT;
        }
        try {
            return await this.giveTurns(containers);
        } catch (error) {
            const failure = componentError(this.options.component, error);
            this.gates.forEach(({ fail }) => fail(failure));
            throw failure;
        }
    }

    private async giveTurns(containers: Map<string, pulumi.Output<string>>): Promise<RolloutRest> {
        const desired = this.withoutAbsent(await settled(this.desired));
        const engine = await connectEngines(this.options.hosts);
        const world = rolloutWorld(
            engine,
            this.steps(containers),
            this.options.component,
            this.options.networkName,
            desired.nodes,
        );
        const trials = this.trials(engine, desired);
        const engines = hostsOf(desired.nodes).map((host) => engine.on(host).trials);
        const [recovery = "nothing"] = await recoverTakeOver(
            engines,
            { cluster: desired.clusterName },
            desired.profile.name,
            hiddenFromFormer,
        );
        if (recovery === "lost" && needsFormer(desired.profile.name)) {
            throw world.report.error(
                `${desired.clusterName}: an update was interrupted while ${desired.profile.name} was tried on the drives, and no container ` +
                    "of the former store is left. Set profile back and run an update: it starts the former store. Then run " +
                    "this update again",
            );
        }
        const nodes = await this.plan(engine, desired);
        await refuseLostVolumes(engine, desired, world.report);
        // After a take-over, the proxies get the new store's health paths once all nodes are ready.
        const isExpected = recovery === "passed" || recovery === "turnedBack" ? hasOtherPaths : undefined;
        const replacement = new NodeReplacement(world, this.options, desired.nodes, isExpected);
        const left = await replacement.clearLeftovers();
        if (recovery === "nothing" && nodes.every(({ step }) => step === "keep")) {
            // Every container has the digest of its inputs: no check of a change can find one.
            const untilServing = await rollOut(replacement, { nodes, formed: true, changesAll: false }, left);
            return { ...NOTHING_LEFT, untilServing };
        }
        const deployed = await readDeployedCluster(this.options.hosts, desired);
        // The image has been pulled by now. It may differ from what its name suggested earlier.
        if (!desired.allowedChanges.includes("outage")) {
            refuse("StorageCluster", checkOutage(deployed, desired));
        }
        this.refuseWhileAbsent(nodes, world.report);
        const image = await settled(pulumi.output(this.options.image));
        await probeOverlay(engine, this.options.hosts, { ...desired, nodes, image }, world);
        if (recovery === "started") {
            await world.report.warning(
                `${desired.clusterName}: an earlier update ended while another store was tried on the drives. The former store runs again`,
            );
        }
        // Whether the nodes serve is known once the proxies have the new store's health paths.
        const afterTakeOver = {
            ...NOTHING_LEFT,
            untilCounted: () => untilQuotasCounted(world, desired.nodes, desired.profile),
        };
        const takeOver = takeOverOf(deployed, desired);
        if (takeOver === undefined) {
            const goesOn = recovery !== "nothing" && recovery !== "started";
            if (goesOn) {
                await settleTakenOver(trials, nodes, desired.profile);
            }
            const rest = goesOn ? await this.plan(engine, desired) : nodes;
            const untilServing = await rollOut(replacement, planOf(rest, deployed, desired), left);
            if (goesOn) {
                await removeTrialsOrWarn(trials, world.report);
                return afterTakeOver;
            }
            return { ...NOTHING_LEFT, untilServing };
        }
        const continuation = continuationOf(recovery, takeOver, deployed, desired);
        if (continuation === "refused") {
            const [from, to] = [takeOver.from.name, takeOver.to.name];
            throw world.report.error(
                `${desired.clusterName}: some nodes have containers of ${from}, others of ${to}, and it isn't known which has run last, so ` +
                    `what ${to} has may be out of date: first run an update with profile ${from}, then this one again`,
            );
        }
        const isHalfDone = continuation === "goesOn";
        if (!isHalfDone) {
            const interruption = new TakenOut(world.proxies, world.interruptions);
            const goesOn = () => interruption.refuseInterrupted();
            await interruption.during(async () => {
                await world.report.progress(
                    `checking whether ${takeOver.to.name} can read what ${takeOver.from.name} has written: the metadata of all objects ` +
                        'is read on all drives, unless "unreadableObjects" is in allowedChanges',
                );
                const former = await untilFormerReady(world, nodes, takeOver, this.options.readyTimeout, goesOn);
                const ready = former.map((node) => ({ ...node, engine: engine.on(node.place.host) }));
                refuse("StorageCluster", await takeOverProblems(takeOver, ready, desired, true));
                // The next update may have begun meanwhile: the trial containers are its own.
                goesOn();
                await removeFormerTrials(trials, world.report);
                goesOn();
            });
        } else if (recovery === "turnedBack") {
            const [from, to] = [takeOver.from.name, takeOver.to.name];
            await world.report.warning(
                `${desired.clusterName}: an interrupted take-over is undone, and not all nodes of ${from} run: what ${to} has isn't compared with anything`,
            );
        }
        const options = {
            takeOver,
            trials,
            limits: this.options,
            isHalfDone,
            mayLoseSettings: desired.allowedChanges.includes("settingLoss"),
            mayLoseObjects: desired.allowedChanges.includes("unreadableObjects"),
        };
        await new StoreTakeOver(world, nodes, options).run();
        return afterTakeOver;
    }

    private trials(
        engine: HostEngines<DockerEngine>,
        { clusterName, stackName, networkName, nodes, profile }: DesiredCluster,
    ): EngineTrialNodes {
        const containers = new Map(
            [...this.gates].map(([name, { container, inputs }]) => [
                name,
                async () => ({ args: await container(), inputs: await inputs }),
            ]),
        );
        return new EngineTrialNodes({
            engine,
            clusterName,
            stackName,
            profileName: profile.name,
            networkName,
            nodes,
            containers,
        });
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

    private async plan(
        engine: HostEngines<DockerEngine>,
        { clusterName, nodes }: DesiredCluster,
    ): Promise<PlannedNode[]> {
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

/** Removes the trial containers of an update that is over. From then on this update has its own. */
async function removeFormerTrials(trials: Pick<EngineTrialNodes, "remove">, report: RolloutReport): Promise<void> {
    await trials.remove().catch((error: unknown) => {
        throw report.error(
            `the containers that an earlier trial has left can't be removed: ${(error as Error).message}. Correct that first, then run ` +
                "the same update again. No node was changed",
        );
    });
}

function planOf(nodes: PlannedNode[], deployed: DeployedCluster, desired: DesiredCluster): RolloutPlan {
    return { nodes, formed: deployed.formed, changesAll: changesOfAllNodes(deployed, desired).length > 0 };
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
                `Restore it from a backup (${documentReference("operations", "Backup and restore")}); or, to have it created ` +
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
