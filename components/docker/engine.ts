import { buffer } from "node:stream/consumers";
import { fileOfArchive, filesOfArchive, textOfFrames } from "./dockerStreams";
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
import { engineError } from "./engineError";
import { engineEndpoint, type EngineSettings } from "./engineEndpoint";
import { throwUnlessMissing, throwUnlessNoImage } from "./dockerErrors";
import { OneShotContainers } from "./oneShotContainers";
import { haveImage, pulled } from "./imagePull";
import { hasApi, whyUnsupported, type EngineVersion } from "./engineVersion";
import { gatewayOf } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";
import { differenceFromProvider } from "./providerEngine";
import { readSwarm, type EngineSwarm } from "./swarm";

/** Time limit for a command in a container, in seconds. The scripts that ask a store or a proxy end within less. */
const COMMAND_SECONDS = 60;

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
        const state = await this.stateOf(container);
        if (state === undefined) {
            return { health: "none", state: "gone", lastCheck: "", startedAt: 0 };
        }
        return {
            health: state.Health?.Status ?? "none",
            state: state.Status,
            lastCheck: (state.Health?.Log.at(-1)?.Output ?? "").trim(),
            startedAt: Date.parse(state.StartedAt),
        };
    }

    /** Containers with a label, or with a label of that value, running or not. */
    async containers(label: string, value?: string): Promise<ListedContainer[]> {
        const filter = value === undefined ? label : `${label}=${value}`;
        const found = await this.docker.listContainers({ all: true, filters: { label: [filter] } });
        return found.map(({ Names: [name = ""], NetworkSettings: { Networks: networks }, ...container }) => ({
            name: name.replace(/^\//, ""),
            id: container.Id,
            state: container.State,
            imageId: container.ImageID,
            labels: container.Labels,
            networks: Object.keys(networks),
            addresses: Object.fromEntries(
                Object.entries(networks).map(([network, { IPAddress: address }]) => [network, address]),
            ),
        }));
    }

    /**
     * Runs a command in a running container, as its user.
     *
     * @param seconds Time limit. Default: 60.
     * @throws {Error} if it doesn't end in time. The engine has no way to end it; it may go on.
     */
    async run(
        container: string,
        command: string[],
        environment: string[] = [],
        seconds = COMMAND_SECONDS,
    ): Promise<CommandResult> {
        const exec = await this.docker
            .getContainer(container)
            .exec({ Cmd: command, Env: environment, AttachStdout: true, AttachStderr: true });
        const stream = await exec.start({});
        const timer = setTimeout(() => stream.destroy(notEnded(container, command, seconds)), seconds * 1000);
        const output = await bytesOf(stream, `${command[0] ?? ""} in ${container}`).finally(() => clearTimeout(timer));
        const { ExitCode: code } = await exec.inspect();
        return { code: code ?? -1, output: textOfFrames(output) };
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
    async readFile(container: string, path: string): Promise<string | undefined> {
        const archive = await this.archive(container, path);
        return archive === undefined ? undefined : fileOfArchive(archive);
    }

    /**
     * The texts of all files in a folder of a container, running or not, by their paths in the folder. Follows a link at the
     * folder's path. Empty if there is no such folder.
     */
    async readFolder(container: string, path: string): Promise<Map<string, string>> {
        const archive = await this.archive(container, `${path}/.`);
        return archive === undefined ? new Map() : filesOfArchive(archive);
    }

    /** Whether a path exists in a container, running or not. */
    async hasFile(container: string, path: string): Promise<boolean> {
        try {
            const answer = (await this.docker.getContainer(container).infoArchive({ path })) as NodeJS.ReadableStream;
            // A response that isn't read to its end keeps its connection open, and the program running.
            answer.resume();
            return true;
        } catch (error) {
            throwUnlessMissing(error);
            return false;
        }
    }

    /** Containers that an update creates only to test or read something. */
    get oneShots(): OneShotContainers {
        return new OneShotContainers(this.docker);
    }

    /** Containers, running or not, that mount a volume, with the mount path; running ones first. */
    async containersWith(volume: string): Promise<{ container: string; folder: string }[]> {
        const containers = await this.docker.listContainers({ all: true, filters: { volume: [volume] } });
        const rank = ({ State: state }: Docker.ContainerInfo) => (state === "running" ? 0 : 1);
        return containers
            .sort((one, other) => rank(one) - rank(other))
            .flatMap(({ Id: container, Mounts: mounts }) => {
                const mount = mounts.find(({ Name: name }) => name === volume);
                return mount === undefined ? [] : [{ container, folder: mount.Destination }];
            });
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
        const info = (await this.docker.info()) as {
            NCPU: number;
            DockerRootDir: string;
            SecurityOptions?: string[];
            MemoryLimit?: boolean;
            CpuCfsQuota?: boolean;
            CgroupDriver?: string;
        };
        const has = (option: string) => (info.SecurityOptions ?? []).some((text) => text.split(",")[0] === option);
        return {
            cpus: info.NCPU,
            dataFolder: info.DockerRootDir,
            rootless: has("name=rootless"),
            remapsUsers: has("name=userns"),
            limitsMemory: info.MemoryLimit !== false,
            limitsCpus: info.CpuCfsQuota !== false,
            hasControlGroups: info.CgroupDriver !== "none",
        };
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
        const state = await this.stateOf(container);
        if (state === undefined) {
            return "gone";
        }
        return state.Status === "exited"
            ? { code: state.ExitCode, finishedAt: Date.parse(state.FinishedAt) }
            : undefined;
    }

    /** Starts an ended container once more. */
    async start(container: string): Promise<void> {
        await this.docker.getContainer(container).start();
    }

    /** A file or folder of a container as a tar archive. Undefined if there is none. */
    private async archive(container: string, path: string): Promise<Buffer | undefined> {
        try {
            return await bytesOf(
                await this.docker.getContainer(container).getArchive({ path }),
                `${path} of ${container}`,
            );
        } catch (error) {
            throwUnlessMissing(error);
            return undefined;
        }
    }

    private async stateOf(container: string): Promise<Docker.ContainerInspectInfo["State"] | undefined> {
        try {
            return (await this.docker.getContainer(container).inspect()).State;
        } catch (error) {
            throwUnlessMissing(error);
            return undefined;
        }
    }

    /** IPv4 networks of the engine. */
    async networks(): Promise<EngineNetwork[]> {
        const networks = await this.docker.listNetworks();
        return networks.flatMap(({ Name: name, IPAM: ipam, Internal: internal, Driver: driver, ...network }) =>
            (ipam?.Config ?? []).flatMap(({ Subnet: subnet, Gateway: gateway, IPRange: ipRange }) =>
                subnet !== undefined && !subnet.includes(":")
                    ? [
                          {
                              name,
                              subnet,
                              gateway: gateway ?? gatewayOf(subnet, ipRange),
                              internal,
                              driver,
                              encrypted: network.Options?.["encrypted"] !== undefined,
                              labels: { ...network.Labels },
                          },
                      ]
                    : [],
            ),
        );
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
        const networks = await this.docker.listNetworks();
        return networks.flatMap(({ Name: name, IPAM: ipam }) =>
            (ipam?.Config ?? []).flatMap(({ Subnet: subnet }) => (subnet?.includes(":") ? [{ name, subnet }] : [])),
        );
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
        return volumes.map(({ Name: name, Labels: labels, Options: options }) => {
            // A volume without labels has null.
            return { name, labels: { ...labels }, hostPath: options?.["device"] };
        });
    }

    /** Labels of the volumes with a label of that value, by volume name. */
    async volumeLabels(label: string, value: string): Promise<{ [volume: string]: { [label: string]: string } }> {
        return Object.fromEntries((await this.volumes(label, value)).map(({ name, labels }) => [name, labels]));
    }

    /** Names of the running containers that mount a volume. */
    async usersOf(volume: string): Promise<string[]> {
        const containers = await this.docker.listContainers({ filters: { volume: [volume] } });
        return containers.map(({ Names: [name = ""] }) => name.replace(/^\//, ""));
    }

    /** Folders of the host that running containers can write to. */
    async folderMounts(): Promise<FolderMount[]> {
        const containers = await this.docker.listContainers();
        return containers.flatMap(({ Names: [name = ""], Mounts: mounts }) =>
            mounts
                .filter(({ Type: type, RW: isWritable }) => type === "bind" && isWritable)
                .map(({ Source: path }) => ({ container: name.replace(/^\//, ""), path })),
        );
    }

    /** Variables that an image sets, as `NAME=value`. Empty if the engine doesn't have the image. */
    async imageVariables(reference: string): Promise<string[]> {
        const image = await this.docker.getImage(reference).inspect().catch(throwUnlessNoImage);
        return image?.Config.Env ?? [];
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
        return name === "" ? undefined : (await this.docker.getImage(name).inspect().catch(throwUnlessNoImage))?.Id;
    }

    /** Makes the engine have an image. Returns why it can't; undefined if it has it. */
    async haveImage(name: string): Promise<string | undefined> {
        return haveImage(this.docker, name, (one) => pulled(this.docker, one)).then(
            () => undefined,
            (error: unknown) => (error as Error).message,
        );
    }

    /** What an image says of its release, by a label or by the variable of HAProxy's official images. Undefined without it. */
    async imageRelease(reference: string): Promise<string | undefined> {
        const image = await this.docker.getImage(reference).inspect().catch(throwUnlessNoImage);
        const { Labels: labels, Env: variables } = image?.Config ?? {};
        const [, release] =
            (variables ?? []).map((one) => one.split("=")).find(([name]) => name === "HAPROXY_VERSION") ?? [];
        return (
            (labels as { [label: string]: string } | null | undefined)?.["org.opencontainers.image.version"] ?? release
        );
    }

    /** TCP ports that running containers publish on the host. */
    async publishedPorts(): Promise<PublishedPort[]> {
        const containers = await this.docker.listContainers();
        return containers.flatMap(({ Names: names, Ports: ports }) =>
            ports
                .filter(({ Type: type, PublicPort: port }) => type === "tcp" && port > 0)
                .map(({ IP: address, PublicPort: port }) => ({
                    container: (names[0] ?? "").replace(/^\//, ""),
                    address,
                    port,
                })),
        );
    }
}

/** What an engine sends, to its end. @throws {Error} that names it, if the connection breaks off. */
async function bytesOf(stream: NodeJS.ReadableStream, name: string): Promise<Buffer> {
    try {
        return await buffer(stream);
    } catch (error) {
        const failure = error as NodeJS.ErrnoException;
        if (failure.code !== undefined) {
            failure.message = `Docker's answer broke off (${name}): ${failure.message}`;
        }
        throw engineError(failure);
    }
}

function notEnded(container: string, [command]: string[], seconds: number): Error {
    return new Error(
        `${command ?? ""} has not ended within ${seconds} s in ${container}. The container or the Docker daemon hangs: see docker logs and ` +
            "docker top, restart the container if it doesn't answer, then run the same command again",
    );
}
