import type Docker from "dockerode";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { throwUnlessMissing } from "../../components/docker/dockerErrors";
import { fileOfArchive } from "../../components/docker/dockerStreams";
import { script } from "../../components/docker/script";
import { StepError } from "../cli/step";
import { runInContainer } from "./containerCommand";
import { storeProcessOf, type StoreProcess } from "./storeProcess";

/** A container as far as a store is found in it. */
export interface FoundContainer {
    name: string;
    /** Its image, as it was named. */
    image: string;
    /** What the engine knows of that image. */
    imageFacts: { id: string; tags: string[]; digests: string[] };
    /** The store in it. Undefined if none runs. */
    process?: StoreProcess;
    /** The store's release, as its program says it. */
    release?: string;
    /** Whether the store's program has a console with an address of its own. */
    hasConsole: boolean;
    /** Programs that this project needs of its image, and that are missing there. */
    missing: string[];
    /** Its variables, without those that its image sets to the same value. */
    variables: { [name: string]: string };
    /** The variables that its image sets. */
    imageVariables: { [name: string]: string };
    mounts: Mount[];
    /** Names and addresses by which its peers reach it. */
    hostnames: string[];
    /** Addresses of this host that its ports are published on; empty for all of them. */
    published: string[];
    /** Limits: bytes, and billionths of a CPU. 0 is none. */
    memory: number;
    cpus: number;
    /** Restart policy, as `docker update --restart` takes it. */
    restart: string;
    running: boolean;
    /** Service of a swarm that it is a task of. */
    service?: string;
    /** The text of a file in it; undefined if there is none. */
    readFile: (path: string) => Promise<string | undefined>;
}

/** A volume or a folder of the host in a container. */
export interface Mount {
    /** Name of the volume. Undefined for a folder. */
    volume?: string;
    /** The folder of the host. Undefined for a volume. */
    path?: string;
    /** Where the container has it. */
    at: string;
    /** Why it can't be a drive here: it is in memory, or only a part of a volume. */
    unusable?: string;
}

/** Reads what an engine knows of a container, and, if that runs, what its processes are. */
export async function readContainer(docker: Docker, name: string): Promise<FoundContainer> {
    const container = docker.getContainer(name);
    const inspected = await container.inspect().catch(throwUnlessMissing);
    if (inspected === undefined) {
        throw new StepError(`there is no container ${name}: docker ps --all lists them`);
    }
    const { Name, Config: config, HostConfig: host, NetworkSettings, State: state, Image } = inspected;
    const image = await docker.getImage(Image).inspect();
    const ofImage = orNone(image.Config.Env);
    const set = orNone(config.Env).filter((variable) => !ofImage.includes(variable));
    const shortName = Name.replace(/^\//, "");
    return {
        name: shortName,
        image: config.Image,
        imageFacts: { id: Image, tags: orNone(image.RepoTags), digests: orNone(image.RepoDigests) },
        ...(state.Running ? await lookInto(docker, shortName) : { missing: [], hasConsole: false }),
        variables: Object.fromEntries(set.map(splitVariable)),
        imageVariables: Object.fromEntries(ofImage.map(splitVariable)),
        mounts: mountsOf(inspected),
        hostnames: [
            shortName,
            config.Hostname,
            ...Object.values(NetworkSettings.Networks).flatMap(({ Aliases: aliases, IPAddress: address }) => [
                ...orNone(aliases as string[] | null),
                ...(address === "" ? [] : [address]),
            ]),
        ],
        published: Object.values((host.PortBindings ?? {}) as { [port: string]: { HostIp: string }[] | null })
            .flatMap((bindings) => bindings ?? [])
            .map(({ HostIp: address }) => address.replace(/^(0\.0\.0\.0|::)$/, "")),
        memory: host.Memory ?? 0,
        cpus: host.NanoCpus ?? 0,
        restart: restartOf(host.RestartPolicy),
        running: state.Running,
        service: config.Labels["com.docker.swarm.service.name"],
        readFile: (path) => readFile(container, path),
    };
}

/** Names of the containers of a compose project, in alphabetical order. */
export async function containersOf(docker: Docker, project: string): Promise<string[]> {
    const filters = { label: [`com.docker.compose.project=${project}`] };
    const found = await docker.listContainers({ all: true, filters });
    return found.map(({ Names: [name = ""] }) => name.replace(/^\//, "")).sort();
}

/** What only a running container can say. */
async function lookInto(
    docker: Docker,
    name: string,
): Promise<Pick<FoundContainer, "process" | "release" | "hasConsole" | "missing">> {
    const { code, output } = await runInContainer(docker, name, ["/bin/sh", "-c", LOOK]);
    if (code !== 0) {
        return { missing: ["/bin/sh"], hasConsole: false };
    }
    const { missing, processes } = parseLook(output);
    const process = storeProcessOf(processes);
    if (process === undefined) {
        return { missing, hasConsole: false };
    }
    const ask = async (...args: string[]) => (await runInContainer(docker, name, [process.program, ...args])).output;
    const [version, help] = await Promise.all([ask("--version"), ask("server", "--help")]);
    return { process, missing, release: releaseIn(version), hasConsole: help.includes("--console-address") };
}

const LOOK = script(join(__dirname), "lookAround.sh");

/** What the script has printed. */
export function parseLook(output: string): { missing: string[]; processes: string[][] } {
    const [missing = "", ...rest] = output.split("===\n");
    const processes = rest.join("===\n").split("\0\n");
    return {
        missing: missing.split("\n").filter((line) => line !== ""),
        // A process without arguments, as one that has ended, is a line feed before the next one.
        processes: processes.map((args) => args.replace(/^\n+/, "").split("\0")).filter(([first]) => first !== ""),
    };
}

/** The release in what `--version` prints. */
function releaseIn(version: string): string | undefined {
    return /RELEASE\.[0-9TZ-]+|\b\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?/.exec(version)?.[0];
}

function mountsOf({ Mounts: mounts, HostConfig: host }: Docker.ContainerInspectInfo): Mount[] {
    const parts = (host.Mounts ?? []) as { Target: string; VolumeOptions?: { Subpath?: string } }[];
    return mounts.map(({ Type: type, Name: volume, Source: path, Destination: at }): Mount => {
        const part = parts.find(({ Target: target }) => target === at)?.VolumeOptions?.Subpath;
        const unusable = part === undefined ? undefined : `the folder ${part} of the volume ${volume}`;
        if (type === "volume") {
            return { at, volume, unusable };
        }
        return { at, path, unusable: type === "bind" ? undefined : `${type}, and no volume or folder` };
    });
}

function restartOf(policy: { Name?: string; MaximumRetryCount?: number } | undefined): string {
    const { Name: name = "", MaximumRetryCount: count = 0 } = policy ?? {};
    return `${name === "" ? "no" : name}${count === 0 ? "" : `:${count}`}`;
}

/** A list that the engine may leave out. */
function orNone(list: string[] | null | undefined): string[] {
    return list ?? [];
}

function splitVariable(variable: string): [string, string] {
    const [, name = "", value = ""] = /^([^=]*)=([^]*)$/.exec(variable) ?? [];
    return [name, value];
}

async function readFile(container: Docker.Container, path: string): Promise<string | undefined> {
    try {
        return await fileOfArchive(await buffer(await container.getArchive({ path })));
    } catch (error) {
        throwUnlessMissing(error);
        return undefined;
    }
}
