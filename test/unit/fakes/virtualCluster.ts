import { withMessageOnly } from "../../../components/checks/problem";
import type { ListedContainer } from "../../../components/docker/model";
import type { Interruptions } from "../../../components/pulumi/interruption";
import { Rollout } from "../../../components/rollout/rollout";
import type { ProxyControl, ProxyServer } from "../../../components/proxyControl/proxyServers";
import type { PlannedNode } from "../../../components/rollout/nodePlan";
import type { NodeEngine, NodeSteps, RolloutDependencies } from "../../../components/rollout/dependencies";
import type { RolloutLimits } from "../../../components/rollout/limits";
import type { NodeSpec } from "../../../components/store/topology";
import { VirtualClock } from "./virtualClock";
import type { Trouble } from "./clusterTrouble";

interface VirtualNode {
    id: string;
    ready: boolean;
    /** By the engine's clock, in milliseconds. */
    startedAt: number;
    state: "ready" | "drain" | "maint";
    note: boolean;
    running: number;
}

const EPOCH = Date.parse("2030-01-01T00:00:00Z");

/** Seconds that a container needs to become ready. */
const START_SECONDS = 2;

/** A simulation of nodes, proxies, Pulumi and the signals of a process. */
export class VirtualCluster {
    readonly clock: VirtualClock;
    /** The actions in order: `prepare node1`, `drain node1`, `replace node1` … */
    readonly events: string[] = [];
    readonly nodes: PlannedNode[];
    readonly said: string[] = [];
    /** For each replaced node: seconds from its container's start until it was back in service. */
    readonly backAfter = new Map<string, number>();
    /** The undo actions that are registered at present. */
    readonly undos = new Set<() => Promise<void>>();
    private readonly states = new Map<string, VirtualNode>();
    private refused = false;
    private readonly readsDrained: Set<string>;
    private readonly readsNotes: Set<string>;

    constructor(
        count: number,
        private readonly trouble: Trouble = {},
        step: PlannedNode["step"] = "replace",
    ) {
        this.clock = trouble.clock ?? new VirtualClock();
        this.readsNotes = new Set(trouble.readsLeftOut);
        this.readsDrained = new Set([...(trouble.readsDrained ?? []), ...this.readsNotes]);
        this.nodes = Array.from({ length: count }, (_, index) => {
            const name = `node${index + 1}`;
            this.states.set(name, {
                id: `${name}-before`,
                ready: trouble.isDown?.includes(name) !== true,
                startedAt: this.engineTime() - 3_600_000,
                state: [...(trouble.drained ?? []), ...(trouble.leftOut ?? [])].includes(name) ? "drain" : "ready",
                note: trouble.leftOut?.includes(name) === true,
                running: trouble.busy === name ? 1 : 0,
            });
            const container: ListedContainer = {
                name,
                id: `${name}-before`,
                state: "running",
                imageId: "sha256:1",
                labels: {},
                networks: [],
                addresses: {},
            };
            return {
                place: placeOf(index + 1, trouble.network),
                container: step === "create" ? undefined : container,
                step,
            };
        });
    }

    /** Runs the rollout, and returns its result. */
    async roll(options: { changesAll?: boolean; formed?: boolean } = {}): Promise<"done" | Error> {
        const { changesAll = false, formed = true } = options;
        const limits: RolloutLimits = {
            profile: { maintenancePath: undefined, settleSeconds: 5 },
            readyTimeout: 30,
            drainTimeout: 20,
        };
        const replacement = new Rollout(
            this.dependencies(),
            limits,
            this.nodes.map(({ place }) => place),
        );
        try {
            const left = await replacement.clearLeftovers();
            const untilServing = await replacement.run({ nodes: this.nodes, formed, changesAll }, left);
            await untilServing();
            return "done";
        } catch (error) {
            return error as Error;
        }
    }

    /** Interrupts, as a signal or the end of Pulumi does. */
    async interrupt(): Promise<void> {
        this.events.push("interrupted");
        await Promise.all([...this.undos].map((undo) => undo()));
    }

    /** Names of the nodes that this program keeps out of service. */
    out(): string[] {
        return [...this.states].filter(([, { note }]) => note).map(([name]) => name);
    }

    /** Names of the nodes that get no requests, for any reason. */
    notServing(): string[] {
        return [...this.states].filter(([, { state }]) => state !== "ready").map(([name]) => name);
    }

    private dependencies(): RolloutDependencies {
        return {
            clock: this.clock,
            engine: this.engine(),
            proxies: this.trouble.proxies ?? this.proxies(),
            steps: this.steps(),
            interruptions: this.interruptions(),
            report: {
                progress: (text) => Promise.resolve(void this.said.push(text)),
                warning: (text) => Promise.resolve(void this.said.push(text)),
                error: (message) => withMessageOnly(new Error(message)),
            },
        };
    }

    private engine(): NodeEngine {
        return {
            now: () => Promise.resolve(this.engineTime()),
            checkHealth: (container) => Promise.resolve({ code: this.node(container).ready ? 0 : 1, output: "" }),
            health: (container) => {
                const { ready, startedAt } = this.node(container);
                const health = ready ? "healthy" : "unhealthy";
                const state = !ready && this.trouble.crashed?.includes(container) === true ? "restarting" : "running";
                return Promise.resolve({ health, state, lastCheck: "503", startedAt });
            },
            logTail: () => Promise.resolve("its last line"),
            run: () => Promise.resolve({ code: 0, output: "" }),
        };
    }

    private proxies(): ProxyControl {
        const fail = () => this.clock.now() >= (this.trouble.proxiesFailAt ?? Infinity) * 1000;
        return {
            list: () => Promise.resolve(this.nodes.flatMap(({ place }) => this.serversOf(place))),
            set: (names, state) => {
                if (fail()) {
                    return Promise.reject(new Error("the proxy gives no answer"));
                }
                const places = this.nodes.map(({ place }) => place).filter(({ name }) => names.includes(name));
                this.events.push(`${state} ${places.map(({ name }) => name).join(" ")}`);
                if (state === "ready reads" && this.trouble.readsFailOnce === true && !this.refused) {
                    this.refused = true;
                    return Promise.reject(new Error("the proxy gives no answer"));
                }
                for (const { name } of places) {
                    if (state === "drain reads" || state === "ready reads") {
                        const step = state === "drain reads" ? "add" : "delete";
                        this.readsDrained[step](name);
                        this.readsNotes[step](name);
                        continue;
                    }
                    const node = this.node(name);
                    node.state = state === "ready after checks" ? "ready" : state;
                    node.note = node.state !== "ready";
                    this.backAfter.set(name, (this.engineTime() - node.startedAt) / 1000);
                }
                return Promise.resolve();
            },
            cordoned: (of = "all") => {
                const isNoted = (name: string) => (of === "all" ? this.node(name).note : this.readsNotes.has(name));
                return Promise.resolve(
                    this.nodes.filter(({ place }) => isNoted(place.name)).map(({ place }) => place.name),
                );
            },
        };
    }

    /** An operator drains the node in the backends of S3 and the console, but not in the read backend. */
    private serversOf(place: NodeSpec): ProxyServer[] {
        const server = this.serverOf(place);
        const drained = this.trouble.drained?.includes(place.name) === true;
        const onlyServer = this.nodes.every(
            ({ place: { name } }) => this.node(name).state !== "ready" || name === place.name,
        );
        const reads = drained && !this.readsDrained.has(place.name);
        const running = reads && onlyServer && this.trouble.readsGoOn === true ? 1 : 0;
        const ofReads = { server: `s3_read/${place.name}`, status: reads ? "UP" : server.status, running };
        const former = { ...server, worker: "0", current: false, status: "UP", running: 0 };
        return [server, { ...server, ...ofReads }, ...(this.trouble.reloaded === true ? [former] : [])];
    }

    private serverOf({ name, address }: NodeSpec): ProxyServer {
        const { state, running } = this.node(name);
        const status = { ready: "UP", drain: "DRAIN", maint: "MAINT" }[state];
        return {
            proxy: "proxy",
            worker: "1",
            current: true,
            server: `s3/${name}`,
            node: name,
            address,
            status,
            running,
        };
    }

    private steps(): NodeSteps {
        return {
            prepare: (name) => {
                this.events.push(`prepare ${name}`);
                return this.trouble.writerFails === name
                    ? Promise.reject(new Error(`${name}-prepare failed`))
                    : Promise.resolve();
            },
            replace: async (name) => {
                this.events.push(`replace ${name}`);
                if (this.trouble.creationFails === name) {
                    return new Promise(() => undefined);
                }
                await this.clock.sleep(500);
                const node = this.node(name);
                Object.assign(node, { id: `${name}-after`, ready: false, startedAt: this.engineTime() });
                if (this.trouble.staysDown?.includes(name) !== true) {
                    void this.clock.sleep(START_SECONDS * 1000).then(() => (node.ready = true));
                }
                return node.id;
            },
        };
    }

    private interruptions(): Interruptions {
        return {
            before: (undo) => {
                this.undos.add(undo);
                return () => void this.undos.delete(undo);
            },
        };
    }

    private engineTime(): number {
        return EPOCH + (this.trouble.engineAhead ?? 0) * 1000 + this.clock.now();
    }

    /** A node by its name or by a container's id. */
    private node(container: string): VirtualNode {
        const node = this.states.get(/^node\d+/.exec(container)?.[0] ?? "");
        if (node === undefined) {
            throw new Error(`there is no ${container}`);
        }
        return node;
    }
}

function placeOf(number: number, network = "10.0.0"): NodeSpec {
    return {
        name: `node${number}`,
        serverName: `node${number}`,
        address: `${network}.${number}`,
        drives: [],
    };
}
