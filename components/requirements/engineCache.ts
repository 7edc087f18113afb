import * as pulumi from "@pulumi/pulumi";
import { connectEngine } from "../docker/connectEngine";
import { needsState } from "./clusterIdentity";
import { readDeployedPart, wholeCluster, type DeployedCluster, type DeployedPart } from "./deployedCluster";
import type { DesiredCluster } from "./desiredCluster";
import { volumesInState } from "./stackState";
import type { DockerEngine } from "../docker/engine";
import type { DockerHost } from "../docker/providerHost";
import { presentHosts, type Host } from "../docker/hosts";
import { localHostAt, type LocalHost } from "../docker/localHost";
import { LABELS } from "../naming/labels";

/** What decides about the form of the components' containers on an engine. */
export interface KnownContainers {
    /** Whether a health check can have an interval of its own while a container starts. */
    startInterval: boolean;
    /** Digests of the inputs of existing containers, as in their labels, by the containers' names. */
    inputs: { [container: string]: string };
}

const NOTHING_KNOWN: KnownContainers = { startInterval: false, inputs: {} };

/**
 * The engines of a deployment's hosts, and the clusters on them before an update changes anything. Each is read once, for all
 * checks of a component and its parts. Everything that the update may change before a later check, such as images, is read by
 * the check itself.
 */
export class EngineCache {
    /** What is read of each host that isn't away: by the hosts' names, or undefined if the deployment has one host. */
    readonly hosts: ReadonlyMap<string | undefined, EngineOfHost>;
    /** Names of all hosts, in the order of the args. */
    readonly names: readonly (string | undefined)[];
    /** Names of the hosts that are away. */
    readonly away: readonly string[];
    private readonly warnings = new Set<string>();
    private readonly answers = new Map<string, Promise<unknown>>();

    constructor(hosts: readonly Host[]) {
        this.names = hosts.map(({ name }) => name);
        this.away = hosts.flatMap(({ name, away }) => (away === true ? (name ?? []) : []));
        this.hosts = new Map(
            presentHosts(hosts).map(({ name, dockerHost, address }) => [name, new EngineOfHost(dockerHost, address)]),
        );
    }

    /** How the engines are reached. Known once all of that is known. */
    get dockerHosts(): pulumi.Output<unknown> {
        return pulumi.all([...this.hosts.values()].map(({ dockerHost }) => dockerHost));
    }

    /**
     * What decides about the form of containers on a host. Nothing is known of one that is away, or doesn't answer: then the update is
     * refused, or leaves them as they are.
     */
    async knownContainers(host: string | undefined): Promise<KnownContainers> {
        const known = this.hosts.get(host)?.containers();
        return (await known?.catch(() => undefined)) ?? NOTHING_KNOWN;
    }

    /** The existing parts of a desired cluster. */
    async cluster(desired: DesiredCluster): Promise<DeployedCluster> {
        const parts = await Promise.all(
            [...this.hosts].map(async ([name, host]): Promise<[string | undefined, DeployedPart]> => [
                name,
                await host.cluster(desired, (topic, text) => this.warnOnce(desired.clusterName, topic, text)),
            ]),
        );
        return wholeCluster(new Map(parts));
    }

    /** The answer to a question about a cluster, which is asked once for all checks. */
    once<Answer>(clusterName: string, topic: string, ask: () => Promise<Answer>): Promise<Answer> {
        const key = `${clusterName} ${topic}`;
        const answer = this.answers.get(key) ?? ask();
        this.answers.set(key, answer);
        return answer as Promise<Answer>;
    }

    /** Logs a warning, unless one about the same topic of the same cluster has been logged. */
    async warnOnce(clusterName: string, topic: string, text: string): Promise<void> {
        const key = `${clusterName} ${topic}`;
        if (!this.warnings.has(key)) {
            this.warnings.add(key);
            await pulumi.log.warn(text);
        }
    }
}

/** The engine of one host, and the parts of clusters on it. */
export class EngineOfHost {
    private connection: Promise<{ engine: DockerEngine; known: KnownContainers }> | undefined;
    private readonly clusters = new Map<string, Promise<DeployedPart>>();

    /** The engine's host, if its engine is on the host of this program. */
    readonly local: LocalHost;

    /** @param address Address of the host. Undefined for the only one of a deployment. */
    constructor(
        readonly dockerHost?: DockerHost,
        address?: string,
    ) {
        this.local = localHostAt(address);
    }

    /**
     * The engine that the Docker provider talks to.
     *
     * @throws {Error} if no engine answers, if nothing can be deployed to it, or if the provider talks to another one.
     */
    async engine(): Promise<DockerEngine> {
        return (await this.connected()).engine;
    }

    /**
     * What decides about the form of the components' containers.
     *
     * @throws {Error} as {@link engine} does.
     */
    async containers(): Promise<KnownContainers> {
        return (await this.connected()).known;
    }

    /**
     * The parts of a desired cluster on this host.
     *
     * @param warn Logs a warning about a topic, once for each.
     */
    async cluster({ image, ...identity }: DesiredCluster, warn: Warn): Promise<DeployedPart> {
        const engine = await this.engine();
        const { clusterName } = identity;
        const reading = this.clusters.get(clusterName) ?? this.read(engine, identity, warn);
        this.clusters.set(clusterName, reading);
        const [deployed, imageId] = await Promise.all([
            reading,
            image === undefined ? undefined : engine.imageId(image),
        ]);
        return { ...deployed, imageId };
    }

    private connected(): Promise<{ engine: DockerEngine; known: KnownContainers }> {
        this.connection ??= this.connect();
        return this.connection;
    }

    private async connect(): Promise<{ engine: DockerEngine; known: KnownContainers }> {
        const engine = await connectEngine(this.dockerHost);
        const [unsupported, difference, startInterval, containers] = await Promise.all([
            engine.whyUnsupported(),
            engine.differsFromProvider(),
            engine.hasStartInterval(),
            engine.containers(LABELS.inputs),
        ]);
        const obstacle = unsupported ?? difference;
        if (obstacle !== undefined) {
            throw new Error(obstacle);
        }
        const inputs = containers.map(({ name, labels }) => [name, labels[LABELS.inputs] ?? ""] as const);
        return { engine, known: { startInterval, inputs: Object.fromEntries(inputs) } };
    }

    private async read(engine: DockerEngine, desired: DesiredCluster, warn: Warn): Promise<DeployedPart> {
        return withState(await readDeployedPart(engine, desired), desired, warn);
    }
}

type Warn = (topic: string, text: string) => Promise<void>;

/**
 * The deployed cluster, with the volumes that have another stack name but are in this stack's state, because the stack was
 * renamed.
 */
async function withState(deployed: DeployedPart, desired: DesiredCluster, warn: Warn): Promise<DeployedPart> {
    // Reading the state in an update adds a provider to the state. The next update would delete it if it didn't read the
    // state. So a cluster under a new name is compared with the state only in previews.
    const onlyNew = deployed.drives.length === 0 && !pulumi.runtime.isDryRun();
    if (onlyNew || !needsState(deployed, desired)) {
        return deployed;
    }
    const volumes = await volumesInState(desired.componentName);
    if (volumes === undefined) {
        await warn(
            "state",
            `the stack's state can't be read here, so a renamed stack isn't noticed: if ${desired.stackName} had another name before, ` +
                "set its name to the prefix of its volumes' names",
        );
    }
    return { ...deployed, volumesInState: volumes ?? [] };
}
