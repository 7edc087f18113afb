import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment";
import { DockerHost, type ContainerEvent } from "./dockerHost";
import { HaproxyRuntime, type BackendName } from "./haproxyRuntime";

/** State of every node in each backend of the proxy: `UP`, `DRAIN`, `MAINT`, `DOWN` … */
export interface ProxyStates {
    states: { [Backend in BackendName]: { [server: string]: string } };
}

/** The node states that the proxy reported. */
export interface ProxyView extends ProxyStates {
    /** Times of the request to the proxy and of its answer, in milliseconds. */
    asked: number;
    answered: number;
}

/** One replacement of a node's container, as the engine records it; times in milliseconds. */
export interface Replacement {
    /** `node1` … */
    server: string;
    /** Id of the container that was replaced. */
    id: string;
    /** Time at which its process got a signal, or ended by itself. */
    gone: number;
    /** Time at which the next container with that name was started; undefined if there was none. */
    started: number | undefined;
}

const PAUSE_MILLISECONDS = 200;

/** A log line in which HAProxy reports a server's state change, after the time at which the engine read it. */
const CHANGE = /^(\S+) Server (s3|console)\/(\S+) (.*)/;

/** Events of the nodes, from the engine and the proxy, within a period of time. */
export class RolloutRecord {
    readonly views: ProxyView[] = [];
    private events: ContainerEvent[] = [];
    private changes: StateChange[] = [];

    private constructor(private readonly deployment: Deployment) {}

    /** Records while an action runs, and returns the record even if the action fails. */
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

    /** Replacements of nodes, in order. A restart of the same container doesn't count. */
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
     * The states at a moment, from the proxy's log. The log has every change, whereas views are only as frequent as the
     * proxy's answers.
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

/** A change of a server's state in HAProxy's log. */
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

/** The state after a change in HAProxy's log, in the terms of its statistics. */
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

/** Whether the proxy sends new requests to a node, in both backends. */
export function takesRequests(view: ProxyStates, server: string): boolean {
    return statesOf(view, server).every((state) => state.startsWith("UP"));
}

/** Whether a node is out of service, in both backends. */
export function isTakenOut(view: ProxyStates, server: string): boolean {
    return statesOf(view, server).every((state) => /^(DRAIN|MAINT)/.test(state));
}

/**
 * Fails unless these nodes were replaced in this order. At the moment when one of them was stopped, it has to be out of
 * service, and all others have to be up in both backends.
 *
 * @param drained Nodes that an operator has drained. They need not be up.
 */
export function expectOneAtATime(record: RolloutRecord, servers: string[], drained: string[] = []): void {
    const replacements = record.replacements();
    expect(replacements.map(({ server }) => server)).toEqual(servers);
    replacements.forEach(({ server, gone }, index) => {
        const view = record.statesAt(gone);
        expect({ server, out: isTakenOut(view, server) }).toEqual({ server, out: true });
        const others = Object.keys(view.states.s3).filter((other) => other !== server && !drained.includes(other));
        expect({ server, down: others.filter((other) => !takesRequests(view, other)) }).toEqual({ server, down: [] });
        const former = replacements[index - 1];
        if (former !== undefined) {
            expect(former.started).toBeLessThan(gone);
        }
    });
}
