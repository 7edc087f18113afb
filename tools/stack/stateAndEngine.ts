import { isElsewhere } from "./stackHosts";
import type { StackTarget } from "./stackEngines";
import {
    refuseDataOfOthers,
    refuseLostData,
    refuseNewName,
    refuseOtherHosts,
    refuseProtectedStores,
} from "./dataVolumes";
import { forgetInterruptedUpdate, refuseUnknownContainers, recoverInterruptedUpdate } from "./interruptedUpdate";
import { followMovedHosts, refuseLivingHosts } from "./movedHosts";
import { refuseMigrating } from "./unfinishedMigration";
import { readState, type StackState } from "../pulumi/stackState";
import { isDiyBackend, whileNobodyUpdates } from "../pulumi/updateLock";
import { say } from "../cli/step";
import type { Workspace } from "../pulumi/workspace";

/** What is compared with the state before an update. */
interface UpdateConfig {
    clusterName: string;
    allowedChanges: string[];
    /** The additional stores. Undefined if they aren't known. */
    additionalStores: { name: string; allowedChanges?: string[] }[] | undefined;
}

/**
 * Prepares an update: no other process updates the stack, the remains of a killed update are settled, and nothing on
 * the engines prevents the update.
 *
 * @param target The stack's hosts, or its only engine.
 * @returns Additional arguments for `pulumi up`.
 * @throws {StepError} with the remedy, if it isn't possible.
 */
export async function prepareUpdate(
    workspace: Workspace,
    stack: string,
    target: StackTarget,
    { clusterName, allowedChanges, additionalStores }: UpdateConfig,
): Promise<string[]> {
    const { engines } = target;
    let leftAlone: string[] = [];
    const needsRefresh = await withState(workspace, stack, target, async (state, settle) => {
        leftAlone = state.resources.filter((resource) => isElsewhere(engines, resource)).map(({ urn }) => urn);
        refuseNewName(state, clusterName, allowedChanges);
        if (additionalStores !== undefined) {
            refuseProtectedStores(
                state,
                clusterName,
                additionalStores.map(({ name }) => name),
            );
        }
        refuseOtherHosts(target, state, allowedChanges);
        await refuseLivingHosts(target, state);
        await refuseLostData(engines, state, (cluster) =>
            cluster === clusterName
                ? allowedChanges
                : (additionalStores?.find(({ name }) => cluster === `${clusterName}-${name}`)?.allowedChanges ?? []),
        );
        await refuseDataOfOthers(engines, state, clusterName);
        await refuseMigrating(engines, state);
        const settled = await settle();
        await refuseUnknownContainers(engines, state, clusterName);
        return settled;
    });
    if (needsRefresh) {
        await followMovedHosts(workspace, stack, target.hosts);
    }
    return refreshArguments(needsRefresh, leftAlone);
}

/** Removes the pending operations of killed updates, once an update has succeeded. */
export async function finishUpdate(workspace: Workspace, stack: string, { engines }: StackTarget): Promise<void> {
    if (isDiyBackend(workspace.backend)) {
        await forgetInterruptedUpdate(workspace, stack, engines);
    }
}

/**
 * Prepares the removal of the stack's resources, as {@link prepareUpdate} does for an update.
 *
 * @returns Additional arguments for `pulumi destroy`.
 * @throws {StepError} with the remedy, if it isn't possible.
 */
export async function prepareRemoval(workspace: Workspace, stack: string, target: StackTarget): Promise<string[]> {
    const needsRefresh = await withState(workspace, stack, target, async (state, settle) => {
        await refuseMigrating(target.engines, state);
        return settle();
    });
    await finishUpdate(workspace, stack, target);
    await followMovedHosts(workspace, stack, target.hosts);
    return refreshArguments(needsRefresh);
}

/** Works on the stack's state while nobody updates it. A service that keeps the state checks that itself. */
async function withState(
    workspace: Workspace,
    stack: string,
    { engines }: StackTarget,
    work: (state: StackState, settle: () => Promise<boolean>) => Promise<boolean>,
): Promise<boolean> {
    if (!isDiyBackend(workspace.backend)) {
        return work(await readState(workspace), () => Promise.resolve(false));
    }
    return whileNobodyUpdates(workspace, stack, async () => {
        const state = await readState(workspace);
        return work(state, () => recoverInterruptedUpdate(engines, state));
    });
}

/** @param leftAlone URNs of resources whose hosts are known to be down, so that they can't be compared. */
function refreshArguments(needed: boolean, leftAlone: string[] = []): string[] {
    say(
        needed
            ? "the state may know what is gone: comparing it with the Docker daemon first"
            : "nothing is left half-way",
    );
    return needed ? ["--refresh", ...leftAlone.flatMap((urn) => ["--exclude", urn])] : [];
}
