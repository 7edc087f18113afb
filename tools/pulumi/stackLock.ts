import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { backendFolder } from "./backendFiles";
import { abandonedLocks, clearedLock, refuseLocks, type FoundLock, type LockContent } from "./lockHolders";
import { say } from "../cli/step";
import { moveWhole } from "../machine/wholeFiles";

/** A lock in a folder. */
interface LockFile extends FoundLock {
    file: string;
}

/** Prefix of the names of this module's locks. Pulumi's names are bare UUIDs. */
const OWN_PREFIX = "tools-";

/** Longest time for writing a lock. */
const DRAFT_MILLISECONDS = 5000;

/** Folder with the locks of a stack in a file backend, as Pulumi lays it out; undefined for other backends. */
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
    await clearDrafts(folder);
    for (const lock of await abandonedLocks(locksIn(folder), what)) {
        rmSync(lock.file, { force: true });
        rmSync(`${lock.file}.attrs`, { force: true });
        say(clearedLock(lock));
    }
    const own = take(folder);
    try {
        refuseLocks(
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
    moveWhole(draft, join(folder, name));
    return join(folder, name);
}

/** Removes incomplete locks of killed processes: their owner is unknown, and Pulumi considers them held. */
async function clearDrafts(folder: string): Promise<void> {
    for (const draft of namesIn(folder, ".tmp").map((name) => join(folder, name))) {
        const written = statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? 0;
        await sleep(Math.max(0, written + DRAFT_MILLISECONDS - Date.now()));
        rmSync(draft, { force: true });
    }
}

function locksIn(folder: string): LockFile[] {
    return namesIn(folder, ".json").flatMap((name) => {
        const file = join(folder, name);
        const text = readIfThere(file);
        const program = name.startsWith(OWN_PREFIX) ? "node" : "pulumi";
        return text === undefined
            ? []
            : [{ ...(JSON.parse(text) as LockContent), file, program, removal: `rm ${file}` }];
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
