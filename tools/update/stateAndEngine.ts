import { isElsewhere } from "../hosts/stackHosts";
import { TrialContainers } from "../../components/engine/trialContainers";
import { recoverTakeOver, removeTrials } from "../../components/engine/trialRecovery";
import { hiddenFromFormer } from "../../components/store/profiles/takeOvers";
import type { StackEngine, StackTarget } from "../machine/stackEngines";
import {
    refuseDataOfOthers,
    refuseLostData,
    refuseNewName,
    refuseOtherHosts,
    refuseProtectedStores,
} from "./dataVolumes";
import { forgetInterruptedUpdate, refuseUnknownContainers, settleInterruptedUpdate } from "./interruptedUpdate";
import { followMovedHosts } from "./movedHosts";
import { readState, type StackState } from "../pulumi/stackState";
import { isDiyBackend, whileNobodyUpdates } from "../pulumi/updateLock";
import { say } from "../machine/step";
import { projectName, type Workspace } from "../pulumi/workspace";

/** What is compared with the state before an update. */
interface UpdateConfig {
    clusterName: string;
    allowedChanges: string[];
    /** Names of the additional stores. Undefined if they aren't known. */
    additionalStores: string[] | undefined;
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
            refuseProtectedStores(state, clusterName, additionalStores);
        }
        refuseOtherHosts(target, state, allowedChanges);
        await refuseLostData(engines, state, allowedChanges);
        await refuseDataOfOthers(engines, state, clusterName);
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
    const needsRefresh = await withState(workspace, stack, target, async (_state, settle) => {
        const settled = await settle();
        // Those that an update would go on with: they would keep the volumes in use.
        await removeTrials(trialsOn(target.engines), { stack: `${projectName()}/${stack}` });
        return settled;
    });
    await finishUpdate(workspace, stack, target);
    await followMovedHosts(workspace, stack, target.hosts);
    return refreshArguments(needsRefresh);
}

/**
 * Settles a take-over of the drives by another store that was killed. This comes before the state is compared with the
 * engine: the Docker provider would remove the former store's containers, since they don't run.
 */
async function settleTakeOver(engines: readonly StackEngine[], stack: string): Promise<void> {
    const recoveries = await recoverTakeOver(trialsOn(engines), { stack }, undefined, hiddenFromFormer);
    if (recoveries.includes("started")) {
        say("an earlier update ended while another store was tried on the drives: the former store runs again");
    }
}

function trialsOn(engines: readonly StackEngine[]): TrialContainers[] {
    return engines.map(({ docker }) => new TrialContainers(docker));
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
        return work(state, async () => {
            await settleTakeOver(engines, `${projectName()}/${stack}`);
            return settleInterruptedUpdate(engines, state);
        });
    });
}

/** @param leftAlone URNs of resources whose hosts are known to be down, so that they can't be compared. */
function refreshArguments(needed: boolean, leftAlone: string[] = []): string[] {
    say(needed ? "the state may know what is gone: comparing it with the engine first" : "nothing is left half-way");
    return needed ? ["--refresh", ...leftAlone.flatMap((urn) => ["--exclude", urn])] : [];
}
