import type Docker from "dockerode";
import { once } from "node:events";
import { clientContainer } from "../../components/storeClient/clientContainer";
import type { StoreTarget } from "../../components/storeClient/storeTarget";
import { StepError } from "../cli/step";

/** Standard streams of the client. */
export interface ClientStreams {
    input: NodeJS.ReadableStream;
    output: NodeJS.WritableStream;
    errors: NodeJS.WritableStream;
}

/**
 * Runs the client in a container on the node network, and passes its streams through.
 *
 * @param configuration The client's configuration, with all keys: the first line of its standard input.
 * @returns Its exit code.
 */
export async function runClient(
    target: StoreTarget,
    configuration: string,
    image: string,
    args: string[],
    { input, output, errors }: ClientStreams,
): Promise<number> {
    const { docker } = target;
    const container = await docker.createContainer(clientContainer(target, image, ["mc", ...args]));
    const kill = () => void container.kill().catch(() => undefined);
    process.once("SIGINT", kill).once("SIGTERM", kill);
    try {
        const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
        docker.modem.demuxStream(stream, output, errors);
        const closed = once(stream, "close");
        const code = await exitCode(docker, container, async () => {
            await container.start();
            stream.write(`${configuration}\n`);
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
