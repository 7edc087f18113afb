import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { progress } from "../cli/step";

/** Options for running a program. */
export interface RunOptions {
    cwd?: string;
    env?: NodeJS.ProcessEnv;
    /** Time limit in seconds; the program is killed after it. Default: none. */
    timeout?: number;
    /** File that also gets the program's output. */
    log?: string;
    /** What the program reads from its standard input. Default: nothing. */
    input?: string;
    /** Converts the last line of output to a progress message. Default: that line. */
    describe?: (line: string) => string;
}

/** A program failed, or could not be started. */
export class RunError extends Error {}

/**
 * Runs a program until it ends, shows its progress, and returns its standard output.
 *
 * @throws {RunError} with its last lines, if it fails.
 */
export function run(program: string, args: string[], options: RunOptions = {}): Promise<string> {
    const { cwd, env, timeout, log, input, describe = (line: string) => line } = options;
    if (log !== undefined) {
        mkdirSync(dirname(log), { recursive: true });
    }
    const file = log === undefined ? undefined : createWriteStream(log, { flags: "a" });
    return new Promise((resolve, reject) => {
        let output = "";
        let tail = "";
        const child = spawn(program, args, {
            cwd,
            env: env ?? process.env,
            stdio: ["pipe", "pipe", "pipe"],
            timeout: timeout === undefined ? undefined : timeout * 1000,
            killSignal: "SIGKILL",
        });
        const take = (text: string) => {
            file?.write(text);
            tail = (tail + text).slice(-4000);
            const line =
                tail
                    .trimEnd()
                    .split(/[\r\n]/)
                    .at(-1) ?? "";
            progress(describe(line));
        };
        // A program that doesn't read its input may have ended.
        child.stdin.on("error", () => undefined).end(input);
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
            output += text;
            take(text);
        });
        child.stderr.setEncoding("utf8").on("data", take);
        child.on("error", (error) => reject(new RunError(`${program} can't be started: ${error.message}`)));
        child.on("close", (code, signal) => {
            file?.end();
            if (code === 0) {
                resolve(output);
                return;
            }
            const end = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
            const where = log === undefined ? "" : ` (all of it: ${log})`;
            reject(
                new RunError(
                    `${program} ${args.join(" ")} ${end}${where}\n${tail.trimEnd().split("\n").slice(-15).join("\n")}`,
                ),
            );
        });
    });
}

/**
 * Milliseconds within which a second signal counts as the same one: npm forwards a signal that the process group has
 * already received.
 */
const ECHO_MILLISECONDS = 1000;

/** Time for npm to forward a signal, on a busy machine. */
const PASSED_ON_MILLISECONDS = 900;

/**
 * Runs a program on the user's own terminal, and returns its exit code. The program gets each SIGINT and SIGTERM once:
 * a second one makes Pulumi exit at once, with nodes left out of service.
 */
export function runAttached(
    program: string,
    args: string[],
    options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<number> {
    return new Promise((resolve, reject) => {
        // On a terminal, Ctrl-C reaches the whole process group: this program and its child. Without a terminal, the
        // child has its own group.
        const hasTerminal = process.stdin.isTTY || process.stdout.isTTY;
        let last = -Infinity;
        let held: NodeJS.Timeout | undefined;
        const handle = (signal: NodeJS.Signals) => {
            const now = performance.now();
            const isEcho = now - last < ECHO_MILLISECONDS;
            last = now;
            if (!hasTerminal) {
                if (!isEcho) {
                    child.kill(signal);
                }
            } else if (isEcho) {
                // The signal was sent to the group, so the child has received it too.
                clearTimeout(held);
            } else if (signal === "SIGTERM") {
                held = setTimeout(() => child.kill(signal), PASSED_ON_MILLISECONDS);
            }
        };
        // Registered before the start: an early signal would end this program and leave its child running.
        process.on("SIGINT", handle).on("SIGTERM", handle);
        const child = spawn(program, args, { ...options, stdio: "inherit", detached: !hasTerminal });
        child.on("error", (error) => reject(new RunError(`${program} can't be started: ${error.message}`)));
        child.on("close", (code) => {
            process.off("SIGINT", handle).off("SIGTERM", handle);
            clearTimeout(held);
            resolve(code ?? 1);
        });
    });
}

/** The output of a program; undefined if it is missing or fails. */
export async function outputOf(program: string, args: string[], env?: NodeJS.ProcessEnv): Promise<string | undefined> {
    return run(program, args, { env, timeout: 20 }).then(
        (output) => output.trim(),
        () => undefined,
    );
}
