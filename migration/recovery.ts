import { allDone } from "../components/docker/allDone";
import { LABELS } from "../components/naming/labels";
import { passedTrialName } from "../components/naming/containerNames";
import type { MigrationDependencies } from "./migrationDependencies";
import { drivesOf } from "./ownContainer";
import type { ListedTrial, TrialContainers } from "./trialContainers";

/** What was left of a migration that was interrupted, and what was done about it. */
export type Recovery =
    /** Only helpers were left, which were removed. */
    | "nothing"
    /** The former store was started again. */
    | "started"
    /** The new store had everything, and the migration can go on with it. Its trial containers stay until they are removed. */
    | "passed"
    /** The former store's containers are gone, and the new store was not found to have everything. Nothing was done. */
    | "lost";

/** A trial container, and the engine that has it. */
interface FoundTrial extends ListedTrial {
    trials: TrialContainers;
    node: string;
}

/**
 * Settles what a killed migration has left. As long as the new store has not been found to have everything, the nodes' own containers
 * are started again. The trial containers are removed last, so that a recovery that is killed too is continued.
 *
 * @param engines The trial containers of each engine. An engine may be named more than once.
 * @param cluster Name of the cluster.
 * @param goesOn Whether the migration goes on to the store that was tried; otherwise it returns to the former one.
 * @param hiddenFrom Folders of each drive that the former store must not find, by the name of the store that was tried.
 */
export async function recoverMigration(
    engines: readonly TrialContainers[],
    cluster: string,
    goesOn: boolean,
    hiddenFrom: (tried: string) => readonly string[],
): Promise<Recovery> {
    const found = await trialsOf(engines, cluster);
    const tried = found.filter(({ node }) => node !== "");
    await Promise.all(found.map(({ trials, id }) => trials.stop(id, 0)));
    if (tried.length === 0) {
        await removeAll(found);
        return "nothing";
    }
    if (goesOn && tried.every(({ name, node }) => name === passedTrialName(node))) {
        return "passed";
    }
    const own = await Promise.all(tried.map(({ trials, node }) => trials.ownContainer(node)));
    const former = own.find((one) => one !== undefined);
    if (former === undefined) {
        return "lost";
    }
    // The former store may get new users from now on. If this recovery is killed, the other store has to be tried once more.
    await Promise.all(tried.map(({ trials, node }) => trials.withdraw(node)));
    await allDone(
        tried.map(async ({ trials, node, labels, id }, index) => {
            const hidden = hiddenFrom(labels[LABELS.profile] ?? "");
            if (own[index] !== undefined) {
                return trials.startOwn(cluster, node, hidden);
            }
            // The next update creates it.
            const trial = await trials.ownContainer(id);
            const drives = drivesOf(trial ?? { Mounts: [] }).map(({ volumeName }) => volumeName);
            return trials.change(cluster, { node, image: former.Image, user: former.Config.User, drives, hidden });
        }),
    );
    await removeAll(found);
    return "started";
}

/** Removes a cluster's trial containers with their files. An engine may be named more than once. */
export async function removeTrials(engines: readonly TrialContainers[], cluster: string): Promise<void> {
    await removeAll(await trialsOf(engines, cluster));
    await Promise.all(engines.map((trials) => trials.removeFiles(cluster)));
}

/** Removes the trial containers. A failure is a warning: the store runs, and the next update removes them. */
export async function removeTrialsOrWarn(
    trials: { remove(): Promise<void> },
    report: Pick<MigrationDependencies["report"], "warning">,
): Promise<void> {
    await trials.remove().catch((error: unknown) => {
        const reason = (error as Error).message;
        return report.warning(
            `what was left of the trial can't be removed: ${reason}. Run this command again: it does that first`,
        );
    });
}

async function removeAll(found: readonly FoundTrial[]): Promise<void> {
    await Promise.all(found.map(({ trials, id }) => trials.remove(id)));
}

async function trialsOf(engines: readonly TrialContainers[], cluster: string): Promise<FoundTrial[]> {
    const lists = await Promise.all(
        engines.map(async (trials) =>
            (await trials.list(cluster)).map((trial): FoundTrial => ({
                ...trial,
                trials,
                node: trial.labels[LABELS.trialNode] ?? "",
            })),
        ),
    );
    return [...new Map(lists.flat().map((trial) => [trial.id, trial])).values()];
}
