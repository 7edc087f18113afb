import { withMessageOnly } from "../../../components/checks/problem";
import { minioProfile, rustfsProfile } from "../../../components";
import type { MigrationDependencies } from "../../../migration/migrationDependencies";
import { StoreMigration, type MigratedNode } from "../../../migration/storeMigration";
import type { TrialNodes } from "../../../migration/trialNodes";
import { migrationBetween, type Migration } from "../../../migration/supported";
import { VirtualClock } from "../fakes/virtualClock";

const NAMES = ["node1", "node2"];

/** Faults of a virtual take-over. */
interface Trouble {
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
class VirtualMigration {
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

const LISTED = "<Contents><Key>k</Key><ETag>e</ETag><Size>3</Size></Contents>";

const migration = migrationBetween(minioProfile.name, rustfsProfile.name) as Migration;
const wayBack = migrationBetween(rustfsProfile.name, minioProfile.name) as Migration;

const BEFORE_TRIAL = [
    "drain node1 node2",
    "maint node1 node2",
    "create trial node1",
    "create trial node2, and for its drives",
    "stop node1",
    "stop node2",
    "node1 to 10001:10001, without .rustfs.sys, .minio.sys/format.json copied to .rustfs.sys",
    "node2 to 10001:10001, without .rustfs.sys, .minio.sys/format.json copied to .rustfs.sys",
    "serve drives of node2",
    "start trial node1",
    "stop trial node1",
    "stop trial node2",
    "start trial node1",
    "start trial node2",
];

const HIDE = ["node1 stays, without .minio.sys/config/iam", "node2 stays, without .minio.sys/config/iam"];

const START_AGAIN = [
    "kill trial node1",
    "kill trial node2",
    "kill trial node1",
    "kill trial node2",
    "withdraw node1",
    "withdraw node2",
    "start node1",
    "start node2",
    "remove trials",
];

describe("a migration", () => {
    test("tries the new store on the drives, and leaves all nodes stopped for the update", async () => {
        const dependencies = new VirtualMigration();
        expect(await dependencies.run(migration)).toBe("done");
        expect(dependencies.events).toEqual([
            ...BEFORE_TRIAL,
            "stop trial node1",
            "stop trial node2",
            ...HIDE,
            "pass node1",
            "pass node2",
            "ready after checks node1 node2",
        ]);
    });

    test.each<[string, Trouble, RegExp]>([
        ["doesn't start", { trialEnds: "node2" }, /rustfs isn't ready on these drives:\n.*node2: [^]*its last words/],
        ["lists less", { trialLists: "" }, /rustfs doesn't have what minio had:\n.*b\/k is listed as nothing/],
        [
            "lists another ETag",
            { trialLists: LISTED.replace(">e<", ">f<") },
            /b\/k is listed as f 3 bytes, was e 3 bytes/,
        ],
        [
            "has not copied a user",
            { trialLacks: ["two"] },
            /rustfs doesn't have what minio had:\n *users\/two isn't there\n.*add `--lose-settings`/,
        ],
    ])("starts the former store again if the new one %s, and says why", async (_, trouble, message) => {
        const dependencies = new VirtualMigration(trouble);
        const result = await dependencies.run(migration);
        expect(result).toMatch(/^The drives were not migrated from minio to rustfs\./);
        expect(result).toMatch(message);
        expect(result).toMatch(/minio runs again, with everything that it had/);
        expect(dependencies.events).toEqual([...BEFORE_TRIAL, ...START_AGAIN, "ready node1 node2"]);
    });

    test("goes on with objects that the new store can't read, if that is allowed, and names them", async () => {
        const trouble = { trialReads: "another", unreadable: ["b/k"] };
        const allowed = new VirtualMigration(trouble);
        expect(await allowed.run(migration, false, true)).toBe("done");
        expect(allowed.said).toContainEqual(
            expect.stringMatching(/^rustfs can't read objects that minio could read.*: b\/k \(compressed\)$/),
        );
        expect(await new VirtualMigration(trouble).run(migration)).toMatch(/b\/k reads as .*another/);
        const another = { ...trouble, unreadable: ["b/another"] };
        expect(await new VirtualMigration(another).run(migration, false, true)).toMatch(/b\/k reads as .*another/);
    });

    test("hides what RustFS would copy from MinIO again, also if the way back fails; MinIO finds everything", async () => {
        const back = new VirtualMigration({ trialEnds: "node2" });
        expect(await back.run(wayBack)).toMatch(/^The drives were not migrated from rustfs to minio\./);
        expect(back.events).toContain("start node1, without .minio.sys/config/iam");
        const forth = new VirtualMigration({ interruptedAt: HIDE[1] });
        expect(await forth.run(migration)).toContain("the update was interrupted");
        expect(forth.events).toContain("start node1");
        const whole = new VirtualMigration();
        expect(await whole.run(wayBack)).toBe("done");
        expect(whole.events.join()).not.toContain("iam");
    });

    test("starts the former store only after every hand-over has ended, also if one has failed", async () => {
        const dependencies = new VirtualMigration({ changeOwnerFails: "node1" });
        expect(await dependencies.run(migration)).toMatch(/no space\nminio runs again/);
        expect(dependencies.events.indexOf("node2 was given away")).toBeGreaterThan(0);
        expect(dependencies.events.indexOf("node2 was given away")).toBeLessThan(
            dependencies.events.indexOf("kill trial node1"),
        );
    });

    test("goes on without a user if that may be lost", async () => {
        const dependencies = new VirtualMigration({ trialLacks: ["two"] });
        expect(await dependencies.run(migration, true)).toBe("done");
    });

    test("stops nothing if the former store isn't ready", async () => {
        const dependencies = new VirtualMigration({ formerIsDown: true });
        expect(await dependencies.run(migration)).toMatch(
            /minio is not ready on any node: correct that first\nminio was not stopped/,
        );
        expect(dependencies.events.join()).not.toContain("stop node");
    });

    test("starts the former store also if a container of the trial can't be killed at first", async () => {
        const dependencies = new VirtualMigration({
            interruptedAt: "stop trial node1",
            isSlow: true,
            firstKillFails: "node2",
        });
        expect(await dependencies.run(migration)).toContain("minio runs again");
        expect(dependencies.events).toContain("start node2");
    });

    test("says what to do if the former store can't be started again", async () => {
        const dependencies = new VirtualMigration({ trialEnds: "node1", startFails: "node2" });
        expect(await dependencies.run(migration)).toMatch(
            /minio was started again, but not everywhere:\n +node2 could not be started: the Docker daemon refuses\nNothing is lost\. Correct that, then run `npm run migrate -- --back`/,
        );
        expect(dependencies.events).not.toContain("remove trials");
        // The others are started, and may serve without it.
        expect(dependencies.events).toEqual(
            expect.arrayContaining(["start node1", "ready node1", "ready after checks node2"]),
        );
    });

    test("says so if the former store was started again and isn't ready", async () => {
        const dependencies = new VirtualMigration({ trialEnds: "node1", formerStaysDown: "node2" });
        expect(await dependencies.run(migration)).toMatch(
            /minio was started again, but not everywhere:\n +node2 is not ready: [^]*its last words/,
        );
    });

    test("starts the former store again if a node can't be stopped, once the others have stopped", async () => {
        const dependencies = new VirtualMigration({ stopFails: "node1" });
        expect(await dependencies.run(migration)).toMatch(/the Docker daemon refuses\nminio runs again/);
        expect(dependencies.events.slice(-4)).toEqual([
            "start node1",
            "start node2",
            "remove trials",
            "ready node1 node2",
        ]);
    });

    test("a record that can't be made on every node is withdrawn on all", async () => {
        const dependencies = new VirtualMigration({ passFails: "node2" });
        expect(await dependencies.run(migration)).toMatch(/the Docker daemon is lost\nminio runs again/);
        expect(dependencies.events.slice(-START_AGAIN.length - 1)).toEqual([...START_AGAIN, "ready node1 node2"]);
    });

    test("what is left of a trial that failed is only a warning: the former store runs", async () => {
        const dependencies = new VirtualMigration({ trialEnds: "node1", removalFails: true });
        expect(await dependencies.run(migration)).toContain("minio runs again, with everything that it had");
        expect(dependencies.said.join("\n")).toContain(
            "what was left of the trial can't be removed: the Docker daemon hangs",
        );
    });

    test.each([
        "stop node1",
        "stop node2",
        "trying rustfs on the drives",
        "serve drives of node2",
        "start trial node1",
        "stop trial node1",
        "stop trial node2",
        "start trial node1, time 2",
        "start trial node2",
        "stop trial node1, time 2",
        "stop trial node2, time 2",
        HIDE[1],
        "pass node1",
        "pass node2",
    ])("starts the former store again if it is interrupted at: %s", async (interruptedAt) => {
        const dependencies = new VirtualMigration({ interruptedAt });
        expect(await dependencies.run(migration)).toContain("the update was interrupted");
        expect(dependencies.events.filter((event) => event === "start node1")).toHaveLength(1);
        for (const name of NAMES) {
            const start = dependencies.events.indexOf(`start ${name}`);
            expect(dependencies.events.lastIndexOf(`kill trial ${name}`)).toBeLessThan(start);
            // If this is killed too, the next update tries the new store once more.
            expect(dependencies.events.lastIndexOf(`withdraw ${name}`)).toBeGreaterThan(
                dependencies.events.indexOf(`pass ${name}`),
            );
            expect(dependencies.events.lastIndexOf(`withdraw ${name}`)).toBeLessThan(start);
        }
        const afterwards = dependencies.events.slice(dependencies.events.indexOf("start node1"));
        expect(afterwards.filter((event) => /^(stop node|start trial|serve|node)/.test(event))).toEqual([]);
        // The files are handed over by one container of a node at a time.
        expect(dependencies.events.slice(dependencies.events.indexOf("kill trial node1")).join()).not.toContain(
            "stays",
        );
    });

    test.each([
        "node1 to 10001:10001, without .rustfs.sys, .minio.sys/format.json copied to .rustfs.sys",
        "stop trial node1",
        "stop trial node1, time 2",
        HIDE[0],
    ])(
        "starts the former store within the seconds that a signal leaves, if it is interrupted at: %s",
        async (interruptedAt) => {
            const dependencies = new VirtualMigration({ interruptedAt, isSlow: true });
            expect(await dependencies.run(migration)).toContain("the update was interrupted");
            for (const name of NAMES) {
                expect((dependencies.times.get(`start ${name}`) ?? Infinity) - dependencies.interrupted).toBeLessThan(
                    3,
                );
            }
        },
    );

    test.each(["create trial node1", "stopping minio"])(
        "stops nothing if it is interrupted at: %s",
        async (interruptedAt) => {
            const dependencies = new VirtualMigration({ interruptedAt });
            const result = await dependencies.run(migration);
            expect(result).toContain("the update was interrupted\nminio was not stopped");
            expect(dependencies.events.filter((event) => /^(stop|start) node/.test(event))).toEqual([]);
            expect(dependencies.events).toContain("remove trials");
        },
    );

    test("back to a store that had the drives before: the present one need not run", async () => {
        const dependencies = new VirtualMigration({ formerIsDown: true });
        expect(await dependencies.run(wayBack)).toBe("done");
        expect(dependencies.said.join()).toContain("rustfs is not ready on any node: what minio has can't be compared");
        expect(dependencies.events).toContain("node1 to 1000:1000, without nothing");
    });
});
