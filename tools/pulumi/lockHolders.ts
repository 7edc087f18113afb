import { hostname } from "node:os";
import { runsProgram } from "../machine/processes";
import { StepError } from "../cli/step";

/** The content of Pulumi's locks. */
export interface LockContent {
    pid: number;
    username: string;
    hostname: string;
    timestamp: string;
}

/** A lock, as it was found. */
export interface FoundLock extends LockContent {
    /** Name of the program that creates these locks. */
    program: string;
    /** Command that removes it. */
    removal: string;
}

/**
 * Refuses to continue while another process holds a lock. Locks of this host's ended processes are abandoned.
 *
 * @param what What the holder does, for the message.
 * @returns The abandoned ones.
 * @throws {StepError} with the owner of each held lock, and the remedy.
 */
export async function abandonedLocks<Found extends FoundLock>(locks: Found[], what: string): Promise<Found[]> {
    const held = await Promise.all(locks.map(isHeld));
    refuseLocks(
        locks.filter((_, index) => held[index]),
        what,
    );
    return locks;
}

/** Says that a lock was removed. */
export function clearedLock({ username, timestamp, pid }: LockContent): string {
    return `cleared the lock of ${username} since ${timestamp}: its process ${pid} is gone`;
}

/** @throws {StepError} if there are any, with the owner of each and the remedy. */
export function refuseLocks(locks: FoundLock[], what: string): void {
    if (locks.length === 0) {
        return;
    }
    const holders = locks.map(({ username, hostname: host, pid, timestamp, removal }) => {
        const [where, advice] =
            host === hostname()
                ? ["this host", `wait for it to end, or end it in its own order: kill -INT ${pid}`]
                : [host, `see there whether it runs, and only where it doesn't: ${removal}`];
        return `    process ${pid} of ${username} on ${where}, since ${timestamp}: ${advice}`;
    });
    throw new StepError(`${what} is under way:\n${holders.join("\n")}\nThen run this command again.`);
}

/** Whether the process that created a lock may still run. Its id may belong to another program by now. */
async function isHeld({ pid, program, hostname: host }: FoundLock): Promise<boolean> {
    return host !== hostname() || runsProgram(pid, program);
}
