import type Docker from "dockerode";
import { buffer } from "node:stream/consumers";
import { StepError } from "../cli/step";
import { throwUnlessMissing } from "../../components/engine/dockerErrors";
import { fileOfArchive } from "../../components/engine/dockerStreams";

/** A container as far as a store is found in it. */
export interface FoundContainer {
    name: string;
    image: string;
    /** Entry point and command. */
    args: string[];
    /** Its variables, without those that its image sets to the same value. */
    variables: { [name: string]: string };
    /** The variables that its image sets. */
    imageVariables: { [name: string]: string };
    mounts: Mount[];
    /** Names by which its peers reach it. */
    hostnames: string[];
    /** User and group, as `1000:1000`; empty for root. */
    user: string;
    /** Limits: bytes, and billionths of a CPU. 0 is none. */
    memory: number;
    cpus: number;
    running: boolean;
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
}

/** Reads what an engine knows of a container. */
export async function readContainer(docker: Docker, name: string): Promise<FoundContainer> {
    const container = docker.getContainer(name);
    const inspected = await container.inspect().catch(throwUnlessMissing);
    if (inspected === undefined) {
        throw new StepError(`there is no container ${name}: docker ps --all lists them`);
    }
    const {
        Name,
        Config: config,
        HostConfig: limits,
        Mounts: mounts,
        NetworkSettings,
        State: state,
        Image,
    } = inspected;
    const image = await docker.getImage(Image).inspect();
    const ofImage = orNone(image.Config.Env);
    const set = orNone(config.Env).filter((variable) => !ofImage.includes(variable));
    const networks = Object.values(NetworkSettings.Networks);
    const shortName = Name.replace(/^\//, "");
    return {
        name: shortName,
        image: config.Image,
        args: [...orNone([config.Entrypoint ?? []].flat()), ...orNone(config.Cmd)].filter((arg) => arg !== ""),
        variables: Object.fromEntries(set.map(splitVariable)),
        imageVariables: Object.fromEntries(ofImage.map(splitVariable)),
        mounts: mounts.map(({ Type: type, Name: volume, Source: path, Destination: at }) => ({
            at,
            ...(type === "volume" ? { volume } : { path }),
        })),
        hostnames: [
            shortName,
            config.Hostname,
            ...networks.flatMap(({ Aliases: aliases }) => orNone(aliases as string[] | null)),
        ],
        user: config.User,
        memory: limits.Memory ?? 0,
        cpus: limits.NanoCpus ?? 0,
        running: state.Running,
        readFile: (path) => readFile(container, path),
    };
}

/** Names of the containers of a compose project, in alphabetical order. */
export async function containersOf(docker: Docker, project: string): Promise<string[]> {
    const filters = { label: [`com.docker.compose.project=${project}`] };
    const found = await docker.listContainers({ all: true, filters });
    return found.map(({ Names: [name = ""] }) => name.replace(/^\//, "")).sort();
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
