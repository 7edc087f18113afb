import { spawnSync } from "node:child_process";
import { failedCommand } from "./failedCommand";

/** Longest time for a command, in seconds. */
const COMMAND_SECONDS = 180;

/** The output of a command. */
export interface CommandOutput {
    stdout: string;
    stderr: string;
}

/**
 * Runs a program in a folder until it ends.
 *
 * @throws {Error} with its whole output, if it fails.
 */
export function finishedCommand(
    folder: string,
    program: string,
    args: string[],
    envVars: { [name: string]: string } = {},
): CommandOutput {
    const { status, stdout, stderr, error } = spawnSync(program, args, {
        cwd: folder,
        env: { ...process.env, ...envVars },
        encoding: "utf8",
        timeout: COMMAND_SECONDS * 1000,
    });
    if (error !== undefined) {
        throw error;
    }
    if (status !== 0) {
        throw failedCommand(`${program} ${args.join(" ")}`, status, `${stdout}${stderr}`);
    }
    return { stdout, stderr };
}
