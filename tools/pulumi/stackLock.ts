import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { backendFolder } from "./backendFiles";
import { runsProgram } from "../machine/processes";
import { say, StepError } from "../machine/step";

/** The content of Pulumi's lock files. */
interface LockContent {
    pid: number;
    username: string;
    hostname: string;
    timestamp: string;
}

interface Lock extends LockContent {
    file: string;
    /** Program that creates these locks. */
    program: string;
}

/** Prefix of the names of this module's locks. Pulumi's names are bare UUIDs. */
const OWN_PREFIX = "tools-";

/** Longest time for writing a lock. */
const DRAFT_MILLISECONDS = 5000;

/**
 * Folder with the locks of a stack in a file backend, as Pulumi lays it out; undefined for other backends, which know
 * themselves whether an update is running.
 */
export function lockFolder(backend: string, project: string, stack: string): string | undefined {
    const folder = backendFolder(backend);
    return folder === undefined ? undefined : join(folder, "locks", "organization", project, stack);
}

/**
 * Runs an action while nobody updates the stack. Removes the locks of this host's ended processes first, and holds a
 * lock that Pulumi respects.
 *
 * @param what What the holder of another lock does, for the message. Default: an update of this stack.
 * @throws {StepError} if another process holds a lock, with its owner and the remedy.
 */
export async function whileLocked<Result>(
    folder: string,
    work: () => Promise<Result>,
    what = "an update of this stack",
): Promise<Result> {
    await clearAbandoned(folder, what);
    const own = take(folder);
    try {
        refuse(
            locksIn(folder).filter(({ file }) => file !== own),
            what,
        );
        return await work();
    } finally {
        rmSync(own, { force: true });
    }
}

function take(folder: string): string {
    const name = `${OWN_PREFIX}${randomUUID()}.json`;
    const content: LockContent = {
        pid: process.pid,
        username: userInfo().username,
        hostname: hostname(),
        timestamp: new Date().toISOString(),
    };
    mkdirSync(folder, { recursive: true });
    // Atomic, because other processes read every file in the folder.
    const draft = join(dirname(folder), name);
    writeFileSync(draft, JSON.stringify(content));
    renameSync(draft, join(folder, name));
    return join(folder, name);
}

async function clearAbandoned(folder: string, what: string): Promise<void> {
    await clearDrafts(folder);
    const locks = locksIn(folder);
    const held = await Promise.all(locks.map(isHeld));
    refuse(
        locks.filter((_, place) => held[place]),
        what,
    );
    for (const { file, username, pid, timestamp } of locks) {
        rmSync(file, { force: true });
        rmSync(`${file}.attrs`, { force: true });
        say(`cleared the lock of ${username} since ${timestamp}: its process ${pid} is gone`);
    }
}

/** Removes incomplete locks of killed processes: their owner is unknown, and Pulumi considers them held. */
async function clearDrafts(folder: string): Promise<void> {
    for (const draft of namesIn(folder, ".tmp").map((name) => join(folder, name))) {
        const written = statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? 0;
        await sleep(Math.max(0, written + DRAFT_MILLISECONDS - Date.now()));
        rmSync(draft, { force: true });
    }
}

/** Whether the process that created a lock may still run. Its id may belong to another program by now. */
async function isHeld({ pid, program, hostname: host }: Lock): Promise<boolean> {
    return host !== hostname() || runsProgram(pid, program);
}

function locksIn(folder: string): Lock[] {
    return namesIn(folder, ".json").flatMap((name) => {
        const file = join(folder, name);
        const text = readIfThere(file);
        const program = name.startsWith(OWN_PREFIX) ? "node" : "pulumi";
        return text === undefined ? [] : [{ ...(JSON.parse(text) as LockContent), file, program }];
    });
}

function namesIn(folder: string, ending: string): string[] {
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ending)) : [];
}

/** A lock may be released at any moment. */
function readIfThere(file: string): string | undefined {
    try {
        return readFileSync(file, "utf8");
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") {
            return undefined;
        }
        throw error;
    }
}

function refuse(locks: Lock[], what: string): void {
    if (locks.length === 0) {
        return;
    }
    const holders = locks.map(({ username, hostname: host, pid, timestamp, file }) => {
        const [where, advice] =
            host === hostname()
                ? ["this host", `wait for it to end, or end it in its own order: kill -INT ${pid}`]
                : [host, `see there whether it runs, and only where it doesn't: rm ${file}`];
        return `    process ${pid} of ${username} on ${where}, since ${timestamp}: ${advice}`;
    });
    throw new StepError(`${what} is under way:\n${holders.join("\n")}\nThen run this command again.`);
}
