import type { CommandResult, EngineNetwork, ListedContainer } from "../../../components/docker/model";
import type { ProxyEngine, ServerState } from "../../../components/proxyControl/proxyServers";
import { VirtualClock } from "./virtualClock";

/** A proxy in front of several clusters, with its servers' states and notes. */
export class SharedProxy implements ProxyEngine {
    /** Its requests, in order: `drain 10.0.0.1`. */
    readonly events: string[] = [];
    readonly states = new Map<string, ServerState>();
    private readonly notes = new Set<string>();

    constructor(
        private readonly clock: VirtualClock,
        /** Subnets of the clusters' networks, by name. */
        private readonly subnets: { [network: string]: string },
        addresses: string[],
    ) {
        addresses.forEach((address) => this.states.set(address, "ready"));
    }

    containers(): Promise<ListedContainer[]> {
        const networks = Object.keys(this.subnets);
        return Promise.resolve([
            {
                name: "edge-proxy",
                id: "1",
                state: "running",
                imageId: "sha256:1",
                labels: {},
                networks,
                addresses: {},
            },
        ]);
    }

    networks(): Promise<EngineNetwork[]> {
        const networks = Object.entries(this.subnets);
        return Promise.resolve(
            networks.map(([name, subnet]) => ({
                name,
                subnet,
                gateway: "",
                internal: true,
                driver: "bridge",
                encrypted: false,
                labels: {},
            })),
        );
    }

    async run(_: string, command: string[]): Promise<CommandResult> {
        // As long as a command in a container takes.
        await this.clock.sleep(100);
        if (command[0] === "ls") {
            return { code: 0, output: [...this.notes].map((address) => `taken-out-${address}`).join("\n") };
        }
        const [state, ...addresses] = command.slice(command.indexOf("-e") + 2);
        if (state === undefined) {
            return { code: 0, output: this.answer() };
        }
        for (const address of addresses) {
            this.states.set(address, state.startsWith("ready") ? "ready" : (state as ServerState));
            this.notes[state.startsWith("ready") ? "delete" : "add"](address);
            this.events.push(`${state} ${address}`);
        }
        return { code: 0, output: "" };
    }

    private answer(): string {
        const words: { [State in ServerState]?: string } = { ready: "UP", drain: "DRAIN", maint: "MAINT" };
        const servers = [...this.states].map(([address, state], index) => ({ address, state, name: `node${index}` }));
        const rows = servers.map(({ address, name }, index) => `3 s3 ${index} ${name} ${address} 2 0`);
        const statistics = servers.map(({ name, state }) => `s3,${name},0,${words[state] ?? "UP"}`);
        return [
            "# workers\n31              worker          0\n",
            ["1", "# be_id be_name srv_id srv_name srv_addr", ...rows].join("\n"),
            ["# pxname,svname,scur,status", ...statistics].join("\n"),
        ].join("\0");
    }
}
