import { namedEngine } from "../machine/namedEngine";
import { refuseDataOfOthers, refuseLostData, refuseNewName } from "./dataVolumes";
import { forgetInterruptedUpdate, refuseUnknownContainers, settleInterruptedUpdate } from "./interruptedUpdate";
import { lockFolder, whileLocked } from "../pulumi/stackLock";
import { readState, type StackState } from "../pulumi/stackState";
import { say } from "../machine/step";
import { projectName, type Workspace } from "../pulumi/workspace";

/**
 * Sees to it that an update can begin: nobody else updates the stack, what a killed update left is settled, and nothing
 * on the engine stands against it.
 *
 * @returns Arguments that `pulumi up` needs besides its usual ones.
 * @throws {StepError} where it can't, with what to do.
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

/** Forgets what killed updates had begun, once an update has succeeded. */
export async function finishUpdate(workspace: Workspace, stack: string): Promise<void> {
    if (lockFolder(workspace.backend, projectName(), stack) !== undefined) {
        await forgetInterruptedUpdate(workspace, await namedEngine());
    }
}

/**
 * Sees to it that what the stack has can be removed, as {@link prepareUpdate} does for an update.
 *
 * @returns Arguments that `pulumi destroy` needs besides its usual ones.
 * @throws {StepError} where it can't, with what to do.
 */
export async function prepareRemoval(workspace: Workspace, stack: string): Promise<string[]> {
    const needsRefresh = await withState(workspace, stack, (_state, settle) => settle());
    await finishUpdate(workspace, stack);
    return refreshArguments(needsRefresh);
}

/** Works on the stack's state while nobody updates it, as far as the backend is one of files. */
function withState(
    workspace: Workspace,
    stack: string,
    work: (state: StackState, settle: () => Promise<boolean>) => Promise<boolean>,
): Promise<boolean> {
    const folder = lockFolder(workspace.backend, projectName(), stack);
    if (folder === undefined) {
        // Whether what was begun is under way or was killed, such a backend alone knows.
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
