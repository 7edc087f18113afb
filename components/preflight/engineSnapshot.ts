import * as pulumi from "@pulumi/pulumi";
import { needsState } from "./clusterIdentity";
import { readDeployedCluster, type DeployedCluster } from "./deployedCluster";
import type { DesiredCluster } from "./desiredCluster";
import { volumesInState } from "./stackState";
import { DockerEngine } from "../engine/dockerEngine";
import type { DockerHost } from "../engine/dockerHost";

/** Options of a component whose caller has checked with the engine that the component's args can be deployed. */
export interface CheckedOptions extends pulumi.ComponentResourceOptions {
    /** The engine that was checked. */
    engineSnapshot?: EngineSnapshot;
}

/** The engine that the caller of a component has checked. Undefined if the component must check it itself. */
export function snapshotOf(opts?: CheckedOptions): EngineSnapshot | undefined {
    return opts?.engineSnapshot;
}

/**
 * The engine, and the clusters on it before an update changes anything. Each is read once, for all checks of a component and
 * its parts. Everything that the update may change before a later check, such as images, is read by the check itself.
 */
export class EngineSnapshot {
    private connection: Promise<DockerEngine> | undefined;
    private readonly clusters = new Map<string, Promise<DeployedCluster>>();
    private readonly warnings = new Set<string>();

    /** @param dockerHost Docker host, as {@link DockerEngine.connect} takes it. */
    constructor(private readonly dockerHost?: DockerHost) {}

    /**
     * The engine that the Docker provider talks to.
     *
     * @throws {Error} if no engine answers, or if the provider talks to another one.
     */
    engine(): Promise<DockerEngine> {
        this.connection ??= this.connect();
        return this.connection;
    }

    /** The existing parts of a desired cluster. */
    async cluster({ alike, ...identity }: DesiredCluster): Promise<DeployedCluster> {
        const engine = await this.engine();
        const { clusterName } = identity;
        const reading = this.clusters.get(clusterName) ?? this.read(engine, identity);
        this.clusters.set(clusterName, reading);
        const [deployed, imageId] = await Promise.all([
            reading,
            alike === undefined ? undefined : engine.imageId(alike.image),
        ]);
        return { ...deployed, imageId };
    }

    /** Logs a warning, unless one about the same topic of the same cluster has been logged. */
    async warnOnce(clusterName: string, topic: string, text: string): Promise<void> {
        const key = `${clusterName} ${topic}`;
        if (!this.warnings.has(key)) {
            this.warnings.add(key);
            await pulumi.log.warn(text);
        }
    }

    private async connect(): Promise<DockerEngine> {
        const engine = await DockerEngine.connect(this.dockerHost);
        const difference = await engine.differsFromProvider();
        if (difference !== undefined) {
            throw new Error(difference);
        }
        return engine;
    }

    private async read(engine: DockerEngine, desired: DesiredCluster): Promise<DeployedCluster> {
        return this.withState(await readDeployedCluster(engine, desired), desired);
    }

    /**
     * The deployed cluster, with the volumes that have another stack name but are in this stack's state, because the stack
     * was renamed.
     */
    private async withState(deployed: DeployedCluster, desired: DesiredCluster): Promise<DeployedCluster> {
        // Reading the state in an update adds a provider to the state. The next update would delete it if it didn't read the
        // state. So a cluster under a new name is compared with the state only in previews.
        const onlyNew = deployed.drives.length === 0 && !pulumi.runtime.isDryRun();
        if (onlyNew || !needsState(deployed, desired)) {
            return deployed;
        }
        const volumes = await volumesInState(desired.componentName);
        if (volumes === undefined) {
            await this.warnOnce(
                desired.clusterName,
                "state",
                `the stack's state can't be read here, so a renamed stack isn't noticed: if ${desired.stackName} had another name before, ` +
                    "set clusterName to the prefix of its volumes' names",
            );
        }
        return { ...deployed, volumesInState: volumes ?? [] };
    }
}
