import { withMessageOnly } from "../../../components/checks/problem";
import type { MigrationDependencies } from "../../../migration/migrationDependencies";
import { StoreMigration, type MigratedNode } from "../../../migration/storeMigration";
import type { TrialNodes } from "../../../migration/trialNodes";
import type { Migration } from "../../../migration/supported";
import { VirtualClock } from "./virtualClock";

export const NAMES = ["node1", "node2"];

/** Faults of a virtual take-over. */
export interface Trouble {
    /** Whether the former store isn't ready. */
    formerIsDown?: boolean;
    /** Node on which the new store ends. */
    trialEnds?: string;
    /** What the new store lists; default: what the former one lists. */
    trialLists?: string;
    /** Digest of the object as the new store reads it; default: as the former one does. */
    trialReads?: string;
    /** Objects on the drives that the new store can't read. */
    unreadable?: string[];
    /** Users that the new store doesn't have. */
    trialLacks?: string[];
    /** Whether the new store takes its time to stop, and a hand-over has many files, unless they are killed. */
    isSlow?: boolean;
    /** Node whose files can't be handed over; the other one's take a while. */
    changeOwnerFails?: string;
    /** Node whose own container ends with an error of the engine. */
    stopFails?: string;
    /** Node whose trial can't be recorded as passed. */
    passFails?: string;
    /** Node on which the former store isn't ready once it was started again. */
    formerStaysDown?: string;
    /** Node on which a container can't be killed at first. */
    firstKillFails?: string;
    /** Node whose own container can't be started again. */
    startFails?: string;
    /** Whether the trial containers can't be removed. */
    removalFails?: boolean;
    /** Event at which the update is interrupted; `, time 2` for its second time. Or what is said then. */
    interruptedAt?: string;
}

/** Two nodes, their proxies, Pulumi and the trial containers. */
export class VirtualMigration {
    readonly events: string[] = [];
    readonly said: string[] = [];
    private readonly undos = new Set<() => Promise<void>>();
    private readonly clock = new VirtualClock();
    private readonly running = new Set(NAMES);
    private readonly left: Promise<void>[] = [];
    /** Seconds at which each event was first. */
    readonly times = new Map<string, number>();
    /** Seconds at which the update was interrupted. */
    interrupted = 0;
    /** What a kill ends, by the node's name. */
    private readonly atWork = new Map<string, () => void>();

    constructor(private readonly trouble: Trouble = {}) {}

    async run(migration: Migration, mayLoseSettings = false, mayLoseObjects = false): Promise<string> {
        const limits = { profile: { settleSeconds: 0 }, readyTimeout: 10, drainTimeout: 10 };
        const options = { migration, trials: this.trials(), limits, mayLoseSettings, mayLoseObjects };
        const nodes = NAMES.map((name, index): MigratedNode => ({
            place: {
                name,
                serverName: name,
                address: `10.0.0.${index + 1}`,
                drives: [{ volumeName: `${name}-drive1`, mountPath: "/data1", labels: {} }],
            },
            container: { id: name, state: "running" },
        }));
        const result = await new StoreMigration(this.dependencies(), nodes, options).run().then(
            () => "done",
            (error: unknown) => (error as Error).message,
        );
        await Promise.all(this.left);
        return result;
    }

    /** Waits for an event, for a minute at most. */
    async until(event: string): Promise<void> {
        while (!this.events.includes(event) && this.clock.now() < 60_000) {
            await this.clock.sleep(100);
        }
    }

    private note(event: string): void {
        this.events.push(event);
        if (!this.times.has(event)) {
            this.times.set(event, this.clock.now() / 1000);
        }
        const times = this.events.filter((one) => one === event).length;
        this.interruptAt(times === 1 ? event : `${event}, time ${times}`);
    }

    private interruptAt(moment: string): void {
        if (moment === this.trouble.interruptedAt) {
            this.interrupted = this.clock.now() / 1000;
            this.left.push(...[...this.undos].map((undo) => undo()));
        }
    }

    private dependencies(): MigrationDependencies {
        const { trouble } = this;
        const isReady = (id: string) =>
            id.startsWith("trial")
                ? trouble.trialEnds !== id.slice(6)
                : trouble.formerIsDown !== true &&
                  this.running.has(id) &&
                  (trouble.formerStaysDown !== id || !this.events.includes(`start ${id}`));
        return {
            clock: this.clock,
            engine: {
                now: () => Promise.resolve(0),
                checkHealth: (id) => Promise.resolve({ code: isReady(id) ? 0 : 1, output: "" }),
                health: () => Promise.resolve({ health: "starting", state: "exited", lastCheck: "", startedAt: 0 }),
                logTail: () => Promise.resolve("its last words"),
                run: (container, [, , , what, ...paths]) => {
                    const output =
                        what === "access"
                            ? this.users()
                            : what === "scan"
                              ? this.unreadable(paths)
                              : this.answer(container, paths);
                    return Promise.resolve({ code: 0, output });
                },
            },
            proxies: {
                list: () => Promise.resolve([]),
                set: async (names, state) => {
                    this.note(`${state} ${names.join(" ")}`);
                    await Promise.resolve();
                },
                cordoned: () => Promise.resolve([]),
            },
            report: {
                progress: async (text) => {
                    this.said.push(text);
                    this.interruptAt(text);
                    // The way back goes on meanwhile.
                    await this.clock.sleep(1000);
                },
                warning: (text) => Promise.resolve(void this.said.push(text)),
                error: (message) => withMessageOnly(new Error(message)),
            },
            interruptions: {
                before: (undo) => {
                    this.undos.add(undo);
                    return () => void this.undos.delete(undo);
                },
            },
        };
    }

    /** One bucket with one object, as a store answers the requests of a command. */
    private answer(container: string, paths: string[]): string {
        const listed = container.startsWith("trial") ? (this.trouble.trialLists ?? LISTED) : LISTED;
        const bodies = paths.map((path) =>
            path === "/" ? "<Name>b</Name>" : path.includes("list-type") ? listed : "",
        );
        const digest = container.startsWith("trial") ? (this.trouble.trialReads ?? "digest") : "digest";
        const isRead = paths.every((path) => !path.includes("?") && path !== "/");
        return isRead
            ? paths.map(() => `206 "e" 3 bytes 0-2/3 ${digest}\n`).join("")
            : bodies.map((body) => `${body}\n=== 200 0\n`).join("");
    }

    /** Those of some metadata files whose objects the new store can't read. */
    private unreadable(files: string[]): string {
        return files
            .map((file) => file.replace("/xl.meta", ""))
            .filter((folder) => this.trouble.unreadable?.includes(folder.replace("/data1/", "")))
            .map((folder) => `compressed ${folder}\0`)
            .join("");
    }

    /** What both stores have on the drives. */
    private users(): string {
        const has = (name: string) => this.trouble.trialLacks?.includes(name) !== true;
        return ["one", "two"].map((name) => `from users/${name}\n${has(name) ? `to users/${name}\n` : ""}`).join("");
    }

    /** Waits for as long as something slow takes. Resolves to whether it was killed. It doesn't notice that while it is being started. */
    private async untilKilled(name: string): Promise<boolean> {
        if (this.trouble.isSlow !== true) {
            return false;
        }
        await this.clock.sleep(700);
        const killed = new Promise<boolean>((resolve) => this.atWork.set(name, () => resolve(true)));
        return Promise.race([killed, this.clock.sleep(20_000).then(() => false)]);
    }

    private trials(): TrialNodes {
        const note = async (event: string) => {
            this.note(event);
            await Promise.resolve();
        };
        return {
            create: ({ name }, servesDrives) =>
                note(`create trial ${name}${servesDrives ? ", and for its drives" : ""}`),
            serveDrives: ({ name }) => note(`serve drives of ${name}`),
            start: async ({ name }) => {
                await note(`start trial ${name}`);
                return `trial ${name}`;
            },
            stop: async ({ name }) => {
                await note(`stop trial ${name}`);
                await this.untilKilled(name);
            },
            kill: async ({ name }) => {
                const isFirst = !this.times.has(`kill trial ${name}`);
                await note(`kill trial ${name}`);
                this.atWork.get(name)?.();
                if (isFirst && this.trouble.firstKillFails === name) {
                    throw new Error("the Docker daemon is busy");
                }
            },
            pass: async ({ name }) => {
                await note(`pass ${name}`);
                if (this.trouble.passFails === name) {
                    throw new Error("the Docker daemon is lost");
                }
            },
            withdraw: ({ name }) => note(`withdraw ${name}`),
            remove: async () => {
                await note("remove trials");
                if (this.trouble.removalFails === true) {
                    throw new Error("the Docker daemon hangs");
                }
            },
            stopNode: async ({ name }) => {
                await note(`stop ${name}`);
                // A store takes a while to stop.
                await this.clock.sleep(2000);
                this.running.delete(name);
                if (this.trouble.stopFails === name) {
                    throw new Error("the Docker daemon refuses");
                }
            },
            startNode: async ({ name }, hidden) => {
                if (this.trouble.startFails === name) {
                    throw new Error("the Docker daemon refuses");
                }
                if (!this.running.has(name)) {
                    this.running.add(name);
                    await note(`start ${[name, ...hidden].join(", without ")}`);
                }
            },
            changeOwner: async ({ name }, { user, cleared = [], copied = [], hidden = [] }) => {
                const what = user === undefined ? "stays" : `to ${user}`;
                const copies = copied.map(({ from, to }) => `, ${from} copied to ${to}`).join("");
                await note(`${name} ${what}, without ${[...cleared, ...hidden].join() || "nothing"}${copies}`);
                if (await this.untilKilled(name)) {
                    throw new Error("it ended with 137");
                }
                if (this.trouble.changeOwnerFails === name) {
                    throw new Error("no space");
                }
                if (this.trouble.changeOwnerFails !== undefined) {
                    await this.clock.sleep(1000);
                    await note(`${name} was given away`);
                }
            },
        };
    }
}

export const LISTED = "<Contents><Key>k</Key><ETag>e</ETag><Size>3</Size></Contents>";
