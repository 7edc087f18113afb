import { fileIn, filesIn, hasPath } from "./containerArchives";
import { textOfFrames } from "./dockerStreams";
import { runCommand } from "./exec";
import type {
    CommandResult,
    ContainerEnding,
    ContainerHealth,
    EngineInfo,
    EngineNetwork,
    ListedContainer,
    FolderMount,
    ListedVolume,
    PublishedPort,
} from "./model";
import { HEALTH_QUESTION } from "../naming/containerFiles";
import type Docker from "dockerode";
import { answeringEngine } from "./engineConnection";
import {
    endingOf,
    engineInfo,
    healthOf,
    ipv4NetworksOf,
    ipv6NetworksOf,
    listedContainer,
    listedVolume,
    mountsOf,
    nameOf,
    portsOf,
    releaseOf,
    writableFolders,
    type ContainerState,
} from "./engineAnswers";
import { engineEndpoint, type EngineSettings } from "./engineEndpoint";
import { throwUnlessMissing, throwUnlessNoImage } from "./dockerErrors";
import { OneShotContainers } from "./oneShotContainers";
import { haveImage, pulled } from "./imagePull";
import { hasApi, whyUnsupported, type EngineVersion } from "./engineVersion";
import { LABELS } from "../naming/labels";
import { differenceFromProvider } from "./providerEngine";
import { readSwarm, type EngineSwarm } from "./swarm";

/**
 * The Docker engine, queried by the program itself for what the Docker provider can't report (health, logs, other existing
 * resources). It reads, runs commands in containers and restarts a helper container; in an update it also creates
 * {@link OneShotContainers}. It never creates, changes or removes deployed resources; it only connects a proxy with the networks of
 * its stores.
 */
export class DockerEngine {
    private knownVersion: Promise<EngineVersion> | undefined;

    private constructor(
        private readonly docker: Docker,
        /** Whether its containers run on this host, so that local paths and ports are the engine's. */
        readonly local: boolean,
        private readonly settings: EngineSettings,
    ) {}

    /**
     * Connects to the engine that the Docker provider talks to.
     *
     * @param settings The provider's settings. Default: those that it takes from the environment.
     * @param seconds Time limit for its first answer. Default: 35.
     * @throws {Error} if the settings can't be used, or no engine answers there; the message says what to do.
     */
    static async connect(settings: EngineSettings = {}, seconds?: number): Promise<DockerEngine> {
        const docker = await answeringEngine(settings, seconds);
        return new DockerEngine(docker, engineEndpoint(settings).kind === "socket", settings);
    }

    /** Why nothing can be deployed to this engine. Undefined if it can. */
    async whyUnsupported(): Promise<string | undefined> {
        return whyUnsupported(await this.version());
    }

    private version(): Promise<EngineVersion> {
        this.knownVersion ??= this.docker.version();
        return this.knownVersion;
    }

    /** Why the provider talks to a different engine. Undefined if it talks to the same one. */
    differsFromProvider(): Promise<string | undefined> {
        return differenceFromProvider(this.docker, this.settings);
    }

    /** Health of a container, by id or name. */
    async health(container: string): Promise<ContainerHealth> {
        return healthOf(await this.stateOf(container));
    }

    /** Containers with a label, or with a label of that value, running or not. */
    async containers(label: string, value?: string): Promise<ListedContainer[]> {
        const filter = value === undefined ? label : `${label}=${value}`;
        const found = await this.docker.listContainers({ all: true, filters: { label: [filter] } });
        return found.map(listedContainer);
    }

    /**
     * Runs a command in a running container, as its user.
     *
     * @param seconds Time limit. Default: 60.
     * @throws {Error} if it doesn't end in time. The engine has no way to end it; it may go on.
     */
    run(container: string, command: string[], environment?: string[], seconds?: number): Promise<CommandResult> {
        return runCommand(this.docker, container, command, environment, seconds);
    }

    /**
     * Runs a container's health check now instead of at its next interval, with {@link HEALTH_QUESTION} in its environment.
     * It fails for a container that isn't running.
     */
    async checkHealth(container: string): Promise<CommandResult> {
        try {
            const { Config: config } = await this.docker.getContainer(container).inspect();
            return await this.run(container, (config.Healthcheck?.Test ?? []).slice(1), [`${HEALTH_QUESTION}=1`]);
        } catch (error) {
            return { code: -1, output: (error as Error).message };
        }
    }

    /** The text of a file in a container, running or not. Undefined if there is no such file. */
    readFile(container: string, path: string): Promise<string | undefined> {
        return fileIn(this.docker, container, path);
    }

    /**
     * The texts of all files in a folder of a container, running or not, by their paths in the folder. Follows a link at the
     * folder's path. Empty if there is no such folder.
     */
    readFolder(container: string, path: string): Promise<Map<string, string>> {
        return filesIn(this.docker, container, path);
    }

    /** Whether a path exists in a container, running or not. */
    hasFile(container: string, path: string): Promise<boolean> {
        return hasPath(this.docker, container, path);
    }

    /** Containers that an update creates only to test or read something. */
    get oneShots(): OneShotContainers {
        return new OneShotContainers(this.docker);
    }

    /** Containers, running or not, that mount a volume, with the mount path; running ones first. */
    async containersWith(volume: string): Promise<{ container: string; folder: string }[]> {
        return mountsOf(volume, await this.docker.listContainers({ all: true, filters: { volume: [volume] } }));
    }

    /**
     * Folder of the engine's host that holds a volume. Undefined for a volume of another driver, or bound to another
     * folder.
     */
    async volumeFolder(volume: string): Promise<string | undefined> {
        const found = await this.docker.getVolume(volume).inspect();
        const plain = found.Driver === "local" && Object.keys(found.Options ?? {}).length === 0;
        return plain ? found.Mountpoint : undefined;
    }

    /** The engine's information about itself. */
    async info(): Promise<EngineInfo> {
        return engineInfo(await this.docker.info());
    }

    /** The engine's information about its swarm. */
    swarm(): Promise<EngineSwarm> {
        return readSwarm(this.docker);
    }

    /** The last lines of a container's log, standard output and error. */
    async logTail(container: string, lines: number): Promise<string> {
        const frames = await this.docker.getContainer(container).logs({ stdout: true, stderr: true, tail: lines });
        return textOfFrames(Buffer.from(frames as unknown as Uint8Array)).trimEnd();
    }

    /**
     * The engine's own time, in milliseconds since 1970. The times of its containers are based on this clock, not on this
     * machine's.
     */
    async now(): Promise<number> {
        const { SystemTime: time } = (await this.docker.info()) as { SystemTime: string };
        return Date.parse(time);
    }

    /** How a container has ended. Undefined while it runs; `gone` if there is no such container. */
    async ending(container: string): Promise<ContainerEnding | "gone" | undefined> {
        return endingOf(await this.stateOf(container));
    }

    /** Starts an ended container once more. */
    async start(container: string): Promise<void> {
        await this.docker.getContainer(container).start();
    }

    private async stateOf(container: string): Promise<ContainerState | undefined> {
        return (await this.docker.getContainer(container).inspect().catch(throwUnlessMissing))?.State;
    }

    /** IPv4 networks of the engine. */
    async networks(): Promise<EngineNetwork[]> {
        return ipv4NetworksOf(await this.docker.listNetworks());
    }

    /** Names of the networks that belong to clusters. */
    async nodeNetworks(): Promise<string[]> {
        const networks = await this.docker.listNetworks({ filters: { label: [LABELS.cluster] } });
        return networks.map(({ Name: name }) => name);
    }

    /** Connects a container with a network, running or not. Its other connections stay as they are. */
    async join(network: string, container: string, ipv4Address?: string): Promise<void> {
        await this.docker.getNetwork(network).connect({
            Container: container,
            EndpointConfig: ipv4Address === undefined ? {} : { IPAMConfig: { IPv4Address: ipv4Address } },
        });
    }

    /** Disconnects a container from a network. */
    async leave(network: string, container: string): Promise<void> {
        await this.docker.getNetwork(network).disconnect({ Container: container });
    }

    /** The IPv6 networks of the engine. */
    async ipv6Networks(): Promise<Pick<EngineNetwork, "name" | "subnet">[]> {
        return ipv6NetworksOf(await this.docker.listNetworks());
    }

    /** Whether an internal network can exist without an address of the host: Docker 28, API 1.48, and newer. */
    async isolatesGateways(): Promise<boolean> {
        return hasApi(await this.version(), 1, 48);
    }

    /** Whether a health check can have an interval of its own while a container starts: Docker 25, API 1.44, and newer. */
    async hasStartInterval(): Promise<boolean> {
        return hasApi(await this.version(), 1, 44);
    }

    /** Volumes with a label of that value. All volumes if no label is passed. */
    async volumes(label?: string, value = ""): Promise<ListedVolume[]> {
        const filters: { label?: string[] } = label === undefined ? {} : { label: [`${label}=${value}`] };
        const { Volumes: volumes } = await this.docker.listVolumes({ filters: JSON.stringify(filters) });
        return volumes.map(listedVolume);
    }

    /** Names of the running containers that mount a volume. */
    async usersOf(volume: string): Promise<string[]> {
        return (await this.docker.listContainers({ filters: { volume: [volume] } })).map(nameOf);
    }

    /** Folders of the host that running containers can write to. */
    async folderMounts(): Promise<FolderMount[]> {
        return writableFolders(await this.docker.listContainers());
    }

    /** Variables that an image sets, as `NAME=value`. Empty if the engine doesn't have the image. */
    async imageVariables(reference: string): Promise<string[]> {
        return (await this.imageOf(reference))?.Config.Env ?? [];
    }

    /** Names of the variables that a container has. */
    async variableNames(container: string): Promise<string[]> {
        const { Config: config } = await this.docker.getContainer(container).inspect();
        return config.Env.map((variable) => variable.split("=")[0] ?? "");
    }

    /** The engine's names of an image: tags and digests. Empty if it no longer has the image. */
    async imageNames(id: string): Promise<string[]> {
        const image = await this.docker.getImage(id).inspect().catch(throwUnlessMissing);
        return [...(image?.RepoTags ?? []), ...(image?.RepoDigests ?? [])];
    }

    /** Id of the image that the engine has under a name. Undefined if it has none. */
    async imageId(name: string): Promise<string | undefined> {
        return name === "" ? undefined : (await this.imageOf(name))?.Id;
    }

    /** Makes the engine have an image, or a maintained fork where that may be. Returns why it can't; undefined if it has it. */
    async haveImage(name: string, mayBeFork = false): Promise<string | undefined> {
        return haveImage(this.docker, name, (one) => pulled(this.docker, one), mayBeFork).then(
            () => undefined,
            (error: unknown) => (error as Error).message,
        );
    }

    /** What an image says of its release, by a label or by the variable of HAProxy's official images. Undefined without it. */
    async imageRelease(reference: string): Promise<string | undefined> {
        return releaseOf(await this.imageOf(reference));
    }

    /** Undefined if the engine doesn't have the image. */
    private async imageOf(name: string): Promise<Docker.ImageInspectInfo | undefined> {
        return (await this.docker.getImage(name).inspect().catch(throwUnlessNoImage)) ?? undefined;
    }

    /** TCP ports that running containers publish on the host. */
    async publishedPorts(): Promise<PublishedPort[]> {
        return portsOf(await this.docker.listContainers());
    }
}
