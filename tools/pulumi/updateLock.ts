import { betweenUpdates } from "./bucketLocks";
import { lockFolder, whileLocked } from "./stackLock";
import { projectName, type Workspace } from "./workspace";

/**
 * Whether the CLI itself keeps states and locks in this backend (Pulumi's DIY backends): in files or a bucket. Otherwise a
 * service does; only that knows whether a started operation is running or was killed.
 */
export function isDiyBackend(backend: string): boolean {
    return !/^https?:/.test(backend);
}

/**
 * Runs an action while nobody updates a stack. Removes the locks of this host's ended processes. A service that keeps the state is
 * left to check that itself.
 *
 * @throws {StepError} if another process updates the stack, with its owner and the remedy.
 */
export function whileNobodyUpdates<Result>(
    workspace: Workspace,
    stack: string,
    work: () => Promise<Result>,
): Promise<Result> {
    if (!isDiyBackend(workspace.backend)) {
        return work();
    }
    const folder = lockFolder(workspace.backend, projectName(), stack);
    return folder === undefined ? betweenUpdates(workspace, stack, work) : whileLocked(folder, work);
}
