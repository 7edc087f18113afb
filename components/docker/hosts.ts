import type * as docker from "@pulumi/docker";
import type {
    CommandResult,
    ContainerEnding,
    ContainerHealth,
    EngineNetwork,
    ListedContainer,
    ListedVolume,
} from "./model";
import { DockerEngine } from "./engine";
import type { DockerHost } from "./providerHost";

/** A Docker host of a deployment. */
export interface Host {
    /** Its name in the args. Undefined for the only host of a deployment that names none. */
    name?: string;
    /** Its engine, as {@link connectEngine} takes it. */
    dockerHost?: DockerHost;
    /** IPv4 address at which the other hosts reach it. Undefined for the only host of a deployment that names none. */
    address?: string;
    /** Whether its engine is known not to answer, and is asked nothing. Default: false. */
    away?: boolean;
    /** Provider of its resources. Undefined for the provider of the component that they belong to. */
    provider?: docker.Provider;
}

/** A host as the args name it. */
export interface NamedHost {
    name: string;
    dockerHost: string;
    address: string;
    certPath?: string;
}

/** The hosts of a deployment: those that its args name, or the one of the provider; at least one. */
export function hostsOf(
    { hosts, unreachableHosts = [] }: { hosts?: readonly NamedHost[]; unreachableHosts?: readonly string[] },
    dockerHost: DockerHost | undefined,
): Host[] {
    return (
        hosts?.map(({ name, dockerHost: host, address, certPath }, index) => ({
            name,
            dockerHost: {
                host,
                certPath,
                names: { host: `hosts[${index}].dockerHost`, certPath: `hosts[${index}].certPath` },
            },
            address,
            away: unreachableHosts.includes(name),
        })) ?? [{ dockerHost }]
    );
}

/** The hosts whose engines are expected to answer. */
export function presentHosts(hosts: readonly Host[]): Host[] {
    return hosts.filter(({ away }) => away !== true);
}

/** The part of an engine that is asked about several hosts at once. */
export interface HostEngine extends Pick<
    DockerEngine,
    | "checkHealth"
    | "containers"
    | "ending"
    | "health"
    | "ipv6Networks"
    | "logTail"
    | "networks"
    | "run"
    | "start"
    | "volumes"
> {
    /** The time of the engine that has a container, in milliseconds since 1970. */
    now(container?: string): Promise<number>;
}

/**
 * The engines of all hosts of a deployment, queried like one engine. Lists are those of all hosts together. A question about
 * one container goes to the engine that has it.
 */
export class HostEngines<One extends HostEngine = HostEngine> implements HostEngine {
    /** Engines of the containers that were found so far, by name and id. */
    private readonly places = new Map<string, HostEngine>();

    /** @param engines Engines by the names of their hosts; at least one. */
    constructor(private readonly engines: ReadonlyMap<string | undefined, One>) {}

    /** The engine of one host. */
    on(host: string | undefined): One {
        const engine = this.engines.get(host);
        if (engine === undefined) {
            throw new Error(`there is no host ${host}`);
        }
        return engine;
    }

    async containers(label: string, value?: string): Promise<ListedContainer[]> {
        const lists = await this.ofAll(async (engine) => {
            const found = await engine.containers(label, value);
            found.forEach(({ id, name }) => this.places.set(id, engine).set(name, engine));
            return found;
        });
        return lists.flat();
    }

    async volumes(label?: string, value?: string): Promise<ListedVolume[]> {
        return (await this.ofAll((engine) => engine.volumes(label, value))).flat();
    }

    async networks(): Promise<EngineNetwork[]> {
        return (await this.ofAll((engine) => engine.networks())).flat();
    }

    async ipv6Networks(): Promise<Pick<EngineNetwork, "name" | "subnet">[]> {
        return (await this.ofAll((engine) => engine.ipv6Networks())).flat();
    }

    async health(container: string): Promise<ContainerHealth> {
        return (await this.engineOf(container)).health(container);
    }

    async checkHealth(container: string): Promise<CommandResult> {
        return (await this.engineOf(container)).checkHealth(container);
    }

    async run(container: string, command: string[], environment?: string[], seconds?: number): Promise<CommandResult> {
        return (await this.engineOf(container)).run(container, command, environment, seconds);
    }

    async logTail(container: string, lines: number): Promise<string> {
        return (await this.engineOf(container)).logTail(container, lines);
    }

    async ending(container: string): Promise<ContainerEnding | "gone" | undefined> {
        return (await this.engineOf(container)).ending(container);
    }

    async start(container: string): Promise<void> {
        return (await this.engineOf(container)).start(container);
    }

    /** Clocks of hosts may differ. */
    async now(container?: string): Promise<number> {
        return (container === undefined ? this.first() : await this.engineOf(container)).now();
    }

    /** The engine that has a container. The first one if none has it: its answer says so. */
    private async engineOf(container: string): Promise<HostEngine> {
        if (this.engines.size === 1) {
            return this.first();
        }
        const known = this.places.get(container);
        if (known !== undefined) {
            return known;
        }
        const found = await this.ofAll(async (engine) =>
            (await engine.health(container)).state === "gone" ? undefined : engine,
        );
        const engine = found.find((one) => one !== undefined);
        if (engine !== undefined) {
            this.places.set(container, engine);
        }
        return engine ?? this.first();
    }

    private ofAll<Answer>(ask: (engine: HostEngine) => Promise<Answer>): Promise<Answer[]> {
        return Promise.all([...this.engines.values()].map(ask));
    }

    private first(): HostEngine {
        return this.on([...this.engines.keys()][0]);
    }
}

/** A text about one host, with the host's name if it has one. */
export function onHost(name: string | undefined, text: string): string {
    return name === undefined ? text : `host ${name}: ${text}`;
}
