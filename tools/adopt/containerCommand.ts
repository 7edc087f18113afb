import type Docker from "dockerode";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";

/** How a command in a container has ended. */
export interface CommandEnd {
    code: number;
    output: string;
    errors: string;
}

/**
 * Runs a command in a running container, as the container's user.
 *
 * @param input What it reads from its standard input. Default: nothing.
 */
export async function runInContainer(
    docker: Docker,
    container: string,
    command: readonly string[],
    input = "",
): Promise<CommandEnd> {
    const exec = await docker.getContainer(container).exec({
        Cmd: [...command],
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
    });
    const stream = await exec.start({ hijack: true, stdin: true });
    const [output, errors] = [new PassThrough(), new PassThrough()];
    docker.modem.demuxStream(stream, output, errors);
    stream.on("end", () => {
        output.end();
        errors.end();
    });
    stream.end(input);
    const [written, message] = await Promise.all([buffer(output), buffer(errors)]);
    const { ExitCode: code } = await exec.inspect();
    return { code: code ?? -1, output: written.toString(), errors: message.toString() };
}
