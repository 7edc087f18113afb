import { posix } from "node:path";
import { NodeWaits } from "../components/rollout/nodeWaits";
import type { RolloutLimits } from "../components/rollout/limits";
import { Cordon } from "../components/rollout/cordon";
import { allDone } from "../components/docker/allDone";
import { describeContainer, indent } from "../components/docker/containerReport";
import type { ListedContainer } from "../components/docker/model";
import { poll } from "../components/docker/poll";
import type { NodeSpec } from "../components/store/topology";
import type { MigrationDependencies } from "./migrationDependencies";
import { removeTrialsOrWarn } from "./recovery";
import { StoreComparison, type ComparisonOptions } from "./storeComparison";
import { hiddenFromFormer, hiddenFromNew } from "./supported";
import type { TrialNodes } from "./trialNodes";

/** Pause between two times at which the way back ends what runs on a node's drives, in milliseconds. */
const KILL_INTERVAL = 500;

/** A node that is migrated, and its own container. */
export interface MigratedNode {
    place: NodeSpec;
    container: Pick<ListedContainer, "id" | "state">;
}

/** Settings of a migration. */
export interface MigrationOptions extends ComparisonOptions {
    trials: TrialNodes;
    limits: RolloutLimits;
}

/**
 * Tries another store on the drives of a running one. All nodes stop, and the other store runs in containers of its own on the same
 * drives. What it has is compared with what the former one had. If it differs, or doesn't start, or the program ends early, the former
 * store is started again. Otherwise all nodes stay stopped, and the update that comes next replaces them.
 */
export class StoreMigration {
    private readonly waits: NodeWaits;
    private readonly out: Cordon;
    private readonly comparison: StoreComparison;
    private readonly places: readonly NodeSpec[];
    /** What is done with each node's containers, by its name, until it has ended. */
    private readonly atWork = new Map<string, Promise<unknown>>();
    private returning: Promise<string[]> | undefined;
    private hasStopped = false;

    constructor(
        private readonly dependencies: MigrationDependencies,
        private readonly nodes: readonly MigratedNode[],
        private readonly options: MigrationOptions,
    ) {
        this.places = nodes.map(({ place }) => place);
        this.waits = new NodeWaits(dependencies, options.limits, this.places);
        this.out = new Cordon(dependencies.proxies, dependencies.interruptions);
        this.comparison = new StoreComparison(dependencies, nodes, options, () => this.out.refuseInterrupted());
    }

    /**
     * Tries the new store. Resolves once it was found to have everything; no store runs then.
     *
     * @throws {Error} with the reason, if the former store goes on.
     */
    async run(): Promise<void> {
        await this.out.during(async () => {
            await this.cordonAll();
            await this.attempt();
        });
    }

    private async cordonAll(): Promise<void> {
        const { from, to } = this.options.migration;
        const areOut = await Promise.all(this.places.map((place) => this.waits.isCordonedByOperator(place)));
        const served = this.places.filter((_, index) => areOut[index] !== true);
        await this.say(`migrating from ${from.name} to ${to.name}: no request is answered from now on`);
        await this.out.set(served, "drain");
        const goesOn = () => this.out.refuseInterrupted();
        await this.waits.untilIdle(this.places, this.options.limits.drainTimeout, goesOn);
        await this.out.set(served, "maint");
    }

    /** Tries the new store. If it isn't as the former one was, starts that one again. */
    private async attempt(): Promise<void> {
        const { migration, trials } = this.options;
        const release = this.dependencies.interruptions.before(async () => {
            await this.goBack();
        });
        try {
            const before = await this.comparison.former();
            const driveServers = this.driveServers();
            await this.onEach(this.places, (place) => trials.create(place, driveServers.includes(place)));
            this.places.forEach((place) => this.out.replacing(place));
            await this.say(`stopping ${migration.from.name}`);
            await this.onEach(this.places, (place) => {
                this.hasStopped = true;
                return trials.stopNode(place);
            });
            await this.changeOwner();
            await this.say(`trying ${migration.to.name} on the drives`);
            await this.fillByOneNode();
            const tried = await this.startTrials(this.places);
            await this.comparison.compare(before, tried);
            await this.stopTrials(this.places);
            await this.hide();
            await this.onEach(this.places, (place) => trials.pass(place));
        } catch (error) {
            throw await this.afterReturn(error as Error);
        } finally {
            release();
        }
    }

    /** Gives all files to the new store's user. The nodes must not run. */
    private async changeOwner(): Promise<void> {
        const { migration, trials } = this.options;
        const { user, formatFile } = migration.to;
        const cleared = migration.filledAtStart;
        // RustFS copies the layout of a pool only on the node with the pool's first drive, which may be one that only serves its drives.
        const copied =
            this.driveServers().length > 0 ? [{ from: migration.layoutFile, to: posix.dirname(formatFile) }] : [];
        await this.onEach(this.places, (place) => trials.changeOwner(place, { user, cleared, copied }));
    }

    /** Hides what the new store would copy again at each start. The nodes must not run. */
    private async hide(): Promise<void> {
        const hidden = hiddenFromNew(this.options.migration);
        if (hidden.length > 0) {
            await this.onEach(this.places, (place) => this.options.trials.changeOwner(place, { hidden }));
        }
    }

    /**
     * Does something with the containers of nodes, unless the program was interrupted. If one fails, the others end before, and
     * the way back of a node waits for what is done there: a container that is being stopped still runs, so it would not be started.
     */
    private async onEach<T>(places: readonly NodeSpec[], act: (place: NodeSpec) => Promise<T>): Promise<T[]> {
        this.out.refuseInterrupted();
        try {
            return await allDone(
                places.map((place) => {
                    const done = Promise.resolve().then(() => act(place));
                    this.atWork.set(place.name, done);
                    return done;
                }),
            );
        } finally {
            // Also if one has failed: the way back ends what it finds.
            this.out.refuseInterrupted();
        }
    }

    /** Nodes that only serve their drives, while another one copies what the former store has. */
    private driveServers(): readonly NodeSpec[] {
        return this.options.migration.filledAtStart.length > 0 ? this.places.slice(1) : [];
    }

    /** Starts the new store on one node alone, so that it copies what the former store has. */
    private async fillByOneNode(): Promise<void> {
        const { trials } = this.options;
        const driveServers = this.driveServers();
        if (driveServers.length > 0) {
            await this.onEach(driveServers, (place) => trials.serveDrives(place));
            const alone = this.places.slice(0, 1);
            await this.startTrials(alone);
            await this.stopTrials(alone);
            await this.stopTrials(driveServers);
        }
    }

    private async stopTrials(places: readonly NodeSpec[]): Promise<void> {
        await this.onEach(places, (place) => this.options.trials.stop(place));
    }

    /** Starts the new store on nodes and waits until it is ready. Returns the containers' ids. */
    private async startTrials(places: readonly NodeSpec[]): Promise<string[]> {
        const ids = await this.onEach(places, (place) => this.options.trials.start(place));
        const reports = await Promise.all(
            places.map(async ({ name }, index) => {
                const report = await this.untilReady(ids[index] ?? "");
                return report === undefined ? [] : [`${name}: ${report}`];
            }),
        );
        this.out.refuseInterrupted();
        if (reports.flat().length > 0) {
            throw new Error(
                [`${this.options.migration.to.name} isn't ready on these drives:`, ...reports.flat().map(indent)].join(
                    "\n",
                ),
            );
        }
        return ids;
    }

    /** Waits until a container is ready, has ended for good, or the time is over. Resolves to a report if it isn't ready. */
    private async untilReady(id: string): Promise<string | undefined> {
        const { engine, clock } = this.dependencies;
        const state = await poll(
            async () => {
                this.out.refuseInterrupted();
                const isReady = (await engine.checkHealth(id)).code === 0;
                return isReady ? "ready" : (await engine.health(id)).state === "exited" ? "exited" : undefined;
            },
            { clock, timeout: this.options.limits.readyTimeout },
        );
        return state === "ready" ? undefined : describeContainer(engine, id);
    }

    /** Starts the former store again. Returns the error to be thrown. */
    private async afterReturn(cause: Error): Promise<Error> {
        const { from, to } = this.options.migration;
        const ailments = await this.goBack();
        const outcome = !this.hasStopped
            ? [`${from.name} was not stopped. Correct the cause, then run this command again.`]
            : ailments.length === 0
              ? [
                    `${from.name} runs again, with everything that it had. Correct the cause, then run this command again.`,
                ]
              : [
                    `${from.name} was started again, but not everywhere:`,
                    ...ailments.map(indent),
                    "Nothing is lost. Correct that, then run `npm run migrate -- --back`: it starts the others.",
                ];
        return this.dependencies.report.error(
            [`The drives were not migrated from ${from.name} to ${to.name}.`, cause.message, ...outcome].join("\n"),
        );
    }

    /** Starts the former store again, once, after a failure or an interruption. Returns what is wrong with it. Never rejects. */
    private goBack(): Promise<string[]> {
        this.returning ??= this.startFormer();
        return this.returning;
    }

    /** Each node for itself: the store may serve without one whose engine is lost. */
    private async startFormer(): Promise<string[]> {
        const failures = (await Promise.all(this.places.map((place) => this.startFormerOn(place)))).flat();
        if (failures.length === 0) {
            await removeTrialsOrWarn(this.options.trials, this.dependencies.report);
        }
        const reports = await Promise.all(
            this.nodes.map(async ({ place, container }) => {
                if (failures.some(({ name }) => name === place.name)) {
                    return [];
                }
                const report = await this.waits.untilReady(container.id).catch((error: unknown) => String(error));
                if (report === undefined) {
                    this.out.ready(place);
                    return [];
                }
                return [`${place.name} is not ready: ${report}`];
            }),
        );
        return [...failures.map(({ name, reason }) => `${name} could not be started: ${reason}`), ...reports.flat()];
    }

    private async startFormerOn(place: NodeSpec): Promise<{ name: string; reason: string }[]> {
        const { trials, migration } = this.options;
        try {
            await this.endWork(place);
            // The former store may get new users from now on, which the other one doesn't have.
            await trials.withdraw(place);
            await trials.startNode(place, hiddenFromFormer(migration.to.name));
            return [];
        } catch (error) {
            return [{ name: place.name, reason: (error as Error).message }];
        }
    }

    /**
     * Ends what the migration does on a node's drives. Without time to stop: it has written nothing that counts, and a signal leaves only
     * seconds. The node's own container gets its time.
     */
    private async endWork(place: NodeSpec): Promise<void> {
        const { trials } = this.options;
        const work = Promise.allSettled([this.atWork.get(place.name)]).then(() => true);
        let isDone: boolean;
        do {
            // Again and again: a container may just be created.
            await trials.kill(place).catch(() => undefined);
            isDone = await Promise.race([work, this.dependencies.clock.sleep(KILL_INTERVAL).then(() => false)]);
        } while (!isDone);
        await trials.kill(place);
    }

    private say(text: string): Promise<void> {
        return this.dependencies.report.progress(text);
    }
}
