import { spawn } from "node:child_process";
import { existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StepError } from "../cli/step";
import { writeWhole } from "../machine/wholeFiles";
import { PLAYGROUND_FOLDER } from "./playground";
import type { PlaygroundStack } from "./playgroundStack";
import { RELAY, type VirtualHosts } from "./virtualHosts";

/** Seconds for a relay to accept connections after its start. */
const START_SECONDS = 20;

/** Forwards connections from a Unix socket to the hosts, in the client's namespace. */
const INSIDE = "inside";

/** Forwards connections from this machine's loopback address to that socket. */
const OUTSIDE = "outside";

/**
 * Forwards the ports of this machine's loopback address to the hosts, by two processes that outlive this one. Those that run
 * already are kept.
 *
 * @throws {StepError} if a port is taken.
 */
export async function startRelays(hosts: VirtualHosts, { ports }: PlaygroundStack): Promise<void> {
    const socketOf = (port: number) => join(PLAYGROUND_FOLDER, `port${port}.sock`);
    const all = Object.values(ports);
    if (runningRelay(INSIDE) === undefined) {
        all.forEach((port) => rmSync(socketOf(port), { force: true }));
        await start(INSIDE, hosts.relayCommand(Object.fromEntries(all.map((port) => [socketOf(port), port]))));
    }
    if (runningRelay(OUTSIDE) === undefined) {
        const ways = all.map((port) => `127.0.0.1:${port}=${socketOf(port)}`);
        await start(OUTSIDE, [process.execPath, RELAY, ...ways]);
    }
}

/** Ends the processes of {@link startRelays}. */
export function stopRelays(): void {
    for (const relay of [OUTSIDE, INSIDE]) {
        const running = runningRelay(relay);
        if (running !== undefined) {
            process.kill(running);
        }
    }
}

async function start(relay: string, [program = "", ...args]: string[]): Promise<void> {
    const log = join(PLAYGROUND_FOLDER, `${relay}.log`);
    const output = openSync(log, "w");
    const child = spawn(program, args, { detached: true, stdio: ["ignore", output, output] });
    writeWhole(pidFile(relay), `${child.pid}\n`);
    child.unref();
    for (let waited = 0; waited < START_SECONDS * 10 && child.exitCode === null; waited++) {
        if (readFileSync(log, "utf8").includes("ready")) {
            return;
        }
        await sleep(100);
    }
    throw new StepError(
        `the ports of 127.0.0.1 can't be forwarded to the hosts (${readFileSync(log, "utf8").trim()}): if one is taken, end the ` +
            "program that uses it, and run this command again",
    );
}

/** The process of a relay, if it runs. Its number may belong to another program since the machine was started. */
function runningRelay(relay: string): number | undefined {
    const file = pidFile(relay);
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
    const command = `/proc/${pid}/cmdline`;
    return existsSync(command) && readFileSync(command, "utf8").split("\0").includes(RELAY) ? pid : undefined;
}

function pidFile(relay: string): string {
    return join(PLAYGROUND_FOLDER, `${relay}.pid`);
}
