import { minioProfile, rustfsProfile } from "../../../components";
import { migrationBetween, type Migration } from "../../../migration/supported";
import { VirtualMigration, type Trouble, LISTED, NAMES } from "../fakes/virtualMigration";

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
