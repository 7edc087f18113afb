import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment";
import { DockerHost, type ContainerEvent } from "./dockerHost";
import { HaproxyRuntime, type BackendName } from "./haproxyRuntime";

/** How the proxy had every node at one moment, in each backend: `UP`, `DRAIN`, `MAINT`, `DOWN` … */
export interface ProxyView {
    /** When it was asked, and when it had answered, in milliseconds. */
    asked: number;
    answered: number;
    states: { [Backend in BackendName]: { [server: string]: string } };
}

/** One replacement of a node's container, as the engine records it; times in milliseconds. */
export interface Replacement {
    /** `node1` … */
    server: string;
    /** Container that went. */
    id: string;
    /** When its process was told to end, or ended by itself. */
    gone: number;
    /** When the next container of that name was started; none where it never was. */
    started: number | undefined;
}

const PAUSE_MILLISECONDS = 200;

/** A node is drained, then put into maintenance, in less than this. */
const OLD_MILLISECONDS = 1000;

/** What the engine and the proxy say of the nodes, from one moment to another. */
export class RolloutRecord {
    readonly views: ProxyView[] = [];
    private events: ContainerEvent[] = [];

    private constructor(private readonly deployment: Deployment) {}

    /** Records while something is done, and gives the record, whatever became of that. */
    static async of(
        deployment: Deployment,
        work: (views: readonly ProxyView[]) => Promise<unknown>,
    ): Promise<RolloutRecord> {
        const record = new RolloutRecord(deployment);
        const host = new DockerHost();
        const recording = await host.recordEvents(`${deployment.clusterName}-`);
        let going = true;
        const proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
        const watched = record.watch(proxy, () => going);
        try {
            await work(record.views);
        } finally {
            going = false;
            record.events = recording.stop();
            await watched;
        }
        return record;
    }

    /** Replacements of nodes, in their order; a container that is started again is none. */
    replacements(): Replacement[] {
        const nodes = `${this.deployment.clusterName}-pool1-`;
        let found: Replacement[] = [];
        for (const { container, id, action, time } of this.events) {
            const server = container.slice(nodes.length);
            if (!container.startsWith(nodes) || !/^node\d+$/.test(server)) {
                continue;
            }
            const at = Number(time / 1_000_000n);
            const open = found.find((other) => other.server === server && other.started === undefined);
            if ((action === "kill" || action === "die") && open === undefined) {
                found.push({ server, id, gone: at, started: undefined });
            } else if (action === "start" && open?.id === id) {
                found = found.filter((other) => other !== open);
            } else if (action === "start" && open !== undefined) {
                open.started = at;
            }
        }
        return found;
    }

    /**
     * The last view that the proxy had given before a moment. Where that is old, since the machine was busy, the first one after it: what is
     * replaced stays out for seconds after it went.
     */
    viewAt(time: number): ProxyView {
        const before = this.views.filter(({ answered }) => answered < time).at(-1);
        const view =
            before !== undefined && time - before.asked < OLD_MILLISECONDS
                ? before
                : this.views.find(({ asked }) => asked > time);
        if (view === undefined) {
            throw new Error("the proxy wasn't asked at that moment");
        }
        return view;
    }

    private async watch(proxy: HaproxyRuntime, goesOn: () => boolean): Promise<void> {
        while (goesOn()) {
            const asked = Date.now();
            const [s3, console] = await Promise.all([proxy.states("s3"), proxy.states("console")]);
            this.views.push({ asked, answered: Date.now(), states: { s3, console } });
            await sleep(PAUSE_MILLISECONDS);
        }
    }
}

/** States of one node in both backends. */
export function statesOf({ states }: ProxyView, server: string): string[] {
    return [states.s3[server] ?? "none", states.console[server] ?? "none"];
}

/** Whether the proxy sends a node new requests, in both backends. */
export function takesRequests(view: ProxyView, server: string): boolean {
    return statesOf(view, server).every((state) => state.startsWith("UP"));
}

/** Whether a node was taken out, in both backends. */
export function isTakenOut(view: ProxyView, server: string): boolean {
    return statesOf(view, server).every((state) => /^(DRAIN|MAINT)/.test(state));
}

/**
 * Fails unless these nodes were replaced in this order, and at each moment when one of them went, it was taken out and
 * every other was up in both backends.
 *
 * @param drained Nodes that somebody has drained, which need not be up.
 */
export function expectOneAtATime(record: RolloutRecord, servers: string[], drained: string[] = []): void {
    const replacements = record.replacements();
    expect(replacements.map(({ server }) => server)).toEqual(servers);
    replacements.forEach(({ server, gone }, place) => {
        const view = record.viewAt(gone);
        expect({ server, out: isTakenOut(view, server) }).toEqual({ server, out: true });
        const others = Object.keys(view.states.s3).filter((other) => other !== server && !drained.includes(other));
        expect({ server, down: others.filter((other) => !takesRequests(view, other)) }).toEqual({ server, down: [] });
        const former = replacements[place - 1];
        if (former !== undefined) {
            expect(former.started).toBeLessThan(view.asked);
        }
    });
}
