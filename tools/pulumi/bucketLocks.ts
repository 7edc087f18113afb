import { abandonedLocks, clearedLock, type FoundLock } from "./lockHolders";
import { say } from "../cli/step";
import { askPulumi, type Workspace } from "./workspace";

/** Asks the CLI, as {@link askPulumi} does. */
type Ask = (workspace: Workspace, args: string[]) => Promise<string>;

const UPDATE = "an update of this stack";

/**
 * Runs an action while nobody updates a stack in a DIY backend other than files, such as a bucket. The CLI alone reaches its
 * locks. Locks of this host's ended processes stay until the end of the action, and keep other updates out meanwhile.
 * Without any, an update that somebody else starts during the action isn't noticed.
 *
 * @param ask Asks the CLI. Default: the installed one.
 * @throws {StepError} if a process holds a lock, with its owner and the remedy.
 */
export async function betweenUpdates<Result>(
    workspace: Workspace,
    stack: string,
    work: () => Promise<Result>,
    ask: Ask = askPulumi,
): Promise<Result> {
    const found = await abandonedLocks(await locksOf(workspace, stack, ask), UPDATE);
    const result = await work();
    if (found.length > 0) {
        // Somebody else may have removed them, and started an update.
        const left = await abandonedLocks(await locksOf(workspace, stack, ask), UPDATE);
        if (left.length > 0) {
            await ask(workspace, ["cancel", "--yes", stack]);
        }
        found.forEach((lock) => say(clearedLock(lock)));
    }
    return result;
}

/**
 * The locks of a stack that exists. To rename it to itself takes the lock first, and fails since there is a stack of that name.
 * Unlike `stack init`, it writes nothing if the backend fails to say whether there is one.
 */
async function locksOf(workspace: Workspace, stack: string, ask: Ask): Promise<FoundLock[]> {
    const answer = await ask(workspace, ["stack", "rename", "--stack", stack, stack]).then(
        () => `the stack ${stack} was renamed to itself, though it exists`,
        (error: unknown) => (error as Error).message,
    );
    const locks = locksIn(answer, stack);
    if (locks.length === 0 && !answer.includes(ALREADY_THERE)) {
        throw new Error(answer);
    }
    return locks;
}

const ALREADY_THERE = "already exists";

/** The locks in an error of the CLI. */
export function locksIn(message: string, stack: string): FoundLock[] {
    return [...message.matchAll(/: created by (.+)@(\S+) \(pid (\d+)\) at (\S+)$/gm)].map(
        ([, username = "", hostname = "", pid, timestamp = ""]) => ({
            username,
            hostname,
            pid: Number(pid),
            timestamp,
            program: "pulumi",
            removal: `npm run pulumi -- cancel --stack ${stack}`,
        }),
    );
}
