import { posix } from "node:path";
import { nodeOnEngine, QuotaQuestions, untilCounted } from "../client/countedQuotas";
import type { PlannedNode } from "./nodePlan";
import { NodeWaits } from "./nodeWaits";
import { describeContainer, indent } from "../engine/containerReport";
import { allDone } from "../engine/allDone";
import { poll } from "../engine/poll";
import type { RolloutLimits, RolloutWorld } from "./rolloutWorld";
import { missingAccess, type AccessFolders, type NodeDrives } from "../preflight/storeAccess";
import { differencesBetween, StoreQuestions, type Difference, type StoreContent } from "../preflight/storeContent";
import {
    unexplained,
    unreadableAmong,
    type LookedAtDrive,
    type UnreadableObject,
} from "../preflight/unreadableObjects";
import { TakenOut } from "./takenOut";
import type { TrialNodes } from "./trialNodes";
import {
    addedSettings,
    hiddenFromFormer,
    hiddenFromNew,
    hiddenOnceTakenOver,
    type TakeOver,
} from "../store/profiles/takeOvers";
import type { ServiceProfile } from "../store/serviceProfile";
import type { NodePlace } from "../store/topology";

/** Time, in seconds, in which the new store takes over users and policies once it is ready. */
const ACCESS_SECONDS = 15;

/** How long the way back waits for the writer of a node's files, in milliseconds. After a signal Pulumi may never report that it has ended. */
const WRITER_GRACE = 1000;

/** Pause between two times at which the way back ends what runs on a node's drives, in milliseconds. */
const KILL_INTERVAL = 500;

/** Number of differences that a message lists. */
const SHOWN = 10;

/** Settings of a take-over. */
export interface TakeOverOptions {
    takeOver: TakeOver;
    trials: TrialNodes;
    limits: RolloutLimits;
    /** Whether an interrupted update had begun to replace the nodes. The new store isn't tried again. */
    isHalfDone: boolean;
    /** Whether bucket settings that the new store doesn't have may lose their effect, and users and policies may be lost. */
    mayLoseSettings: boolean;
    /** Whether there may be objects that the new store can't read. */
    mayLoseObjects: boolean;
}

/**
 * Gives the drives of a running store to another one. All nodes stop. Before Pulumi replaces a container, the new store is
 * tried in containers of its own on the same drives. What it has is compared with what the former one had. If it differs, or
 * the new store doesn't start, or the update ends early, the former store is started again, as far as its containers exist.
 */
export class StoreTakeOver {
    private readonly waits: NodeWaits;
    private readonly out: TakenOut;
    private readonly places: readonly NodePlace[];
    /** What is done with each node's containers, by its name, until it has ended. */
    private readonly atWork = new Map<string, Promise<unknown>>();
    /** The writing of each node's files, by its name. */
    private readonly writing = new Map<string, Promise<void>>();
    private returning: Promise<string[]> | undefined;
    private hasStopped = false;

    constructor(
        private readonly world: RolloutWorld,
        private readonly nodes: readonly PlannedNode[],
        private readonly options: TakeOverOptions,
    ) {
        this.places = nodes.map(({ place }) => place);
        this.waits = new NodeWaits(world, options.limits, this.places);
        this.out = new TakenOut(world.proxies, world.interruptions);
    }

    /**
     * Runs the take-over. Resolves once the new store is ready on all nodes, and they are back in service.
     *
     * @throws {pulumi.ResourceError} with the reason, if the former store goes on or the new one doesn't become ready.
     */
    async run(): Promise<void> {
        const { trials, isHalfDone } = this.options;
        await this.out.during(async () => {
            if (isHalfDone) {
                await this.say("continuing a take-over that was interrupted");
            }
            // Where only missing nodes are left, the others have containers of the new store, which may serve.
            if (this.left().some(({ container }) => container !== undefined)) {
                await this.takeAllOut();
            }
            if (!isHalfDone) {
                await this.attempt();
            }
            await this.finish();
        });
        await removeTrialsOrWarn(trials, this.world.report);
    }

    /** Nodes whose containers are created or replaced. */
    private left(): readonly PlannedNode[] {
        return this.nodes.filter(({ step }) => !this.options.isHalfDone || step !== "keep");
    }

    private async takeAllOut(): Promise<void> {
        const { from, to } = this.options.takeOver;
        const areOut = await Promise.all(this.places.map((place) => this.waits.isOutByOperator(place)));
        const served = this.places.filter((_, index) => areOut[index] !== true);
        await this.say(`${to.name} takes over the drives of ${from.name}: no request is answered meanwhile`);
        await this.out.take(served, "drain");
        const goesOn = () => this.out.refuseInterrupted();
        await this.waits.untilIdle(this.places, this.options.limits.drainTimeout, goesOn);
        await this.out.take(served, "maint");
    }

    /** Tries the new store. If it isn't as the former one was, starts that one again. */
    private async attempt(): Promise<void> {
        const { takeOver, trials, mayLoseSettings, mayLoseObjects } = this.options;
        const release = this.world.interruptions.before(async () => {
            await this.goBack();
        });
        try {
            const before = await this.former();
            const driveServers = this.driveServers();
            await this.onEach(this.places, (place) => trials.create(place, driveServers.includes(place)));
            this.places.forEach((place) => this.out.replacing(place));
            await this.say(`stopping ${takeOver.from.name}`);
            await this.onEach(this.places, (place) => {
                this.hasStopped = true;
                return trials.stopNode(place);
            });
            await this.handOver();
            await this.say(`trying ${takeOver.to.name} on the drives`);
            await this.fillByOneNode();
            const tried = await this.startTrials(this.places);
            if (before !== undefined) {
                const store = this.questions(tried[0] ?? "", takeOver.to);
                const after = await store.content(mayLoseObjects, [...before.samples.keys()]);
                const missing = mayLoseSettings ? takeOver.missingSettings : [];
                const settings = { missing, added: [...missing, ...addedSettings(takeOver)] };
                const found = await this.withoutUnreadable(tried, differencesBetween(before, after, settings));
                this.refuseDifferences(found.map(({ text }) => text));
            }
            if (takeOver.access !== undefined && !mayLoseSettings) {
                await this.refuseLostAccess(tried, takeOver.access);
            }
            await this.stopTrials(this.places);
            await this.hide();
            await this.onEach(this.places, (place) => trials.pass(place));
        } catch (error) {
            throw await this.afterReturn(error as Error);
        } finally {
            release();
        }
    }

    /** What the former store has. Undefined if that doesn't run and need not. */
    private async former(): Promise<StoreContent | undefined> {
        const { takeOver, mayLoseObjects } = this.options;
        const asked = await this.anyReady();
        if (asked === undefined) {
            const reason = `${takeOver.from.name} is not ready on any node`;
            if (takeOver.needsFormer) {
                throw new Error(`${reason}: correct that first`);
            }
            await this.world.report.warning(`${reason}: what ${takeOver.to.name} has can't be compared with anything`);
            return undefined;
        }
        return this.questions(asked, takeOver.from).content(mayLoseObjects);
    }

    private async anyReady(): Promise<string | undefined> {
        for (const { container } of this.nodes) {
            if (container !== undefined && (await this.world.engine.checkHealth(container.id)).code === 0) {
                return container.id;
            }
        }
        return undefined;
    }

    private questions(container: string, profile: TakeOver["from"]): StoreQuestions {
        return new StoreQuestions(
            (command, seconds) => {
                this.out.refuseInterrupted();
                return this.world.engine.run(container, command, [], seconds);
            },
            profile,
            this.world.clock,
        );
    }

    private refuseDifferences(differences: string[], ...advice: string[]): void {
        if (differences.length > 0) {
            const more = differences.length > SHOWN ? [`and ${differences.length - SHOWN} more`] : [];
            throw new Error(
                [
                    `${this.options.takeOver.to.name} doesn't have what ${this.options.takeOver.from.name} had:`,
                    ...[...differences.slice(0, SHOWN), ...more].map(indent),
                    ...advice,
                ].join("\n"),
            );
        }
    }

    /** The differences but those of objects that the new store can't read, if there may be any. A warning names these. */
    private async withoutUnreadable(tried: string[], differences: Difference[]): Promise<Difference[]> {
        const { takeOver, mayLoseObjects } = this.options;
        const objects = [...new Set(differences.flatMap(({ object }) => object ?? []))];
        if (!mayLoseObjects || objects.length === 0) {
            return differences;
        }
        const drives = this.nodeDrives(tried).flatMap(({ folders, ...node }) =>
            folders.map((folder) => ({ ...node, folder })),
        );
        const unreadable = await unreadableAmong(drives, takeOver, objects);
        if (unreadable.length > 0) {
            await this.world.report.warning(describeUnreadable(takeOver, unreadable));
        }
        return unexplained(differences, unreadable, takeOver.unreadable);
    }

    private nodeDrives(tried: string[]): (NodeDrives & Pick<LookedAtDrive, "node" | "host">)[] {
        return this.places.map(({ name, host, drives }, index) => ({
            node: name,
            host,
            run: (command, seconds) => this.world.engine.run(tried[index] ?? "", command, [], seconds),
            folders: drives.map(({ mountPath }) => mountPath),
        }));
    }

    /** Compares the names of users, groups, policies and service accounts, as both stores keep them on the drives. */
    private async refuseLostAccess(tried: string[], access: AccessFolders): Promise<void> {
        const nodes = this.nodeDrives(tried);
        let missing: string[] = [];
        await poll(
            async () => {
                this.out.refuseInterrupted();
                missing = await missingAccess(nodes, access);
                return missing.length === 0 ? true : undefined;
            },
            { clock: this.world.clock, timeout: ACCESS_SECONDS },
        );
        this.refuseDifferences(
            missing.map((entry) => `${entry} isn't there`),
            'If these users and policies may be lost, add "settingLoss" to allowedChanges.',
        );
    }

    /** Writes the nodes' files for the new store, and gives it all files. The nodes must not run. */
    private async handOver(): Promise<void> {
        const { takeOver, trials } = this.options;
        const { user, formatFile } = takeOver.to;
        const cleared = takeOver.filledAtStart;
        // RustFS copies the layout of a pool only on the node with the pool's first drive, which may be one that only serves its drives.
        const copied =
            this.driveServers().length > 0 ? [{ from: takeOver.layoutFile, to: posix.dirname(formatFile) }] : [];
        await this.prepare(this.places);
        await this.onEach(this.places, (place) => trials.handOver(place, { user, cleared, copied }));
    }

    /** Writes nodes' files for the new store. */
    private async prepare(places: readonly NodePlace[]): Promise<void> {
        const written = places.map(({ name }) => {
            const done = this.world.steps.prepare(name);
            this.writing.set(name, done);
            return done;
        });
        await allDone(written);
    }

    /** Hides what the new store would copy again at each start. The nodes must not run. */
    private async hide(): Promise<void> {
        const hidden = hiddenFromNew(this.options.takeOver);
        if (hidden.length > 0) {
            await this.onEach(this.places, (place) => this.options.trials.handOver(place, { hidden }));
        }
    }

    /**
     * Does something with the containers of nodes, unless the update was interrupted. If one fails, the others end before, and
     * the way back of a node waits for what is done there: a container that is being stopped still runs, so it would not be started.
     */
    private async onEach<T>(places: readonly NodePlace[], act: (place: NodePlace) => Promise<T>): Promise<T[]> {
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
    private driveServers(): readonly NodePlace[] {
        return this.options.takeOver.filledAtStart.length > 0 ? this.places.slice(1) : [];
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

    private async stopTrials(places: readonly NodePlace[]): Promise<void> {
        await this.onEach(places, (place) => this.options.trials.stop(place));
    }

    /** Starts the new store on nodes and waits until it is ready. Returns the containers' ids. */
    private async startTrials(places: readonly NodePlace[]): Promise<string[]> {
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
                [`${this.options.takeOver.to.name} isn't ready on these drives:`, ...reports.flat().map(indent)].join(
                    "\n",
                ),
            );
        }
        return ids;
    }

    /** Waits until a container is ready, has ended for good, or the time is over. Resolves to a report if it isn't ready. */
    private async untilReady(id: string): Promise<string | undefined> {
        const { engine, clock } = this.world;
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

    /** Replaces the containers of all nodes, once the drives belong to the new store. */
    private async finish(): Promise<void> {
        const { takeOver, trials, isHalfDone, limits } = this.options;
        const hidden = hiddenFromNew(takeOver);
        this.places.forEach((place) => this.out.replacing(place));
        const left = this.left().map(({ place }) => place);
        if (isHalfDone) {
            await Promise.all(left.map((place) => trials.stopNode(place)));
            // First the drives: as long as a node's files are those of the former store, the next update does both again.
            await allDone(left.map((place) => trials.handOver(place, { user: takeOver.to.user, hidden })));
            await this.prepare(left);
        }
        await this.say(
            isHalfDone
                ? `replacing or creating ${left.map(({ name }) => name).join(", ")}`
                : `replacing all nodes: ${takeOver.to.name} has what ${takeOver.from.name} had`,
        );
        const replaced = await Promise.allSettled(this.places.map(({ name }) => this.world.steps.replace(name)));
        if (isHalfDone) {
            await Promise.all(
                this.nodes.filter(({ step }) => step === "keep").map(({ place }) => trials.startNode(place, hidden)),
            );
        }
        const reports = await Promise.all(
            this.places.map(async (place, index) => {
                const id = replaced[index];
                if (id?.status !== "fulfilled") {
                    return [`${place.name} could not be replaced: ${(id?.reason as Error | undefined)?.message}`];
                }
                const report = await this.waits.untilReady(id.value);
                if (report !== undefined) {
                    return [
                        `${place.name} is not ready ${limits.readyTimeout} s after it was replaced.\n${indent(report)}`,
                    ];
                }
                await this.waits.untilSettled([place]);
                this.out.ready(place);
                await this.out.putBack([place]);
                return [];
            }),
        );
        if (reports.flat().length > 0) {
            throw this.world.report.error(
                [
                    ...reports.flat(),
                    isHalfDone
                        ? `The drives belong to ${takeOver.to.name} now.`
                        : `The drives belong to ${takeOver.to.name} now, which had everything when it was tried on them.`,
                    `Correct the cause, then run the same update again; or set profile to "${takeOver.from.name}", and run it.`,
                ].join("\n"),
            );
        }
    }

    /** Starts the former store again. Returns the error to be thrown. */
    private async afterReturn(cause: Error): Promise<Error> {
        const { from, to } = this.options.takeOver;
        const ailments = await this.goBack();
        const outcome = !this.hasFormer()
            ? [`No node has a container of ${from.name}. Correct the cause, then run the same update again.`]
            : !this.hasStopped
              ? [`${from.name} was not stopped. Correct the cause, or set profile back.`]
              : ailments.length === 0
                ? [`${from.name} runs again, with everything that it had. Correct the cause, or set profile back.`]
                : [
                      `${from.name} was started again, but not everywhere:`,
                      ...ailments.map(indent),
                      `Nothing is lost. Correct that, then run the update again with profile "${from.name}": it starts ${from.name}.`,
                  ];
        return this.world.report.error(
            [`${to.name} has not taken over the drives of ${from.name}.`, cause.message, ...outcome].join("\n"),
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
        // Without a container of the former store, the trial is what shows the next update how the drives were left.
        if (failures.length === 0 && this.hasFormer()) {
            await removeTrialsOrWarn(this.options.trials, this.world.report);
        }
        const reports = await Promise.all(
            this.nodes.map(async ({ place, container }) => {
                if (container === undefined || failures.some(({ name }) => name === place.name)) {
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

    private hasFormer(): boolean {
        return this.nodes.some(({ container }) => container !== undefined);
    }

    private async startFormerOn(place: NodePlace): Promise<{ name: string; reason: string }[]> {
        const { trials, takeOver } = this.options;
        try {
            await this.endWork(place);
            // The former store may get new users from now on, which the other one doesn't have.
            await trials.withdraw(place);
            await trials.startNode(place, hiddenFromFormer(takeOver.to.name));
            return [];
        } catch (error) {
            return [{ name: place.name, reason: (error as Error).message }];
        }
    }

    /**
     * Ends what the update does on a node's drives. Without time to stop: it has written nothing that counts, and a signal leaves only
     * seconds. The node's own container gets its time.
     */
    private async endWork(place: NodePlace): Promise<void> {
        const { trials } = this.options;
        const work = Promise.allSettled([this.atWork.get(place.name), this.written(place)]).then(() => true);
        let isDone: boolean;
        do {
            // Again and again: a container may just be created.
            await trials.kill(place).catch(() => undefined);
            isDone = await Promise.race([work, this.world.clock.sleep(KILL_INTERVAL).then(() => false)]);
        } while (!isDone);
        await trials.kill(place);
    }

    /** Resolves once a node's files are written, or this takes too long. */
    private async written({ name }: NodePlace): Promise<void> {
        const writing = this.writing.get(name);
        if (writing !== undefined) {
            await Promise.race([writing.catch(() => undefined), this.world.clock.sleep(WRITER_GRACE)]);
        }
    }

    private say(text: string): Promise<void> {
        return this.world.report.progress(text);
    }
}

/** On a way back it is the present store that can't read what the former one has written. */
function describeUnreadable({ from, to, needsFormer }: TakeOver, unreadable: readonly UnreadableObject[]): string {
    const named = unreadable.slice(0, SHOWN).map(({ kind, object }) => `${object} (${kind})`);
    const more = unreadable.length > SHOWN ? ` and ${unreadable.length - SHOWN} more` : "";
    const what = needsFormer
        ? `${to.name} can't read objects that ${from.name} could read`
        : `${from.name} and ${to.name} don't return the same for some objects, which one of them can't read`;
    return `${what}, as allowedChanges permits. Among those that were compared: ${named.join(", ")}${more}`;
}

/** Removes the trial containers. A failure is a warning: the store runs, and the next update removes them. */
export async function removeTrialsOrWarn(
    trials: Pick<TrialNodes, "remove">,
    report: Pick<RolloutWorld["report"], "warning">,
): Promise<void> {
    await trials.remove().catch((error: unknown) => {
        const reason = (error as Error).message;
        return report.warning(`what was left of the trial can't be removed: ${reason}. The next update does it`);
    });
}

/**
 * Gives the drives of missing and stopped nodes to the store that goes on with them after an update that was killed, and starts the
 * stopped ones.
 */
export async function settleTakenOver(
    trials: Pick<TrialNodes, "handOver" | "startNode">,
    nodes: readonly PlannedNode[],
    { name, user }: Pick<ServiceProfile, "name" | "user">,
): Promise<void> {
    const hidden = hiddenOnceTakenOver(name);
    await allDone(
        nodes.map(({ place, container }) =>
            container === undefined ? trials.handOver(place, { user, hidden }) : trials.startNode(place, hidden),
        ),
    );
}

/**
 * Waits until a store that has just taken over drives takes writes to buckets with a quota. Ends early if the program is
 * interrupted. Never rejects.
 */
export async function untilQuotasCounted(
    { engine, clock, report, interruptions }: Pick<RolloutWorld, "engine" | "clock" | "report" | "interruptions">,
    nodes: readonly Pick<NodePlace, "name">[],
    profile: ServiceProfile,
): Promise<void> {
    let isOver = false;
    const release = interruptions.before(() => {
        isOver = true;
        return Promise.resolve();
    });
    const asked = nodes.map(({ name }) => nodeOnEngine(engine, name));
    await untilCounted(new QuotaQuestions(asked, profile), {
        storeName: profile.name,
        clock,
        report,
        isOver: () => isOver,
    });
    release();
}
