import type { ListedContainer } from "../docker/model";
import { NodeWaits, SMALLEST_TO_ROLL } from "./nodeWaits";
import { describeContainer, indent } from "../docker/containerReport";
import type { RolloutLimits, RolloutWorld } from "./dependencies";
import { TakenOut } from "./cordon";
import type { NodePlace } from "../store/topology";

/** A node, and its container if there is one. */
export interface PlacedContainer {
    place: NodePlace;
    container: ListedContainer | undefined;
}

/**
 * Smallest number of nodes at which two of them may lack parts of one object, as in an erasure set. An object that was
 * written while one node was out must be readable while the next one is out.
 */
const SMALLEST_TO_HEAL_LATER = 4;

/** Longest wait for the requests on a server that went from drain to maintenance, in seconds. */
const LAST_REQUESTS_SECONDS = 10;

/** Replaces nodes without failing requests. */
export class NodeReplacement {
    private readonly waits: NodeWaits;
    private readonly out: TakenOut;

    constructor(
        private readonly world: RolloutWorld,
        private readonly limits: RolloutLimits,
        private readonly nodes: readonly NodePlace[],
    ) {
        this.waits = new NodeWaits(world, limits, nodes);
        this.out = new TakenOut(world.proxies, world.interruptions);
    }

    /** Replaces nodes in no particular order and without waiting for any of them. For nodes that serve no requests. */
    async atOnce(places: readonly NodePlace[]): Promise<void> {
        await Promise.all(places.map((place) => this.replace(place)));
    }

    /**
     * Handles nodes whose inputs are unchanged. The program doesn't see the result of a user's transform. If the engine
     * replaces such a node because of one, the next node waits until it is back.
     */
    async keep(nodes: readonly PlacedContainer[]): Promise<void> {
        await Promise.all(nodes.map(({ place }) => this.world.steps.prepare(place.name)));
        for (const { place, container } of nodes) {
            const id = await this.replace(place);
            if (id !== container?.id) {
                await this.say(
                    `${place.name}: replaced because of a change that this program can't see, and therefore without draining`,
                );
                await this.untilReady(place, id);
                await this.waits.untilServing([place]);
            }
        }
    }

    /**
     * Replaces all nodes at the same time. This is an outage, but no running request is cut off, and old and new nodes
     * never serve side by side. Steps that can fail are done before the outage.
     */
    async together(places: readonly NodePlace[]): Promise<void> {
        await Promise.all(places.map(({ name }) => this.world.steps.prepare(name)));
        await this.say("replacing all nodes at once: no request is answered until they are ready");
        const areOut = await Promise.all(places.map((place) => this.waits.isOutByOperator(place)));
        const takeReads = await Promise.all(places.map((place) => this.waits.takesReads(place)));
        await this.out.during(async () => {
            await this.out.takeReads(places.filter((_, index) => areOut[index] === true && takeReads[index] === true));
            await this.out.take(
                places.filter((_, index) => areOut[index] !== true),
                "drain",
            );
            await this.waits.untilIdle(places, this.limits.drainTimeout, () => this.out.refuseInterrupted());
            const ids = await Promise.all(places.map(async (place) => ({ place, id: await this.replace(place) })));
            // A node that doesn't become ready doesn't keep the others out of service.
            const failures = await Promise.all(
                ids.map(async ({ place, id }) => {
                    const report = await this.waits.untilReady(id);
                    if (report !== undefined) {
                        return [`${this.notReady(place)}\n${indent(report)}`];
                    }
                    await this.waits.untilSettled([place]);
                    this.out.ready(place);
                    await this.out.putBack([place]);
                    return [];
                }),
            );
            if (failures.flat().length > 0) {
                throw this.error([
                    ...failures.flat(),
                    "All nodes were replaced, and those that are ready are in service.",
                    "Correct the cause, or set the change back, then run the update again.",
                ]);
            }
        });
        await this.waits.untilUp(places, "every node is ready, but the proxy doesn't show them up");
    }

    /** Replaces nodes one by one. Those that don't serve come first. */
    async oneByOne(places: readonly NodePlace[]): Promise<void> {
        if (places.length === 0) {
            return;
        }
        await this.warnOfSmallness();
        // Replacing nodes that don't serve takes nothing out of service. It may repair them, and with them other nodes.
        const crashed = await this.waits.unready(
            [...places],
            ({ state, health }) => state !== "running" || health === "starting",
        );
        await this.replaceUnready(crashed);
        const rest = places.filter((place) => !crashed.includes(place));
        const unhealthy = await this.waits.unready(rest, ({ health }) => health === "unhealthy");
        await this.replaceUnready(unhealthy);
        for (const place of rest.filter((ready) => !unhealthy.includes(ready))) {
            await this.requireOthers(place);
            await this.renew(place);
        }
    }

    /** Returns to service the nodes that an interrupted update had taken out. Resolves to these nodes. */
    async clearLeftovers(): Promise<NodePlace[]> {
        const [names, ofReads] = await Promise.all([
            this.world.proxies.takenOut(),
            this.world.proxies.takenOut("reads"),
        ]);
        if (ofReads.length > 0) {
            await this.world.proxies.set(ofReads, "ready reads");
        }
        const left = this.nodes.filter(({ name }) => names.includes(name));
        if (left.length > 0) {
            await this.world.proxies.set(
                left.map(({ name }) => name),
                "ready",
            );
        }
        return left;
    }

    /**
     * Waits, at the end, until nodes also serve through the proxies, except those that an operator has taken out.
     */
    untilServing(places: readonly NodePlace[]): Promise<void> {
        return this.waits.untilServing(places);
    }

    /** @throws {pulumi.ResourceError} if an operator stopped a node, who may have had reasons to do so. */
    async refuseStopped(containers: readonly ListedContainer[]): Promise<void> {
        const stopped = containers.filter(({ state }) => state === "exited" || state === "paused");
        if (stopped.length === 0) {
            return;
        }
        const reports = await Promise.all(
            stopped.map(
                async ({ name, id, state }) => `${name} is ${state}. ${await describeContainer(this.world.engine, id)}`,
            ),
        );
        const names = stopped.map(({ name }) => name).join(" ");
        throw this.error([
            "No node is replaced while another one is stopped, since the cluster could lose its quorum:",
            ...reports.map(indent),
            `Start it (docker start ${names}; docker unpause where it is paused), then run the same update again.`,
        ]);
    }

    private async warnOfSmallness(): Promise<void> {
        const count = this.nodes.length;
        if (count < SMALLEST_TO_ROLL) {
            await this.world.report.warning(
                `a cluster of ${count} nodes can't serve all requests while one of them is down: requests fail while it is replaced`,
            );
        } else if (count < SMALLEST_TO_HEAL_LATER) {
            await this.world.report.warning(
                `a cluster of ${count} nodes may not find what is written while one of them is replaced ` +
                    "until the store has healed that one: requests for it may fail, and a delete may be undone",
            );
        }
    }

    /** Replaces nodes that don't serve. Waits for them once all are replaced. */
    private async replaceUnready(places: readonly NodePlace[]): Promise<void> {
        const ids: [NodePlace, string][] = [];
        for (const place of places) {
            await this.say(`${place.name}: replacing it, since it doesn't serve`);
            ids.push([place, await this.replace(place)]);
        }
        await Promise.all(ids.map(([place, id]) => this.untilReady(place, id)));
        await this.waits.untilServing(places);
    }

    private async renew(place: NodePlace): Promise<void> {
        // Steps that can fail while the node is still in service come before it is taken out.
        await this.world.steps.prepare(place.name);
        await this.say(`${place.name}: waiting for its running requests to end`);
        if (await this.waits.isOutByOperator(place)) {
            await this.waits.untilIdle([place], this.limits.drainTimeout);
            await this.exchange(place);
        } else {
            await this.out.during(async () => {
                await this.out.take([place], "drain");
                await this.untilIdle(place, this.limits.drainTimeout);
                // A drained server still gets requests with a console's cookie. A server in maintenance gets none.
                await this.out.take([place], "maint");
                await this.untilIdle(place, LAST_REQUESTS_SECONDS);
                await this.exchange(place);
            });
        }
        await this.waits.untilUp([place], `${place.name} is ready, but the proxy doesn't report it as UP`);
    }

    private async exchange(place: NodePlace): Promise<void> {
        await this.say(`${place.name}: replacing it`);
        await this.untilReady(place, await this.replace(place));
        await this.waits.untilSettled([place]);
        // After maintenance a server is down until two health checks have passed (service contract, section 3).
        this.out.ready(place);
    }

    private async replace(place: NodePlace): Promise<string> {
        this.out.replacing(place);
        return this.world.steps.replace(place.name);
    }

    private untilIdle(place: NodePlace, timeout: number): Promise<void> {
        return this.waits.untilIdle([place], timeout, () => this.out.refuseInterrupted());
    }

    private async requireOthers(place: NodePlace): Promise<void> {
        const reports = await this.waits.untilOthersReady(place);
        if (reports.length > 0) {
            throw this.error([
                `${place.name} is not replaced while another node isn't ready, since the cluster could lose its quorum:`,
                ...reports.map(indent),
                "Correct the cause, then run the same update again: it goes on where it stopped.",
            ]);
        }
        await this.waits.untilUp(
            this.nodes.filter(({ name }) => name !== place.name),
            `${place.name} is not replaced, since the proxy doesn't show every other node up`,
        );
    }

    private async untilReady(place: NodePlace, id: string): Promise<void> {
        const report = await this.waits.untilReady(id);
        if (report !== undefined) {
            throw this.error([
                `${this.notReady(place)} The nodes after it stay as they were.`,
                indent(report),
                "Correct the cause, or set the change back, then run the update again: it goes on where it stopped.",
            ]);
        }
    }

    private notReady({ name }: NodePlace): string {
        return `${name} is not ready ${this.limits.readyTimeout} s after it was replaced.`;
    }

    private say(text: string): Promise<void> {
        return this.world.report.progress(text);
    }

    private error(lines: string[]): Error {
        return this.world.report.error(lines.join("\n"));
    }
}
