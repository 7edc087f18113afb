import type Docker from "dockerode";
import { bytesOf, textOfFrames } from "./dockerStreams";
import type { CommandResult } from "./model";

/** Time limit for a command in a container, in seconds. The scripts that ask a store or a proxy end within less. */
const COMMAND_SECONDS = 60;

/**
 * Runs a command in a running container, as its user.
 *
 * @param seconds Time limit. Default: 60.
 * @throws {Error} if it doesn't end in time. The engine has no way to end it; it may go on.
 */
export async function runCommand(
    docker: Pick<Docker, "getContainer">,
    container: string,
    command: string[],
    environment: string[] = [],
    seconds = COMMAND_SECONDS,
): Promise<CommandResult> {
    const exec = await docker
        .getContainer(container)
        .exec({ Cmd: command, Env: environment, AttachStdout: true, AttachStderr: true });
    const stream = await exec.start({});
    const timer = setTimeout(() => stream.destroy(notEnded(container, command, seconds)), seconds * 1000);
    const output = await bytesOf(stream, `${command[0] ?? ""} in ${container}`).finally(() => clearTimeout(timer));
    const { ExitCode: code } = await exec.inspect();
    return { code: code ?? -1, output: textOfFrames(output) };
}

function notEnded(container: string, [command]: string[], seconds: number): Error {
    return new Error(
        `${command ?? ""} has not ended within ${seconds} s in ${container}. The container or the Docker daemon hangs: see docker logs and ` +
            "docker top, restart the container if it doesn't answer, then run the same command again",
    );
}
