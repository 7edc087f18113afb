import type * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import type { DockerEngine } from "../engine/dockerEngine";
import type { HostEngines } from "../engine/hostEngines";
import { STOP_SECONDS } from "../engine/containerBasics";
import type { FileChanges, TrialContainers, TrialOptions } from "../engine/trialContainers";
import { removeTrials } from "../engine/trialRecovery";
import { addressAt } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";
import { driveServerName, handOverName, trialName, writerName } from "../naming/containerNames";
import { creationOf } from "../preflight/containerProbe";
import type { NodePlace } from "../store/topology";

/** Arguments of a node's container, once they are known. */
export type KnownContainer = pulumi.Unwrap<docker.ContainerArgs>;

/** What a take-over does with containers, beside the steps of Pulumi. */
export interface TrialNodes {
    /**
     * Creates a node's container of the new store, without starting it.
     *
     * @param servesDrives Whether it gets a second one, for {@link serveDrives}.
     */
    create(place: NodePlace, servesDrives: boolean): Promise<void>;
    /**
     * Starts the new store on a node, but its peers aren't to be reached from it. So it waits for them, and meanwhile serves its drives
     * to those that reach it. RustFS 1.0.1 waits for two minutes, ends, and is started again by the engine.
     */
    serveDrives(place: NodePlace): Promise<void>;
    /** Starts the new store on a node, and returns its container's id. */
    start(place: NodePlace): Promise<string>;
    /**
     * Stops the new store on a node, and gives it time for that. What only serves drives is removed at once: it has written nothing of
     * its own.
     */
    stop(place: NodePlace): Promise<void>;
    /** Ends at once what an update runs on a node's drives beside its own container: the new store, and what changes its files. */
    kill(place: NodePlace): Promise<void>;
    /** Records that the new store has what the former one had. Once all nodes have that record, an update goes on with it. */
    pass(place: NodePlace): Promise<void>;
    /** Withdraws that record of a node, if it has one. */
    withdraw(place: NodePlace): Promise<void>;
    /** Removes the containers of the new store, also those that an interrupted update has left. */
    remove(): Promise<void>;
    /** Stops a node's own container. Does nothing if it doesn't run or there is none. */
    stopNode(place: NodePlace): Promise<void>;
    /**
     * Starts a node's own container, which runs as the user that it was created for. Hands the files back to it before.
     *
     * @param hidden Folders of each drive that its store must not find.
     */
    startNode(place: NodePlace, hidden: readonly string[]): Promise<void>;
    /** Changes a node's files, and gives them to another user, while no container uses them. */
    handOver(place: NodePlace, changes: FileChanges): Promise<void>;
}

/** The engines and the inputs of {@link EngineTrialNodes}. */
export interface TrialSettings {
    engine: HostEngines<DockerEngine>;
    clusterName: string;
    /** Project and stack, joined by a slash. */
    stackName: string;
    /** The store that is tried. */
    profileName: string;
    networkName: string;
    nodes: readonly NodePlace[];
    /** Arguments of the nodes' new containers, by the nodes' names. */
    containers: ReadonlyMap<string, () => Promise<{ args: KnownContainer; inputs: string }>>;
}

/** {@link TrialNodes} on real engines. */
export class EngineTrialNodes implements TrialNodes {
    /** Ids of the trial containers, by their nodes' names. */
    private readonly ids = new Map<string, string>();
    /** Ids of the containers that only serve drives, by their nodes' names. */
    private readonly driveServers = new Map<string, string>();

    constructor(private readonly settings: TrialSettings) {}

    async create(place: NodePlace, servesDrives: boolean): Promise<void> {
        await this.createTrial(place);
        if (servesDrives) {
            await this.createDriveServer(place);
        }
    }

    private async createTrial(place: NodePlace): Promise<void> {
        const { args, inputs } = await this.containerOf(place);
        const Labels = {
            [LABELS.inputs]: inputs,
            [LABELS.trialNode]: place.name,
            [LABELS.stack]: this.settings.stackName,
            [LABELS.profile]: this.settings.profileName,
        };
        const trial = { ...trialOptions(args, place, this.settings.networkName), Labels };
        this.ids.set(place.name, await this.trialsOn(place).create(this.owner, trialName(place.name), trial));
    }

    /** Without the label of a trial's node: for a recovery it is none of the nodes on which the store was tried. */
    private async createDriveServer(place: NodePlace): Promise<void> {
        const { nodes, networkName, stackName } = this.settings;
        const peers = nodes.filter(({ name }) => name !== place.name).map(({ name }) => name);
        const { args } = await this.containerOf(place);
        const options = trialOptions(withoutPeers(args, peers), place, networkName);
        const server = { ...options, Labels: { [LABELS.stack]: stackName } };
        const id = await this.trialsOn(place).create(this.owner, driveServerName(place.name), server);
        this.driveServers.set(place.name, id);
    }

    async serveDrives(place: NodePlace): Promise<void> {
        await this.trialsOn(place).start(this.driveServers.get(place.name) ?? "");
    }

    async start(place: NodePlace): Promise<string> {
        const id = this.ids.get(place.name) ?? "";
        await this.trialsOn(place).start(id);
        return id;
    }

    async stop(place: NodePlace): Promise<void> {
        await Promise.all([this.stopTrial(place, STOP_SECONDS), this.removeDriveServer(place)]);
    }

    async kill(place: NodePlace): Promise<void> {
        const trials = this.trialsOn(place);
        await Promise.all([
            this.stopTrial(place, 0),
            this.removeDriveServer(place),
            trials.stop(handOverName(place.name), 0),
            trials.stop(writerName(place.name), 0),
        ]);
    }

    private async stopTrial(place: NodePlace, seconds: number): Promise<void> {
        const id = this.ids.get(place.name);
        if (id !== undefined) {
            await this.trialsOn(place).stop(id, seconds);
        }
    }

    private async removeDriveServer(place: NodePlace): Promise<void> {
        const id = this.driveServers.get(place.name);
        if (id !== undefined) {
            await this.trialsOn(place).remove(id);
            this.driveServers.delete(place.name);
        }
    }

    async remove(): Promise<void> {
        const engines = this.settings.nodes.map((place) => this.trialsOn(place));
        await removeTrials(engines, { cluster: this.owner });
        this.ids.clear();
        this.driveServers.clear();
    }

    async stopNode(place: NodePlace): Promise<void> {
        await this.trialsOn(place).stop(place.name, STOP_SECONDS);
    }

    async startNode(place: NodePlace, hidden: readonly string[]): Promise<void> {
        await this.trialsOn(place).startOwn(this.owner, place.name, hidden);
    }

    async handOver(place: NodePlace, changes: FileChanges): Promise<void> {
        const { args } = await this.containerOf(place);
        await this.trialsOn(place).give(this.owner, {
            name: handOverName(place.name),
            stackName: this.settings.stackName,
            image: args.image,
            drives: place.drives.map(({ volumeName }) => volumeName),
            secrets: `${place.name}-secrets`,
            ...changes,
        });
    }

    async pass(place: NodePlace): Promise<void> {
        await this.trialsOn(place).pass(this.ids.get(place.name) ?? "", place.name);
    }

    async withdraw(place: NodePlace): Promise<void> {
        await this.trialsOn(place).withdraw(place.name);
    }

    private containerOf({ name }: NodePlace): Promise<{ args: KnownContainer; inputs: string }> {
        const container = this.settings.containers.get(name);
        return container?.() ?? Promise.reject(new Error(`${name} has no container`));
    }

    private get owner(): string {
        return this.settings.clusterName;
    }

    private engineOf({ host }: NodePlace): DockerEngine {
        return this.settings.engine.on(host);
    }

    private trialsOn(place: NodePlace): TrialContainers {
        return this.engineOf(place).trials;
    }
}

/** The container of a node, as the Docker provider would create it, only under another name and on the node network alone. */
export function trialOptions(args: KnownContainer, { name, address }: NodePlace, networkName: string): TrialOptions {
    const settings = creationOf(args);
    return {
        ...settings,
        Hostname: name,
        Entrypoint: args.entrypoints,
        Cmd: args.command ?? [],
        Env: args.envs,
        StopTimeout: args.stopTimeout,
        Healthcheck: { Test: args.healthcheck?.tests },
        HostConfig: {
            ...settings.HostConfig,
            NetworkMode: networkName,
            // Unlike with "unless-stopped", it ends for good at some time, and stays down when the engine restarts. A node of RustFS
            // may end a few times while its peers start: seen on a busy machine, where three times were too few.
            RestartPolicy: { Name: "on-failure", MaximumRetryCount: 10 },
            ExtraHosts: args.hosts?.map(({ host, ip }) => `${host}:${ip}`),
            Binds: args.volumes?.map(
                ({ volumeName, containerPath, readOnly }) =>
                    `${volumeName}:${containerPath}${readOnly === true ? ":ro" : ""}`,
            ),
        },
        NetworkingConfig: {
            EndpointsConfig: { [networkName]: { IPAMConfig: { IPv4Address: address }, Aliases: [name] } },
        },
    };
}

/** Multicast addresses, to which Linux opens no TCP connection. The first ones are MCAST-TEST-NET of RFC 5771. */
const NOWHERE = "233.252.0.0/16";

/**
 * A node's container from which its peers aren't to be reached, by their names' addresses. Each has an address of its own, since two nodes at
 * one address are an error for RustFS.
 */
export function withoutPeers(args: KnownContainer, peers: readonly string[]): KnownContainer {
    const others = (args.hosts ?? []).filter(({ host }) => !peers.includes(host));
    const nowhere = peers.map((host, place) => ({ host, ip: addressAt(NOWHERE, place + 1) }));
    return { ...args, hosts: [...others, ...nowhere] };
}
