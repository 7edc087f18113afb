import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { progress } from "./step";

/** How a program is run. */
export interface RunOptions {
    cwd?: string;
    env?: NodeJS.ProcessEnv;
    /** Limit in seconds; the program is ended after it. Default: none. */
    timeout?: number;
    /** File that takes the program's output as well. */
    log?: string;
    /** Says how far the program is, given its last line. Default: that line. */
    describe?: (line: string) => string;
}

/** A program failed, or could not be started. */
export class RunError extends Error {}

/**
 * Runs a program to its end, shows how far it is, and gives what it printed on standard output.
 *
 * @throws {RunError} where it fails, with its last lines.
 */
export function run(program: string, args: string[], options: RunOptions = {}): Promise<string> {
    const { cwd, env, timeout, log, describe = (line: string) => line } = options;
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
            stdio: ["ignore", "pipe", "pipe"],
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

/** A signal that follows another so closely is the same: npm passes on what the group of processes has got already. */
const ECHO_MILLISECONDS = 1000;

/** Time for npm to pass a signal on, on a busy machine. */
const PASSED_ON_MILLISECONDS = 900;

/**
 * Runs a program on the user's own terminal, and gives its exit code. It gets each SIGINT and SIGTERM once: to Pulumi a second one
 * means to end at once, with nodes left out of service.
 */
export function runAttached(
    program: string,
    args: string[],
    options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<number> {
    return new Promise((resolve, reject) => {
        // A terminal's Ctrl-C reaches a whole group of processes, this program and that one; without a terminal each has its own.
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
                // It came to the group, and so to that one as well.
                clearTimeout(held);
            } else if (signal === "SIGTERM") {
                held = setTimeout(() => child.kill(signal), PASSED_ON_MILLISECONDS);
            }
        };
        // Before the start: a signal that comes at once would end this program and leave that one running.
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

/** What a program prints, where it is there and succeeds. */
export async function outputOf(program: string, args: string[], env?: NodeJS.ProcessEnv): Promise<string | undefined> {
    return run(program, args, { env, timeout: 20 }).then(
        (output) => output.trim(),
        () => undefined,
    );
}
