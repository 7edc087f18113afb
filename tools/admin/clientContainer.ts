import type Docker from "dockerode";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { script } from "../../components/engine/script";
import { S3_PORT } from "../../components/store/topology";
import { StepError } from "../machine/step";
import type { AdminTarget } from "./adminTarget";

/** Name of the store in the client's arguments: `store/BUCKET`. */
export const STORE_ALIAS = "store";

/** Root keys of a store. */
export interface RootKeys {
    accessKey: string;
    secretKey: string;
}

/** Standard streams of the client. */
export interface ClientStreams {
    input: NodeJS.ReadableStream;
    output: NodeJS.WritableStream;
    errors: NodeJS.WritableStream;
}

/** The client's configuration as one line, in the format of its file `config.json`. */
export function clientConfiguration({ address }: AdminTarget, keys: RootKeys): string {
    const store = { url: `http://${address}:${S3_PORT}`, ...keys, api: "S3v4", path: "on" };
    return JSON.stringify({ version: "10", aliases: { [STORE_ALIAS]: store } });
}

/** Folder in memory that only the client can read. */
const MEMORY = "/run/client";

const USER = 65534;

/** Arguments of the client's container. They contain no secret. */
export function clientContainer(
    { network }: AdminTarget,
    image: string,
    args: string[],
): Docker.ContainerCreateOptions {
    return {
        // It begins as the names of all containers of the cluster do.
        name: `${network.replace(/-nodes$/, "")}-admin-${randomBytes(4).toString("hex")}`,
        Image: image,
        Entrypoint: ["/bin/sh", "-c", script(__dirname, "runClient.sh"), "mc"],
        Cmd: args,
        Env: [`MC_CONFIG_DIR=${MEMORY}`],
        User: `${USER}:${USER}`,
        WorkingDir: MEMORY,
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        OpenStdin: true,
        StdinOnce: true,
        HostConfig: {
            NetworkMode: network,
            AutoRemove: true,
            ReadonlyRootfs: true,
            CapDrop: ["ALL"],
            SecurityOpt: ["no-new-privileges"],
            Tmpfs: { [MEMORY]: `rw,nosuid,nodev,noexec,size=64m,mode=0700,uid=${USER},gid=${USER}` },
            // Its output may contain new keys.
            LogConfig: { Type: "none", Config: {} },
        },
    };
}

/**
 * Runs the client in a container on the node network, and passes its streams through.
 *
 * @returns Its exit code.
 */
export async function runClient(
    target: AdminTarget,
    keys: RootKeys,
    image: string,
    args: string[],
    { input, output, errors }: ClientStreams,
): Promise<number> {
    const { docker } = target;
    const container = await docker.createContainer(clientContainer(target, image, args));
    const kill = () => void container.kill().catch(() => undefined);
    process.once("SIGINT", kill).once("SIGTERM", kill);
    try {
        const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
        docker.modem.demuxStream(stream, output, errors);
        const closed = once(stream, "close");
        const code = await exitCode(docker, container, async () => {
            await container.start();
            stream.write(`${clientConfiguration(target, keys)}\n`);
            forward(input, stream);
        });
        await closed;
        return code;
    } finally {
        process.off("SIGINT", kill).off("SIGTERM", kill);
        // Removed by the engine already, unless it has never started.
        await container.remove({ force: true }).catch(() => undefined);
    }
}

/** Passes everything to the client. Once the client has ended, further input is of no use to it. */
function forward(input: NodeJS.ReadableStream, stream: NodeJS.ReadWriteStream): void {
    stream.on("error", () => undefined).once("close", () => input.unpipe(stream));
    input.pipe(stream);
}

/** The exit code of a container that is removed as soon as it ends, so that it can't be asked for it. */
async function exitCode(docker: Docker, container: Docker.Container, start: () => Promise<void>): Promise<number> {
    const ends = await docker.getEvents({
        filters: { type: ["container"], container: [container.id], event: ["die"] },
    } as Docker.GetEventsOptions);
    try {
        const first = once(ends, "data") as Promise<[Buffer]>;
        first.catch(() => undefined);
        await start();
        const [event] = await first;
        const { Actor: actor } = JSON.parse(event.toString("utf8")) as { Actor: { Attributes: { exitCode: string } } };
        return Number(actor.Attributes.exitCode);
    } catch (error) {
        throw new StepError(`the client can't be run: ${(error as Error).message}`);
    } finally {
        (ends as NodeJS.ReadableStream & { destroy(): void }).destroy();
    }
}
