import { QuotaQuestions, nodeOnEngine, untilCounted } from "../components/storeClient/countedQuotas";
import { Cordon } from "../components/rollout/cordon";
import { allDone } from "../components/docker/allDone";
import { markText } from "../components/requirements/migrationMark";
import type { ServiceProfile } from "../components/store/serviceProfile";
import { say, StepError } from "../tools/cli/step";
import { migrationProblems, type AllowedLoss } from "./checks";
import { describeMigration } from "./description";
import { writeMark, type FoundCluster, type FoundNode } from "./foundCluster";
import { untilFormerReady } from "./formerStore";
import { migrationDependencies } from "./migrationDependencies";
import { recoverMigration, removeTrials, removeTrialsOrWarn } from "./recovery";
import { StoreMigration } from "./storeMigration";
import { hiddenFromFormer, migrationBetween, type Migration } from "./supported";
import { EngineTrialNodes } from "./trialNodes";

/** Settings of `npm run migrate`. */
export interface MigrateOptions extends AllowedLoss {
    /** The store that gets the drives. */
    to: ServiceProfile;
    /** Its image. */
    image: string;
    /** Whether the migration is only checked. */
    check: boolean;
    /** Time limit for a node to become ready, in seconds. */
    readyTimeout: number;
    /** Time that running requests have to finish, in seconds. */
    drainTimeout: number;
}

/** What `npm run migrate` has done with the drives. */
export type Outcome =
    /** Nothing was changed: it was only checked. */
    | "checked"
    /** The drives belong to the store, which the update that comes next starts. */
    | "migrated"
    /** The former store runs, and nothing was changed. */
    | "returned"
    /** The store runs on all nodes. */
    | "done";

/**
 * Gives the drives of a cluster to another store, as far as that is possible without Pulumi: tries it on them, and records that it has
 * everything. Goes on with a migration that was interrupted.
 *
 * @throws {StepError} with what to do; the former store then runs, as far as it did before.
 */
export async function migrateTo(cluster: FoundCluster, options: MigrateOptions): Promise<Outcome> {
    const { to } = options;
    const { mark, missing } = cluster;
    refuseMixed(cluster);
    if (missing.length > 0) {
        const first =
            mark !== undefined && "to" in mark
                ? "`npm run migrate -- --back` first, then `npm run up`"
                : "`npm run up` first";
        throw new StepError(
            `${missing.join(", ")}: no container, so the drives there can't be looked at. Run ${first}, then this command again`,
        );
    }
    if (mark !== undefined && "from" in mark && mark.store === to.name) {
        return storeOf(cluster) === to.name ? finishMigration(cluster, to) : "migrated";
    }
    if (mark !== undefined && "from" in mark && mark.store !== storeOf(cluster)) {
        throw new StepError(
            `${cluster.name}: the drives belong to ${mark.store}, and its nodes don't run yet. Run \`npm run up\` with profile ${mark.store}, ` +
                `or \`npm run migrate -- --back\` to return to ${mark.from}`,
        );
    }
    const from = storeOf(cluster);
    const migration = migrationBetween(from, to.name) ?? refuseUnknown(from, to.name);
    if (mark !== undefined && "to" in mark && mark.to === to.name && !options.check) {
        const recovery = await recover(cluster, true);
        if (recovery === "passed") {
            await writeMark(cluster, markText({ store: to.name, from }));
            return "migrated";
        }
    }
    await refuseProblems(cluster, migration, options);
    if (options.check) {
        say(await describeMigration(cluster, migration));
        return "checked";
    }
    await tryStore(cluster, migration, options);
    return "migrated";
}

/**
 * Returns to the store that the cluster had. A migration that hasn't ended is undone; after one that has, the drives go the other way.
 *
 * @param optionsFor Settings for the store that gets the drives.
 * @throws {StepError} if the cluster was never migrated, or it isn't possible now.
 */
export async function migrateBack(
    cluster: FoundCluster,
    optionsFor: (store: string) => MigrateOptions,
): Promise<Outcome> {
    const { mark } = cluster;
    refuseMixed(cluster);
    if (mark === undefined) {
        throw new StepError(`${cluster.name}: it was never migrated, so there is no store to go back to`);
    }
    if ("from" in mark && storeOf(cluster) === mark.store) {
        return migrateTo(cluster, optionsFor(mark.from));
    }
    const former = "to" in mark ? mark.store : mark.from;
    if ((await recover(cluster, false)) === "nothing") {
        await startStopped(cluster, "to" in mark ? mark.to : mark.store);
    }
    await writeMark(cluster, "");
    say(`${former} runs again, with everything that it had`);
    return "returned";
}

/** Tries the new store on the drives, and records that they are its own. */
async function tryStore(cluster: FoundCluster, migration: Migration, options: MigrateOptions): Promise<void> {
    const { from, to } = migration;
    const trials = new EngineTrialNodes(cluster, { from, to, image: options.image });
    const dependencies = migrationDependencies(cluster);
    await trials.remove();
    await writeMark(cluster, markText({ store: from.name, to: to.name }));
    const limits = { profile: to, readyTimeout: options.readyTimeout, drainTimeout: options.drainTimeout };
    const attempt = new StoreMigration(dependencies, cluster.nodes, {
        migration,
        trials,
        limits,
        mayLoseSettings: options.loseSettings,
        mayLoseObjects: options.loseUnreadable,
    });
    try {
        await attempt.run();
    } catch (error) {
        // As long as a trial is left, the next call has to know.
        const left = await Promise.all(
            cluster.nodes.map(({ place }) => cluster.trialsOn(place.host).list(cluster.name)),
        );
        if (left.flat().length === 0) {
            await writeMark(cluster, cluster.mark === undefined ? "" : markText(cluster.mark)).catch(() => undefined);
        }
        throw error;
    }
    await writeMark(cluster, markText({ store: to.name, from: from.name }));
}

/** What is left once the new store runs on all nodes: removes the trial, and waits for its quotas. */
async function finishMigration(cluster: FoundCluster, profile: ServiceProfile): Promise<Outcome> {
    const dependencies = migrationDependencies(cluster);
    const engines = cluster.nodes.map(({ place }) => cluster.trialsOn(place.host));
    await removeTrialsOrWarn({ remove: () => removeTrials(engines, cluster.name) }, dependencies.report);
    let isOver = false;
    const release = dependencies.interruptions.before(() => Promise.resolve(void (isOver = true)));
    const asked = cluster.nodes.map(({ place }) => nodeOnEngine(cluster.engines, place.name));
    await untilCounted(new QuotaQuestions(asked, profile), {
        storeName: profile.name,
        clock: dependencies.clock,
        report: dependencies.report,
        isOver: () => isOver,
    });
    release();
    return "done";
}

/** Asks the store that runs, and reads its drives. */
async function refuseProblems(cluster: FoundCluster, migration: Migration, options: MigrateOptions): Promise<void> {
    const dependencies = migrationDependencies(cluster);
    const interruption = new Cordon(dependencies.proxies, dependencies.interruptions);
    const goesOn = () => interruption.refuseInterrupted();
    await interruption.during(async () => {
        say(
            `checking whether ${migration.to.name} can read what ${migration.from.name} has written` +
                (options.loseUnreadable ? "" : ": the metadata of all objects is read on all drives"),
        );
        const former = await untilFormerReady(dependencies, cluster.nodes, migration, options.readyTimeout, goesOn);
        const ready = former.map((node) => ({ ...node, engine: cluster.engines.on(node.place.host) }));
        const problems = await migrationProblems(migration, cluster.nodes, ready, options);
        goesOn();
        if (problems.length > 0) {
            throw new StepError(
                [
                    `${migration.to.name} can't have the drives of ${cluster.name}. Nothing was changed.`,
                    ...problems.map((text) => `  - ${text}`),
                ].join("\n"),
            );
        }
    });
}

function recover(cluster: FoundCluster, goesOn: boolean): ReturnType<typeof recoverMigration> {
    const engines = cluster.nodes.map(({ place }) => cluster.trialsOn(place.host));
    return recoverMigration(engines, cluster.name, goesOn, hiddenFromFormer);
}

/** Starts the nodes' own containers, where a migration ended after it had removed what shows which ones it stopped. */
async function startStopped(cluster: FoundCluster, tried: string): Promise<void> {
    await allDone(
        cluster.nodes.map(({ place }) =>
            cluster.trialsOn(place.host).startOwn(cluster.name, place.name, hiddenFromFormer(tried)),
        ),
    );
}

/** The store that the nodes' containers run. */
export function storeOf({ nodes }: Pick<FoundCluster, "nodes">): string {
    return nodes[0]?.profile.name ?? "";
}

/** @throws {StepError} if containers of two stores exist: an update has not ended. */
function refuseMixed({ name, nodes, mark }: FoundCluster): void {
    const has = (one: FoundNode) => `${one.place.name} has a container of ${one.profile.name}`;
    if (new Set(nodes.map(({ profile }) => profile.name)).size > 1) {
        const store = mark?.store ?? storeOf({ nodes });
        throw new StepError(
            `${name}: an update was interrupted while it replaced the nodes (${nodes.map(has).join(", ")}). Finish it first: run ` +
                `\`npm run up\` with profile ${store}, then this command again`,
        );
    }
}

function refuseUnknown(from: string, to: string): never {
    throw new StepError(
        from === to
            ? `the cluster has ${to} already`
            : `drives of ${from} can't be migrated to ${to}: only those of minio to rustfs, and back. Copy the objects (npm run move)`,
    );
}
