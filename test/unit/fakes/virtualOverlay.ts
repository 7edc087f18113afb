import type { OverlayEngine } from "../../../components/hosts/overlay/overlayHelpers";
import { probeOverlay, type OverlayCluster } from "../../../components/hosts/overlay/overlayProbe";
import type { Host } from "../../../components/docker/hosts";
import { VirtualClock } from "./virtualClock";

/** What a packet between two hosts carries. */
export type Packet = "data" | "gossip" | "TCP 2377" | "TCP 7946";

/** Faults of the virtual hosts. */
export interface OverlayFaults {
    /** Whether a packet is lost, by the hosts' names. Default: none is. */
    isLost?: (from: string, to: string, packet: Packet) => boolean;
    /** Hosts whose kernel can't encrypt. */
    withoutEsp?: string[];
    /** The engine's reason for refusing a helper; undefined if it accepts it. */
    refusal?: (host: string, network: string) => string | undefined;
    /** Host whose engine is lost in the test. */
    failing?: string;
    /** Whether kernels have no counters. */
    withoutCounters?: boolean;
}

/** Options of a test. */
export interface OverlayTest {
    encrypted?: boolean;
    /** Hosts that have nodes already. */
    withNodes?: string[];
}

const IMAGE = "example.com/store:1";

/** Virtual hosts on an overlay network, without nodes. */
export class VirtualOverlay {
    readonly clock = new VirtualClock();
    readonly said: string[] = [];
    /** Connections between helpers, as `a→b`. */
    readonly tested: string[] = [];
    /** Helpers that exist, as `a on network`. */
    readonly helpers = new Set<string>();
    /** Number of helpers that were ever created. */
    created = 0;
    private readonly refused = new Map<string, number>();
    private readonly unencrypted = new Map<string, number>();

    constructor(
        private readonly names: (string | undefined)[],
        private readonly faults: OverlayFaults = {},
    ) {}

    /** Runs the test. Returns the message of its error. */
    async probe({ encrypted = false, withNodes = [] }: OverlayTest = {}): Promise<string | undefined> {
        const nodes = this.names.map((host) => ({
            place: { host },
            container: host !== undefined && withNodes.includes(host) ? {} : undefined,
        }));
        const cluster = {
            clusterName: "store",
            networkName: "store-nodes",
            networkKind: encrypted ? "encrypted overlay" : "unencrypted overlay",
            image: IMAGE,
            nodes,
        } as unknown as OverlayCluster;
        const hosts = this.names.map((name): Host => ({ name, address: addressOf(name, "10.0.0") }));
        const say = (text: string) => Promise.resolve(void this.said.push(text));
        const report = { progress: say, warning: say, error: (text: string) => new Error(text) };
        const engines = { on: (host: string | undefined) => this.engine(host) };
        return probeOverlay(engines, hosts, cluster, { clock: this.clock, report }).then(
            () => undefined,
            (error: unknown) => (error as Error).message,
        );
    }

    private engine(host = ""): OverlayEngine {
        return {
            imageId: (name) => Promise.resolve(name === IMAGE ? "sha256:1" : undefined),
            run: async (container, command) => {
                if (this.faults.failing === host) {
                    throw new Error("connection lost");
                }
                const output =
                    command[0] === "cat"
                        ? this.counters(host, command[1] ?? "")
                        : await this.reach(host, container, Number(command[4]), command.slice(5));
                return { code: 0, output };
            },
            oneShots: {
                attached: async (owner, { image, network }, work) => {
                    expect([owner, image]).toEqual(["store", "sha256:1"]);
                    const refusal = this.faults.refusal?.(host, network);
                    if (refusal !== undefined) {
                        throw new Error(refusal);
                    }
                    const helper = `${host} on ${network}`;
                    this.helpers.add(helper);
                    this.created += 1;
                    try {
                        return await work(helper, network === "host" ? "" : addressOf(host, "10.1.0"));
                    } finally {
                        this.helpers.delete(helper);
                    }
                },
            },
        };
    }

    private counters(host: string, file: string): string {
        if (this.faults.withoutCounters === true) {
            return `cat: ${file}: No such file or directory`;
        }
        const lost = `XfrmInError \t0\nXfrmOutNoStates \t${this.unencrypted.get(host) ?? 0}\n`;
        const tcp = `Tcp: InSegs OutRsts\nTcp: 7 ${this.refused.get(host) ?? 0}\n`;
        return file.endsWith("xfrm_stat") ? lost : `Ip: Forwarding\nIp: 1\n${tcp}`;
    }

    private async reach(from: string, helper: string, seconds: number, targets: string[]): Promise<string> {
        expect(this.helpers).toContain(helper);
        const results = targets.map((target) => {
            const [address = "", port] = target.split(":");
            const to = this.names.find(
                (name) => address === addressOf(name, helper.endsWith(" host") ? "10.0.0" : "10.1.0"),
            );
            const result = port === "9" ? this.onOverlay(from, to ?? "") : this.onHost(from, to ?? "", port ?? "");
            return `${target} ${result}`;
        });
        const waits = results.some((line) => line.endsWith("silent"));
        await this.clock.sleep(waits ? seconds * 1000 : 100);
        return `${results.reverse().join("\n")}\n`;
    }

    private onOverlay(from: string, to: string): string {
        this.tested.push(`${from}→${to}`);
        if (this.isLost(to, from, "gossip")) {
            return "unreachable";
        }
        const [unable] = [from, to].filter((host) => this.faults.withoutEsp?.includes(host) === true);
        if (unable !== undefined) {
            this.unencrypted.set(from, (this.unencrypted.get(from) ?? 0) + (unable === from ? 3 : 0));
            return "silent";
        }
        if (this.isLost(from, to, "data")) {
            return "silent";
        }
        this.refused.set(to, (this.refused.get(to) ?? 0) + 1);
        return this.isLost(to, from, "gossip") || this.isLost(to, from, "data") ? "silent" : "refused";
    }

    private onHost(from: string, to: string, port: string): string {
        return this.isLost(from, to, `TCP ${port}` as Packet) ? "silent" : port === "2377" ? "refused" : "connected";
    }

    private isLost(from: string, to: string, packet: Packet): boolean {
        return this.faults.isLost?.(from, to, packet) === true;
    }
}

/** The address of a host in a network. */
function addressOf(name: string | undefined, network: string): string {
    return `${network}.${(name ?? "a").charCodeAt(0) - "a".charCodeAt(0) + 1}`;
}
