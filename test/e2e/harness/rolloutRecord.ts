import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment";
import { DockerHost, type ContainerEvent } from "./dockerHost";
import { HaproxyRuntime, type BackendName } from "./haproxyRuntime";

/** State of every node in each backend of the proxy: `UP`, `DRAIN`, `MAINT`, `DOWN` … */
export interface ProxyStates {
    states: { [Backend in BackendName]: { [server: string]: string } };
}

/** What the proxy said of its nodes' states. */
export interface ProxyView extends ProxyStates {
    /** When it was asked, and when it had answered, in milliseconds. */
    asked: number;
    answered: number;
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

/** A line in which HAProxy says that a server's state changed, after the time at which the engine read it. */
const CHANGE = /^(\S+) Server (s3|console)\/(\S+) (.*)/;

/** What the engine and the proxy say of the nodes, from one moment to another. */
export class RolloutRecord {
    readonly views: ProxyView[] = [];
    private events: ContainerEvent[] = [];
    private changes: StateChange[] = [];

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
            const since = record.views[0]?.asked ?? 0;
            record.changes = (await host.timedLines(proxy.container, since)).flatMap(changeOf);
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
     * The states at a moment, by the proxy's log: it holds each change, while views are apart by as long as the proxy takes to answer.
     */
    statesAt(time: number): ProxyStates {
        const [first] = this.views;
        if (first === undefined || first.answered > time) {
            throw new Error("the proxy wasn't asked before that moment");
        }
        const states = { s3: { ...first.states.s3 }, console: { ...first.states.console } };
        for (const { backend, server, state, time: changed } of this.changes) {
            if (changed > first.asked && changed <= time) {
                states[backend][server] = state;
            }
        }
        return { states };
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

/** A change of a server's state that HAProxy has logged. */
interface StateChange {
    time: number;
    backend: BackendName;
    server: string;
    state: string;
}

function changeOf(line: string): StateChange[] {
    const [, time = "", backend, server = "", words = ""] = CHANGE.exec(line) ?? [];
    const state = stateOf(words);
    return state === undefined ? [] : [{ time: Date.parse(time), backend: backend as BackendName, server, state }];
}

/** The state that HAProxy's words for a change lead to, in the words of its statistics. */
function stateOf(words: string): string | undefined {
    if (/^(is going DOWN for|was DOWN and now enters) maintenance/.test(words)) {
        return "MAINT";
    }
    return /^(enters drain|is \w+\/DRAIN)/.test(words) ? "DRAIN" : /^is (UP|DOWN)\b/.exec(words)?.[1];
}

/** States of one node in both backends. */
export function statesOf({ states }: ProxyStates, server: string): string[] {
    return [states.s3[server] ?? "none", states.console[server] ?? "none"];
}

/** Whether the proxy sends a node new requests, in both backends. */
export function takesRequests(view: ProxyStates, server: string): boolean {
    return statesOf(view, server).every((state) => state.startsWith("UP"));
}

/** Whether a node was taken out, in both backends. */
export function isTakenOut(view: ProxyStates, server: string): boolean {
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
        const view = record.statesAt(gone);
        expect({ server, out: isTakenOut(view, server) }).toEqual({ server, out: true });
        const others = Object.keys(view.states.s3).filter((other) => other !== server && !drained.includes(other));
        expect({ server, down: others.filter((other) => !takesRequests(view, other)) }).toEqual({ server, down: [] });
        const former = replacements[place - 1];
        if (former !== undefined) {
            expect(former.started).toBeLessThan(gone);
        }
    });
}
