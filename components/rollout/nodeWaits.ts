import type { ContainerHealth } from "../docker/model";
import { poll, type PollOptions } from "../docker/poll";
import { hasOtherPaths, isOfReads, isOut, isUp, type ProxyServer } from "../proxyControl/proxyServers";
import { describeContainer } from "../docker/containerReport";
import type { RolloutDependencies } from "./dependencies";
import { SETTLED_SECONDS, SMALLEST_TO_ROLL, UP_SECONDS, type RolloutLimits } from "./limits";
import { S3_PORT, type NodeSpec } from "../store/topology";

/** The queries and waits of a rollout, for nodes and proxies. */
export class NodeWaits {
    constructor(
        private readonly dependencies: Omit<RolloutDependencies, "steps" | "interruptions">,
        private readonly limits: RolloutLimits,
        private readonly nodes: readonly NodeSpec[],
    ) {}

    /** Nodes that aren't ready and whose container's state fulfils the condition `is`. */
    async unready(places: readonly NodeSpec[], is: (health: ContainerHealth) => boolean): Promise<NodeSpec[]> {
        const found = await Promise.all(
            places.map(
                async ({ name }) => is(await this.dependencies.engine.health(name)) && !(await this.isReady(name)),
            ),
        );
        return places.filter((_, index) => found[index]);
    }

    /** Waits until a container is ready. Resolves to a description of the container if it isn't ready within the limit. */
    async untilReady(id: string): Promise<string | undefined> {
        const ready = await poll(
            async () => ((await this.isReady(id)) ? true : undefined),
            this.within(this.limits.readyTimeout),
        );
        return ready === true ? undefined : describeContainer(this.dependencies.engine, id);
    }

    /**
     * Waits until every other node is ready and sees its peers. Resolves to a report for each node that isn't within the
     * limit.
     */
    async untilOthersReady(place: NodeSpec): Promise<string[]> {
        let waiting = this.nodes.filter(({ name }) => name !== place.name);
        await poll(async (round) => {
            const ready = await Promise.all(
                waiting.map(
                    async ({ name }) =>
                        (await this.isReady(name)) && (await this.seesItsPeers(name)) && (await this.isSettled(name)),
                ),
            );
            waiting = waiting.filter((_, index) => ready[index] !== true);
            if (waiting.length === 0) {
                return true;
            }
            if (round % 20 === 0) {
                await this.dependencies.report.progress(
                    `waiting for ${waiting.map(({ name }) => name).join(", ")} to be ready`,
                );
            }
            return undefined;
        }, this.within(this.limits.readyTimeout));
        return Promise.all(
            waiting.map(
                async ({ name }) => `${name} is not ready. ${await describeContainer(this.dependencies.engine, name)}`,
            ),
        );
    }

    /**
     * Waits until nodes have had their time to settle, and every node reports that it sees the others. Stops waiting after
     * a limit.
     */
    async untilHealed(places: readonly NodeSpec[]): Promise<void> {
        if (this.nodes.length === 1 || places.length === 0) {
            return;
        }
        await poll(async () => {
            const answers = await Promise.all([
                ...places.map(({ name }) => this.isSettled(name)),
                ...this.nodes.map(({ name }) => this.seesItsPeers(name)),
            ]);
            return answers.includes(false) ? undefined : true;
        }, this.within(SETTLED_SECONDS));
    }

    /**
     * Waits until no request runs on the nodes. If some still run after the limit, it reports that and continues.
     *
     * @param goesOn Throws if there is no reason to wait any more.
     */
    async untilIdle(places: readonly NodeSpec[], timeout: number, goesOn: () => void = () => undefined): Promise<void> {
        let running = 0;
        await poll(async () => {
            goesOn();
            const servers = await this.serversOf(places);
            running = servers.reduce((sum, server) => sum + server.running, 0);
            return running === 0 ? true : undefined;
        }, this.within(timeout));
        goesOn();
        if (running > 0) {
            await this.dependencies.report.progress(
                `${running} request(s) still run after ${timeout} s: they are cut off when the node stops`,
            );
        }
    }

    /**
     * Waits until the proxies show nodes up. Servers that an operator has drained or put into maintenance are ignored, and those whose
     * health path the proxy gets only after the nodes: that of another store's profile.
     *
     * @throws {Error} with the problem, and each server that is down, after a minute.
     */
    async untilUp(places: readonly NodeSpec[], problem: string): Promise<void> {
        let states: string[] = [];
        await poll(async () => {
            const down = (await this.serversOf(places)).filter(
                (server) => server.current && !isUp(server) && !isOut(server) && !hasOtherPaths(server),
            );
            states = down.map(({ proxy, server, status }) => `${server} is ${status} in ${proxy}`);
            return down.length === 0 ? true : undefined;
        }, this.within(UP_SECONDS));
        if (states.length > 0) {
            throw this.dependencies.report.error(`${problem}: ${states.join(", ")}`);
        }
    }

    /** Waits until nodes also serve through the proxies, except those that an operator has taken out. */
    async untilServing(places: readonly NodeSpec[]): Promise<void> {
        if (places.length === 0) {
            return;
        }
        await this.untilHealed(places);
        await this.untilUp(
            places,
            `${places.map(({ name }) => name).join(", ")}: ready, but the proxy doesn't report it as UP`,
        );
    }

    /**
     * Whether an operator, not this program, keeps a node out of the S3 and console backends. The backend that only reads
     * doesn't count, nor do workers from before a reload, which an operator can't reach.
     */
    async isCordonedByOperator(place: NodeSpec): Promise<boolean> {
        const servers = (await this.serversOf([place])).filter(({ server, current }) => current && !isOfReads(server));
        return servers.length > 0 && servers.every(isOut);
    }

    /**
     * Whether the backend that only reads, if there is one, may send requests to a node: no operator keeps the node out
     * there.
     */
    async takesReads(place: NodeSpec): Promise<boolean> {
        return (await this.serversOf([place])).some(
            (server) => server.current && isOfReads(server.server) && !isOut(server),
        );
    }

    private async serversOf(places: readonly NodeSpec[]): Promise<ProxyServer[]> {
        return (await this.dependencies.proxies.list()).filter(({ node }) => places.some(({ name }) => name === node));
    }

    private async isReady(container: string): Promise<boolean> {
        return (await this.dependencies.engine.checkHealth(container)).code === 0;
    }

    /** Whether the cluster can serve without one node, according to another node. True if the store has no such status. */
    private async seesItsPeers(container: string): Promise<boolean> {
        const { maintenancePath } = this.limits.profile;
        if (maintenancePath === undefined || this.nodes.length < SMALLEST_TO_ROLL) {
            return true;
        }
        const url = `http://127.0.0.1:${S3_PORT}${maintenancePath}`;
        const command = [
            "curl",
            "--noproxy",
            "*",
            "--silent",
            "--fail",
            "--output",
            "/dev/null",
            "--max-time",
            "4",
            url,
        ];
        return (await this.dependencies.engine.run(container, command).catch(() => undefined))?.code === 0;
    }

    /**
     * Whether a node has had time to find its peers' drives and to heal what it missed. Both times come from the clock
     * of its engine.
     */
    private async isSettled(container: string): Promise<boolean> {
        const [now, { startedAt }] = await Promise.all([
            this.dependencies.engine.now(container),
            this.dependencies.engine.health(container),
        ]);
        return now >= startedAt + this.limits.profile.settleSeconds * 1000;
    }

    private within(timeout: number): PollOptions {
        return { clock: this.dependencies.clock, timeout };
    }
}
