import { indent } from "../docker/containerReport";
import type { NodeSpec } from "../store/topology";
import { Cordon } from "./cordon";
import type { RolloutDependencies } from "./dependencies";
import { LAST_REQUESTS_SECONDS, SMALLEST_TO_HEAL_LATER, SMALLEST_TO_ROLL, type RolloutLimits } from "./limits";
import { placesWith, type PlacedContainer, type RolloutPlan } from "./nodePlan";
import { NodeWaits } from "./nodeWaits";
import { refuseStopped } from "./refusals";

/** Waits until the nodes also serve through the proxies. Called once all nodes are healthy. */
export type UntilServing = () => Promise<void>;

/**
 * Replaces nodes without failing requests: one at a time, and each only when all others are ready and up in the proxies. A
 * node is drained before it stops. If a node doesn't become ready, or its container doesn't start, the update ends with an
 * error: the nodes after it stay as they were, and the next update goes on, or goes back.
 *
 * Its time limits are the args `readyTimeout` and `drainTimeout` of the cluster; those that can't be set are in limits.ts.
 */
export class Rollout {
    private readonly waits: NodeWaits;
    private readonly cordon: Cordon;

    constructor(
        private readonly dependencies: RolloutDependencies,
        private readonly limits: RolloutLimits,
        private readonly nodes: readonly NodeSpec[],
    ) {
        this.waits = new NodeWaits(dependencies, limits, nodes);
        this.cordon = new Cordon(dependencies.proxies, dependencies.interruptions);
    }

    /**
     * The order of an update. A missing container is created at once, since that takes no node out of service. All nodes
     * are replaced at once if the store has never held data, or if a setting changes that must be identical on all nodes.
     *
     * @param left Nodes that were just returned to service.
     * @returns A function that waits for the rest; call it once all nodes are healthy.
     */
    async run({ nodes, formed, changesAll }: RolloutPlan, left: readonly NodeSpec[]): Promise<UntilServing> {
        const all = nodes.map(({ place }) => place);
        const [created, replaced] = [placesWith("create", nodes), placesWith("replace", nodes)];
        if (nodes.length === 1 || !formed) {
            await this.atOnce(all);
            return () => this.waits.untilServing([...created, ...replaced, ...left]);
        }
        if (replaced.length > 0 && changesAll) {
            await this.together(all);
        } else {
            if (replaced.length > 0) {
                await refuseStopped(nodes, this.dependencies);
            }
            await this.atOnce(created);
            await this.keep(nodes.filter(({ step }) => step === "keep"));
            await this.oneByOne(replaced);
        }
        return () => this.waits.untilServing([...created, ...left]);
    }

    /** Returns to service the nodes that an interrupted update had taken out. Resolves to these nodes. */
    async clearLeftovers(): Promise<NodeSpec[]> {
        const { proxies } = this.dependencies;
        const [names, ofReads] = await Promise.all([proxies.cordoned(), proxies.cordoned("reads")]);
        if (ofReads.length > 0) {
            await proxies.set(ofReads, "ready reads");
        }
        const left = this.nodes.filter(({ name }) => names.includes(name));
        if (left.length > 0) {
            await proxies.set(
                left.map(({ name }) => name),
                "ready",
            );
        }
        return left;
    }

    /** Replaces nodes in no particular order and without waiting for any of them. For nodes that serve no requests. */
    private async atOnce(places: readonly NodeSpec[]): Promise<void> {
        await Promise.all(places.map((place) => this.replace(place)));
    }

    /**
     * Handles nodes whose inputs are unchanged. The program doesn't see the result of a user's transform. If the engine
     * replaces such a node because of one, the next node waits until it is back.
     */
    private async keep(nodes: readonly PlacedContainer[]): Promise<void> {
        await Promise.all(nodes.map(({ place }) => this.dependencies.steps.prepare(place.name)));
        for (const { place, container } of nodes) {
            const id = await this.replace(place);
            if (id !== container?.id) {
                await this.say(
                    `${place.name}: replaced because of a change that this program can't see, and therefore without draining`,
                );
                await this.requireReady(place, id);
                await this.waits.untilServing([place]);
            }
        }
    }

    /**
     * Replaces all nodes at the same time. This is an outage, but no running request is cut off, and old and new nodes
     * never serve side by side. Steps that can fail are done before the outage.
     */
    private async together(places: readonly NodeSpec[]): Promise<void> {
        await Promise.all(places.map(({ name }) => this.dependencies.steps.prepare(name)));
        await this.say("replacing all nodes at once: no request is answered until they are ready");
        await this.cordon.during(async () => {
            await this.cordonAll(places);
            await this.untilIdle(places, this.limits.drainTimeout);
            const replaced = await Promise.all(
                places.map(async (place) => [place, await this.replace(place)] as const),
            );
            const failures = await Promise.all(replaced.map(([place, id]) => this.uncordonOnceReady(place, id)));
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

    /** Those that an operator keeps out stay so. But they would get reads while no other node is in service. */
    private async cordonAll(places: readonly NodeSpec[]): Promise<void> {
        const areOut = await Promise.all(places.map((place) => this.waits.isCordonedByOperator(place)));
        const drainReads = await Promise.all(places.map((place) => this.waits.takesReads(place)));
        await this.cordon.drainReads(places.filter((_, index) => areOut[index] === true && drainReads[index] === true));
        await this.cordon.set(
            places.filter((_, index) => areOut[index] !== true),
            "drain",
        );
    }

    /** A node that doesn't become ready doesn't keep the others out of service: it is reported, not thrown. */
    private async uncordonOnceReady(place: NodeSpec, id: string): Promise<string[]> {
        const report = await this.waits.untilReady(id);
        if (report !== undefined) {
            return [this.notReady(place), indent(report)];
        }
        await this.waits.untilHealed([place]);
        this.cordon.ready(place);
        await this.cordon.uncordon([place]);
        return [];
    }

    /** Replaces nodes one by one. Those that don't serve come first: that takes nothing out of service, and may repair others. */
    private async oneByOne(places: readonly NodeSpec[]): Promise<void> {
        if (places.length === 0) {
            return;
        }
        await this.warnOfSmallness();
        const crashed = await this.waits.unready(
            places,
            ({ state, health }) => state !== "running" || health === "starting",
        );
        await this.replaceUnready(crashed);
        const rest = places.filter((place) => !crashed.includes(place));
        const unhealthy = await this.waits.unready(rest, ({ health }) => health === "unhealthy");
        await this.replaceUnready(unhealthy);
        for (const place of rest.filter((ready) => !unhealthy.includes(ready))) {
            await this.replaceOne(place);
        }
    }

    private async warnOfSmallness(): Promise<void> {
        const count = this.nodes.length;
        if (count < SMALLEST_TO_ROLL) {
            await this.dependencies.report.warning(
                `a cluster of ${count} nodes can't serve all requests while one of them is down: requests fail while it is replaced`,
            );
        } else if (count < SMALLEST_TO_HEAL_LATER) {
            await this.dependencies.report.warning(
                `a cluster of ${count} nodes may not find what is written while one of them is replaced ` +
                    "until the store has healed that one: requests for it may fail, and a delete may be undone",
            );
        }
    }

    /** Replaces nodes that don't serve. Waits for them once all are replaced. */
    private async replaceUnready(places: readonly NodeSpec[]): Promise<void> {
        const ids: [NodeSpec, string][] = [];
        for (const place of places) {
            await this.say(`${place.name}: replacing it, since it doesn't serve`);
            ids.push([place, await this.replace(place)]);
        }
        await Promise.all(ids.map(([place, id]) => this.requireReady(place, id)));
        await this.waits.untilServing(places);
    }

    /** Replaces a node that serves. It is returned to service however that ends. */
    private async replaceOne(place: NodeSpec): Promise<void> {
        await this.requireOthers(place);
        // Steps that can fail while the node is still in service come before it is taken out.
        await this.dependencies.steps.prepare(place.name);
        await this.say(`${place.name}: waiting for its running requests to end`);
        if (await this.waits.isCordonedByOperator(place)) {
            await this.waits.untilIdle([place], this.limits.drainTimeout);
            await this.exchange(place);
        } else {
            await this.cordon.during(async () => {
                await this.cordon.set([place], "drain");
                await this.untilIdle([place], this.limits.drainTimeout);
                // A drained server still gets requests with a console's cookie. A server in maintenance gets none.
                await this.cordon.set([place], "maint");
                await this.untilIdle([place], LAST_REQUESTS_SECONDS);
                await this.exchange(place);
            });
        }
        await this.waits.untilUp([place], `${place.name} is ready, but the proxy doesn't report it as UP`);
    }

    private async exchange(place: NodeSpec): Promise<void> {
        await this.say(`${place.name}: replacing it`);
        await this.requireReady(place, await this.replace(place));
        await this.waits.untilHealed([place]);
        // After maintenance a server is down until two health checks have passed (service contract, section 3).
        this.cordon.ready(place);
    }

    private async replace(place: NodeSpec): Promise<string> {
        this.cordon.replacing(place);
        return this.dependencies.steps.replace(place.name);
    }

    private untilIdle(places: readonly NodeSpec[], timeout: number): Promise<void> {
        return this.waits.untilIdle(places, timeout, () => this.cordon.refuseInterrupted());
    }

    /** @throws {pulumi.ResourceError} if another node isn't ready, or not up in the proxies, within the limit. */
    private async requireOthers(place: NodeSpec): Promise<void> {
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

    /** @throws {pulumi.ResourceError} if a replaced node doesn't become ready within the limit: the update ends. */
    private async requireReady(place: NodeSpec, id: string): Promise<void> {
        const report = await this.waits.untilReady(id);
        if (report !== undefined) {
            throw this.error([
                `${this.notReady(place)} The nodes after it stay as they were.`,
                indent(report),
                "Correct the cause, or set the change back, then run the update again: it goes on where it stopped.",
            ]);
        }
    }

    private notReady({ name }: NodeSpec): string {
        return `${name} is not ready ${this.limits.readyTimeout} s after it was replaced.`;
    }

    private say(text: string): Promise<void> {
        return this.dependencies.report.progress(text);
    }

    private error(lines: string[]): Error {
        return this.dependencies.report.error(lines.join("\n"));
    }
}
