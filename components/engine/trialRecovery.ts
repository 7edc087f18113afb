import { allDone } from "./allDone";
import type { ListedTrial, TrialContainers } from "./trialContainers";
import { LABELS } from "../naming/labels";
import { passedTrialName } from "../naming/containerNames";

/** What was left of a take-over that was interrupted, and what was done about it. */
export type Recovery =
    /** Only helpers were left, which were removed: all nodes run what they should. */
    | "nothing"
    /** The former store was started again. */
    | "started"
    /** The new store had everything, and the update can go on with it. Its trial containers stay until the update removes them. */
    | "passed"
    /** Some nodes were replaced, and then an update back to the former store began. Its trial containers stay until the update removes them. */
    | "turnedBack"
    /** The former store's containers are gone, and the new store was not found to have everything. Nothing was done. */
    | "lost";

/** Folders of each drive that the former store must not find, by the profile of the store that was tried. */
export type HiddenFrom = (tried: string) => readonly string[];

/** A trial container, and the engine that has it. */
interface FoundTrial extends ListedTrial {
    trials: TrialContainers;
    node: string;
    owner: string;
}

/**
 * Settles what a killed update has left in which another store was to take over the drives. As long as the new store has not
 * been found to have everything, the nodes' own containers are started again. The trial containers are removed last, so that
 * a recovery that is killed too is continued.
 *
 * @param engines The trial containers of each engine. An engine may be named more than once.
 * @param of The cluster; or the stack, with all its clusters.
 * @param desired Profile of the store that the update is for. Undefined: unknown; what depends on it is left to the update.
 * @returns For each cluster of which something was left.
 */
export async function recoverTakeOver(
    engines: readonly TrialContainers[],
    of: { cluster: string } | { stack: string },
    desired: string | undefined,
    hiddenFrom: HiddenFrom,
): Promise<Recovery[]> {
    const found = await trialsOf(engines, of);
    const owners = [...new Set(found.map(({ owner }) => owner))];
    return allDone(
        owners.map((owner) =>
            recoverCluster(
                found.filter((one) => one.owner === owner),
                desired,
                hiddenFrom,
            ),
        ),
    );
}

/** @param found What is left of a cluster's take-over. */
async function recoverCluster(
    found: readonly FoundTrial[],
    desired: string | undefined,
    hiddenFrom: HiddenFrom,
): Promise<Recovery> {
    const tried = found.filter(({ node }) => node !== "");
    await Promise.all(found.map(({ trials, id }) => trials.stop(id, 0)));
    const goesOn = tried.every(({ labels }) => [undefined, labels[LABELS.profile]].includes(desired));
    const result = await settle(tried, goesOn, hiddenFrom);
    if (!goesOn && result === "turnedBack") {
        await withdrawAll(tried);
    }
    // If this update is killed too, the next one has to know.
    if (result === "turnedBack" || (goesOn && ["lost", "passed"].includes(result))) {
        return result;
    }
    await Promise.all(found.map(({ trials, id }) => trials.remove(id)));
    // The update is for the former store, whose containers it creates.
    return result === "started" ? result : "nothing";
}

/** Removes the trial containers of a cluster, or of a stack. An engine may be named more than once. */
export async function removeTrials(
    engines: readonly TrialContainers[],
    of: { cluster: string } | { stack: string },
): Promise<void> {
    const found = await trialsOf(engines, of);
    await Promise.all(found.map(({ trials, id }) => trials.remove(id)));
}

async function trialsOf(
    engines: readonly TrialContainers[],
    of: { cluster: string } | { stack: string },
): Promise<FoundTrial[]> {
    const lists = await Promise.all(
        engines.map(async (trials) =>
            (await trials.list(of)).map((trial): FoundTrial => ({
                ...trial,
                trials,
                node: trial.labels[LABELS.trialNode] ?? "",
                owner: trial.labels[LABELS.trial] ?? "",
            })),
        ),
    );
    return [...new Map(lists.flat().map((trial) => [trial.id, trial])).values()];
}

/** @param goesOn Whether the update is for the store that was tried, or may be. */
async function settle(tried: FoundTrial[], goesOn: boolean, hiddenFrom: HiddenFrom): Promise<Recovery> {
    if (tried.length === 0) {
        return "nothing";
    }
    const own = await Promise.all(tried.map(({ trials, node }) => trials.ownContainer(node)));
    const isReplaced = own.some(
        (one, place) => one !== undefined && one.Config.Labels[LABELS.inputs] === tried[place]?.labels[LABELS.inputs],
    );
    const hasPassed = tried.every(({ name, node }) => name === passedTrialName(node));
    if (goesOn && hasPassed) {
        return "passed";
    }
    if (isReplaced) {
        return "turnedBack";
    }
    if (own.every((one) => one === undefined)) {
        return "lost";
    }
    // The former store may get new users from now on. If this recovery is killed, the other store has to be tried once more.
    await withdrawAll(tried);
    await allDone(
        tried.map(({ trials, owner, node, labels }) =>
            trials.startOwn(owner, node, hiddenFrom(labels[LABELS.profile] ?? "")),
        ),
    );
    return "started";
}

/** Withdraws the records that the tried store has what the former one had. */
async function withdrawAll(tried: readonly FoundTrial[]): Promise<void> {
    await Promise.all(tried.map(({ trials, node }) => trials.withdraw(node)));
}
