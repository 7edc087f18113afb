import { namedEngine } from "../machine/namedEngine";
import { refuseDataOfOthers, refuseLostData, refuseNewName } from "./dataVolumes";
import { forgetInterruptedUpdate, refuseUnknownContainers, settleInterruptedUpdate } from "./interruptedUpdate";
import { lockFolder, whileLocked } from "../pulumi/stackLock";
import { readState, type StackState } from "../pulumi/stackState";
import { say } from "../machine/step";
import { projectName, type Workspace } from "../pulumi/workspace";

/**
 * Prepares an update: no other process updates the stack, the remains of a killed update are settled, and nothing on
 * the engine prevents the update.
 *
 * @returns Additional arguments for `pulumi up`.
 * @throws {StepError} with the remedy, if it isn't possible.
 */
export async function prepareUpdate(
    workspace: Workspace,
    stack: string,
    clusterName: string,
    allowedChanges: string[],
): Promise<string[]> {
    const docker = await namedEngine();
    const needsRefresh = await withState(workspace, stack, async (state, settle) => {
        refuseNewName(state, clusterName, allowedChanges);
        await refuseLostData(state, allowedChanges);
        await refuseDataOfOthers(state, clusterName);
        const settled = await settle();
        await refuseUnknownContainers(docker, state, clusterName);
        return settled;
    });
    return refreshArguments(needsRefresh);
}

/** Removes the pending operations of killed updates, once an update has succeeded. */
export async function finishUpdate(workspace: Workspace, stack: string): Promise<void> {
    if (lockFolder(workspace.backend, projectName(), stack) !== undefined) {
        await forgetInterruptedUpdate(workspace, await namedEngine());
    }
}

/**
 * Prepares the removal of the stack's resources, as {@link prepareUpdate} does for an update.
 *
 * @returns Additional arguments for `pulumi destroy`.
 * @throws {StepError} with the remedy, if it isn't possible.
 */
export async function prepareRemoval(workspace: Workspace, stack: string): Promise<string[]> {
    const needsRefresh = await withState(workspace, stack, (_state, settle) => settle());
    await finishUpdate(workspace, stack);
    return refreshArguments(needsRefresh);
}

/** Works on the stack's state while nobody updates it, if it is in a file backend. */
function withState(
    workspace: Workspace,
    stack: string,
    work: (state: StackState, settle: () => Promise<boolean>) => Promise<boolean>,
): Promise<boolean> {
    const folder = lockFolder(workspace.backend, projectName(), stack);
    if (folder === undefined) {
        // Only such a backend knows whether a pending operation is running or was killed.
        return readState(workspace).then((state) => work(state, () => Promise.resolve(false)));
    }
    return whileLocked(folder, async () => {
        const state = await readState(workspace);
        return work(state, async () => settleInterruptedUpdate(await namedEngine(), state));
    });
}

function refreshArguments(needed: boolean): string[] {
    say(needed ? "the state may know what is gone: comparing it with the engine first" : "nothing is left half-way");
    return needed ? ["--refresh"] : [];
}
