import * as pulumi from "@pulumi/pulumi";
import { setTimeout as sleep } from "node:timers/promises";
import { changesOfAllNodes, type ClusterWish } from "./clusterChanges";
import { readDeployedCluster } from "./deployedCluster";
import { DockerEngine, type ContainerHealth, type ListedContainer } from "./dockerEngine";
import type { DockerHost } from "./dockerHost";
import { LABELS } from "./labels";
import { withoutStack } from "./problem";
import { ProxyServers } from "./proxyServers";
import { describeContainer, indent } from "./readiness";
import type { ServiceProfile } from "./serviceProfile";
import { S3_PORT, type NodePlace } from "./topology";

/** Limits of a rollout, and where it happens. */
export interface RolloutOptions {
    dockerHost?: DockerHost;
    /** The component whose nodes these are, for progress and errors. */
    component: pulumi.Resource;
    /** Name of the node network, which the proxies are on. */
    networkName: string;
    profile: ServiceProfile;
    /** Limit for a node to be ready, in seconds. */
    readyTimeout: number;
    /** Limit for requests that run on a node to end before it is stopped, in seconds. */
    drainTimeout: number;
}

/** What an update does with a node's container. */
type Step = "create" | "keep" | "replace";

interface PlannedNode {
    place: NodePlace;
    step: Step;
    container: ListedContainer | undefined;
}

const POLL_INTERVAL_MILLISECONDS = 500;

/** Longest time in which two good checks of a proxy must have come, in seconds, when a node is ready. */
const UP_SECONDS = 60;

/** Fewest nodes of a store whose requests can do without one of them. */
const SMALLEST_TO_ROLL = 3;

/**
 * Fewest nodes of which two may lack parts of one object, as an erasure set has: what was written while one was away has to be
 * found while the next is.
 */
const SMALLEST_TO_HEAL_LATER = 4;

/** Longest wait for requests that came while a server went from drain to maintenance, in seconds. */
const LAST_REQUESTS_SECONDS = 10;

/** Longest wait for nodes to have met each other, in seconds. */
const SETTLED_SECONDS = 60;

/**
 * The order in which an update replaces nodes: one at a time, each only when every other is ready and up in the
 * proxies, drained before it stops. A node whose container is missing is created at once, since that takes nothing away;
 * nodes of a store that never held data, and changes that nodes can't differ in, are all replaced at once.
 *
 * It is decided anew at each update, by what the engine has, and stored nowhere: an update that failed half-way is gone
 * on with, or back, by the next.
 */
export class Rollout {
    private readonly inputs = new Map<string, Promise<string>>();
    private readonly releases = new Map<string, () => void>();

    constructor(
        private readonly wish: pulumi.Output<ClusterWish>,
        private readonly options: RolloutOptions,
    ) {}

    /**
     * For `dependsOn` of what replaces a node's container: nothing, once it is the node's turn.
     *
     * @param inputs Digest of the container's inputs, as its label has it.
     */
    turnOf(place: NodePlace, inputs: pulumi.Output<string>): Promise<pulumi.Resource[]> {
        if (pulumi.runtime.isDryRun()) {
            return Promise.resolve([]);
        }
        this.inputs.set(place.name, settled(inputs));
        return new Promise((resolve) => this.releases.set(place.name, () => resolve([])));
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
        const ids = new Map([...containers].map(([name, id]) => [name, settled(id)]));
        const wish = await settled(this.wish);
        const engine = await DockerEngine.connect(this.options.dockerHost);
        const plan = await this.plan(engine, wish);
        await this.refuseLostVolumes(engine, wish);
        const change = new NodeReplacement(engine, this.options, wish.nodes, (name) => {
            this.releases.get(name)?.();
            return ids.get(name) ?? Promise.resolve("");
        });
        const left = await change.clearLeftovers();
        const among = (step: Step) => plan.filter((node) => node.step === step);
        const placesOf = (step: Step) => among(step).map(({ place }) => place);
        const [created, replaced] = [placesOf("create"), placesOf("replace")];
        const deployed = await readDeployedCluster(engine, wish);
        if (wish.nodes.length === 1 || !deployed.formed) {
            await change.atOnce(wish.nodes);
            return () => change.untilServing([...created, ...replaced, ...left]);
        }
        if (replaced.length > 0 && changesOfAllNodes(deployed, wish).length > 0) {
            await change.together(wish.nodes);
        } else {
            if (replaced.length > 0) {
                await change.refuseStopped(plan.flatMap(({ container }) => container ?? []));
            }
            await change.atOnce(created);
            await change.keep(among("keep"));
            await change.oneByOne(replaced);
        }
        return () => change.untilServing([...created, ...left]);
    }

    /**
     * By now every volume was made or is in the stack's state. Docker would make an empty one in place of one that isn't
     * there, and the store would come up with it.
     */
    private async refuseLostVolumes(engine: DockerEngine, { nodes }: ClusterWish): Promise<void> {
        const there = (await engine.volumes()).map(({ name }) => name);
        const gone = nodes
            .flatMap(({ drives }) => drives.map(({ volumeName }) => volumeName))
            .filter((volume) => !there.includes(volume));
        if (gone.length > 0) {
            throw withoutStack(
                new pulumi.ResourceError(
                    `${gone.join(", ")}: the stack's state has it, the engine hasn't. Somebody removed it, with what it held. ` +
                        "Restore it from a backup (docs/operations.md); or, to have it made anew, empty, run `pulumi refresh`, " +
                        "then the same update again",
                    this.options.component,
                    true,
                ),
            );
        }
    }

    private async plan(engine: DockerEngine, { clusterName, nodes }: ClusterWish): Promise<PlannedNode[]> {
        const inputs = new Map<string, string>();
        for (const [name, digest] of this.inputs) {
            inputs.set(name, await digest);
        }
        const containers = await engine.containers(LABELS.cluster, clusterName);
        return nodes.map((place) => {
            const container = containers.find(({ name }) => name === place.name);
            const unchanged = container?.labels[LABELS.inputs] === inputs.get(place.name);
            return { place, container, step: container === undefined ? "create" : unchanged ? "keep" : "replace" };
        });
    }
}

/** Replaces nodes so that requests don't notice. */
class NodeReplacement {
    private readonly proxies: ProxyServers;

    constructor(
        private readonly engine: DockerEngine,
        private readonly options: RolloutOptions,
        private readonly nodes: NodePlace[],
        /** Lets the engine replace a node's container, and gives the new one's id once it is there. */
        private readonly replace: (name: string) => Promise<string>,
    ) {
        this.proxies = new ProxyServers(engine, options.networkName);
    }

    async atOnce(places: NodePlace[]): Promise<void> {
        await Promise.all(places.map(({ name }) => this.replace(name)));
    }

    /**
     * Nodes whose inputs are the same. The program doesn't see what a transform of the user's makes of them: where the engine
     * replaces one for that, the next waits until it is back.
     */
    async keep(nodes: PlannedNode[]): Promise<void> {
        for (const { place, container } of nodes) {
            const id = await this.replace(place.name);
            if (id !== container?.id) {
                await this.say(`${place.name}: replaced for what this program doesn't see, and so not drained`);
                await this.untilReady(place, id);
                await this.untilServing([place]);
            }
        }
    }

    /** All nodes at the same time: an outage, in which no running request is cut off and no two kinds of node answer. */
    async together(places: NodePlace[]): Promise<void> {
        await this.say(`replacing all nodes at once: no request is answered until they are ready`);
        await Promise.all(places.map(({ address }) => this.drain(address)));
        const ids = await Promise.all(places.map(async (place) => ({ place, id: await this.replace(place.name) })));
        await Promise.all(ids.map(({ place, id }) => this.untilReady(place, id)));
        await this.untilSettled(places);
        await Promise.all(places.map(({ address }) => this.proxies.set(address, "ready")));
        await this.untilUp(
            places.map(({ address }) => address),
            "every node is ready, but the proxy doesn't show them up",
        );
    }

    async oneByOne(places: NodePlace[]): Promise<void> {
        if (places.length === 0) {
            return;
        }
        await this.warnOfSmallness();
        // Nodes that serve nothing take nothing away by being replaced, and may be mended by it, and others with them.
        const crashed = await this.among(places, ({ state, health }) => state !== "running" || health === "starting");
        await this.mend(crashed);
        const rest = places.filter((place) => !crashed.includes(place));
        const unhealthy = await this.among(rest, ({ health }) => health === "unhealthy");
        await this.mend(unhealthy);
        for (const place of rest.filter((sound) => !unhealthy.includes(sound))) {
            await this.othersReady(place);
            await this.renew(place);
        }
    }

    private async warnOfSmallness(): Promise<void> {
        const count = this.nodes.length;
        if (count < SMALLEST_TO_ROLL) {
            const warning = `a cluster of ${count} nodes can't do without one: requests fail while it is replaced`;
            await pulumi.log.warn(warning, this.options.component);
        } else if (count < SMALLEST_TO_HEAL_LATER) {
            const warning =
                `a cluster of ${count} nodes may not find what is written while one of them is replaced ` +
                "until the store has healed that one: requests for it may fail, and a delete may be undone";
            await pulumi.log.warn(warning, this.options.component);
        }
    }

    /** Waits until nodes serve as their peers do, and, for a while, until every node says that it sees the others. */
    async untilSettled(places: NodePlace[]): Promise<void> {
        if (this.nodes.length === 1 || places.length === 0) {
            return;
        }
        const deadline = Date.now() + SETTLED_SECONDS * 1000;
        for (;;) {
            const answers = await Promise.all([
                ...places.map(({ name }) => this.isSettled(name)),
                ...this.nodes.map(({ name }) => this.seesItsPeers(name)),
            ]);
            if (!answers.includes(false) || Date.now() >= deadline) {
                return;
            }
            await sleep(POLL_INTERVAL_MILLISECONDS);
        }
    }

    /** Takes in again what an update that was interrupted has left out. */
    async clearLeftovers(): Promise<NodePlace[]> {
        const left = await this.proxies.takenOut();
        for (const address of left) {
            await this.proxies.set(address, "ready");
        }
        return this.nodes.filter(({ address }) => left.includes(address));
    }

    /** @throws {pulumi.ResourceError} where a node was stopped by somebody, who may have reasons. */
    async refuseStopped(containers: ListedContainer[]): Promise<void> {
        const stopped = containers.filter(({ state }) => state === "exited" || state === "paused");
        if (stopped.length === 0) {
            return;
        }
        const reports = await Promise.all(
            stopped.map(
                async ({ name, id, state }) => `${name} is ${state}. ${await describeContainer(this.engine, id)}`,
            ),
        );
        const names = stopped.map(({ name }) => name).join(" ");
        throw this.error(
            [
                "No node is replaced while another one is stopped, since the cluster could lose its quorum:",
                ...reports.map((report) => indent(report)),
                `Start it (docker start ${names}; docker unpause where it is paused), then run the same update again.`,
            ].join("\n"),
        );
    }

    private async among(places: NodePlace[], is: (health: ContainerHealth) => boolean): Promise<NodePlace[]> {
        const found = await Promise.all(
            places.map(async ({ name }) => is(await this.engine.health(name)) && !(await this.isReady(name))),
        );
        return places.filter((_, place) => found[place]);
    }

    /** Replaces nodes that don't serve, and waits for them once all of them are there. */
    private async mend(places: NodePlace[]): Promise<void> {
        const ids: [NodePlace, string][] = [];
        for (const place of places) {
            await this.say(`${place.name}: replacing it, since it doesn't serve`);
            ids.push([place, await this.replace(place.name)]);
        }
        await Promise.all(ids.map(([place, id]) => this.untilReady(place, id)));
        await this.untilServing(places);
    }

    /** Waits until nodes that nobody has taken out serve through the proxies as well. */
    async untilServing(places: NodePlace[]): Promise<void> {
        if (places.length === 0) {
            return;
        }
        await this.untilSettled(places);
        await this.untilUp(
            places.map(({ address }) => address),
            `${places.map(({ name }) => name).join(", ")}: ready, but the proxy doesn't show it up`,
        );
    }

    private async renew(place: NodePlace): Promise<void> {
        const servers = (await this.proxies.list()).filter(({ address }) => address === place.address);
        const outByOperator = servers.length > 0 && servers.every(({ status }) => /^(DRAIN|MAINT)/.test(status));
        await this.say(`${place.name}: waiting for its running requests to end`);
        if (outByOperator) {
            await this.untilIdle(place.address, this.options.drainTimeout);
        } else {
            await this.drain(place.address);
            // A console's cookie brings requests to a drained server, to one in maintenance none.
            await this.proxies.set(place.address, "maint");
            await this.untilIdle(place.address, LAST_REQUESTS_SECONDS);
        }
        await this.say(`${place.name}: replacing it`);
        const id = await this.replace(place.name);
        await this.untilReady(place, id).catch(async (error: unknown) => {
            // Where it comes back by itself, the proxy's checks take it in.
            await (outByOperator ? undefined : this.proxies.set(place.address, "ready"));
            throw error;
        });
        await this.untilSettled([place]);
        if (!outByOperator) {
            // Back from maintenance a server is down until two checks were good (service contract, section 3).
            await this.proxies.set(place.address, "ready");
        }
        await this.untilUp([place.address], `${place.name} is ready, but the proxy doesn't show it up`);
    }

    /** No new requests, then the end of those that run. */
    private async drain(address: string): Promise<void> {
        await this.proxies.set(address, "drain");
        await this.untilIdle(address, this.options.drainTimeout);
    }

    private async untilIdle(address: string, timeout: number): Promise<void> {
        const deadline = Date.now() + timeout * 1000;
        for (;;) {
            const servers = (await this.proxies.list()).filter((server) => server.address === address);
            const running = servers.reduce((sum, server) => sum + server.running, 0);
            if (running === 0) {
                return;
            }
            if (Date.now() >= deadline) {
                await this.say(`${running} request(s) still run after ${timeout} s, and are cut off`);
                return;
            }
            await sleep(POLL_INTERVAL_MILLISECONDS);
        }
    }

    private async othersReady(place: NodePlace): Promise<void> {
        const others = this.nodes.filter(({ name }) => name !== place.name);
        const deadline = Date.now() + this.options.readyTimeout * 1000;
        let waiting = others;
        for (let round = 0; ; round++) {
            const ready = await Promise.all(
                waiting.map(
                    async ({ name }) =>
                        (await this.isReady(name)) && (await this.seesItsPeers(name)) && (await this.isSettled(name)),
                ),
            );
            waiting = waiting.filter((_, index) => ready[index] !== true);
            if (waiting.length === 0) {
                break;
            }
            if (Date.now() >= deadline) {
                const reports = await Promise.all(
                    waiting.map(
                        async ({ name }) => `${name} is not ready. ${await describeContainer(this.engine, name)}`,
                    ),
                );
                throw this.error(
                    [
                        `${place.name} is not replaced while another node isn't ready, since the cluster could lose its quorum:`,
                        ...reports.map((report) => indent(report)),
                        "Mend the cause, then run the same update again: it goes on where it stopped.",
                    ].join("\n"),
                );
            }
            if (round % 20 === 0) {
                await this.say(`waiting for ${waiting.map(({ name }) => name).join(", ")} to be ready`);
            }
            await sleep(POLL_INTERVAL_MILLISECONDS);
        }
        await this.untilUp(
            others.map(({ address }) => address),
            `${place.name} is not replaced, since the proxy doesn't show every other node up`,
        );
    }

    private async untilReady({ name }: NodePlace, id: string): Promise<void> {
        const deadline = Date.now() + this.options.readyTimeout * 1000;
        while (!(await this.isReady(id))) {
            if (Date.now() >= deadline) {
                throw this.error(
                    [
                        `${name} is not ready ${this.options.readyTimeout} s after it was replaced. The nodes after it stay as they were.`,
                        indent(await describeContainer(this.engine, id)),
                        "Mend the cause, or set the change back, then run the update again: it goes on where it stopped.",
                    ].join("\n"),
                );
            }
            await sleep(POLL_INTERVAL_MILLISECONDS);
        }
    }

    /** Servers that an operator has drained or put into maintenance are no concern of an update. */
    private async untilUp(addresses: string[], problem: string): Promise<void> {
        const deadline = Date.now() + UP_SECONDS * 1000;
        for (;;) {
            const servers = (await this.proxies.list()).filter(
                ({ address, current }) => current && addresses.includes(address),
            );
            const down = servers.filter(({ status }) => !/^(UP|DRAIN|MAINT|no check)/.test(status));
            if (down.length === 0) {
                return;
            }
            if (Date.now() >= deadline) {
                const states = down.map(({ proxy, server, status }) => `${server} is ${status} in ${proxy}`);
                throw this.error(`${problem}: ${states.join(", ")}`);
            }
            await sleep(POLL_INTERVAL_MILLISECONDS);
        }
    }

    /** Whether the cluster could do without a node, as another one sees it; true where the store doesn't say. */
    private async seesItsPeers(container: string): Promise<boolean> {
        const { maintenancePath } = this.options.profile;
        if (maintenancePath === undefined || this.nodes.length < SMALLEST_TO_ROLL) {
            return true;
        }
        const url = `http://127.0.0.1:${S3_PORT}${maintenancePath}`;
        const command = ["curl", "--silent", "--fail", "--output", "/dev/null", "--max-time", "4", url];
        return (await this.engine.run(container, command).catch(() => undefined))?.code === 0;
    }

    /** Whether a node has had the time to find its peers' drives, and to heal what it missed. */
    private async isSettled(container: string): Promise<boolean> {
        const { startedAt } = await this.engine.health(container);
        return Date.now() >= startedAt + this.options.profile.settleSeconds * 1000;
    }

    private async isReady(container: string): Promise<boolean> {
        return (await this.engine.checkHealth(container)).code === 0;
    }

    private say(text: string): Promise<void> {
        return pulumi.log.info(text, this.options.component, undefined, true);
    }

    private error(message: string): Error {
        return withoutStack(new pulumi.ResourceError(message, this.options.component, true));
    }
}

/** An output's value, once it is known. */
function settled<Value>(output: pulumi.Output<Value>): Promise<Value> {
    return new Promise((resolve) => output.apply((value) => resolve(value)));
}
