import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { backendFolder } from "./backendFiles";
import { runsProgram } from "../machine/processes";
import { say, StepError } from "../machine/step";

/** What Pulumi writes into a lock file, and reads from it. */
interface LockContent {
    pid: number;
    username: string;
    hostname: string;
    timestamp: string;
}

interface Lock extends LockContent {
    file: string;
    /** Program that takes such locks. */
    program: string;
}

/** Beginning of the names of locks that this module takes. Those of Pulumi are bare UUIDs. */
const OWN_PREFIX = "tools-";

/** Longest time that writing a lock takes. */
const DRAFT_MILLISECONDS = 5000;

/**
 * Folder with the locks of a stack in a backend of files, as Pulumi lays it out; nothing for other backends, which know
 * by themselves whether an update is under way.
 */
export function lockFolder(backend: string, project: string, stack: string): string | undefined {
    const folder = backendFolder(backend);
    return folder === undefined ? undefined : join(folder, "locks", "organization", project, stack);
}

/**
 * Does some work while nobody updates the stack: removes the locks whose process was on this host and is gone, and holds
 * one that Pulumi respects.
 *
 * @throws {StepError} where somebody holds one, with who it is and what to do.
 */
export async function whileLocked<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
    await clearAbandoned(folder);
    const own = take(folder);
    try {
        refuse(locksIn(folder).filter(({ file }) => file !== own));
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
    // In one step, since others read every file in the folder.
    const draft = join(dirname(folder), name);
    writeFileSync(draft, JSON.stringify(content));
    renameSync(draft, join(folder, name));
    return join(folder, name);
}

async function clearAbandoned(folder: string): Promise<void> {
    await clearDrafts(folder);
    const locks = locksIn(folder);
    const held = await Promise.all(locks.map(isHeld));
    refuse(locks.filter((_, place) => held[place]));
    for (const { file, username, pid, timestamp } of locks) {
        rmSync(file, { force: true });
        rmSync(`${file}.attrs`, { force: true });
        say(`cleared the lock of ${username} since ${timestamp}: its process ${pid} is gone`);
    }
}

/** Removes locks that a process was killed while writing: no one knows whose they are, and Pulumi takes them for held. */
async function clearDrafts(folder: string): Promise<void> {
    for (const draft of namesIn(folder, ".tmp").map((name) => join(folder, name))) {
        const written = statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? 0;
        await sleep(Math.max(0, written + DRAFT_MILLISECONDS - Date.now()));
        rmSync(draft, { force: true });
    }
}

/** Whether the process that took a lock may still run. Its id may be another program's by now. */
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

/** A lock may be given back at any moment. */
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

function refuse(locks: Lock[]): void {
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
    throw new StepError(`an update of this stack is under way:\n${holders.join("\n")}\nThen run this command again.`);
}
