import {
    unexplained,
    unreadableAmong,
    unreadableObjects,
    type LookedAtDrive,
} from "../../../migration/unreadableObjects";
import { migrationBetween, type Migration } from "../../../migration/supported";

const migration = migrationBetween("minio", "rustfs") as Migration;

describe("objects that another store can't read", () => {
    /** A drive, with what a command beside it prints; and the places that it was asked for. */
    const drive = (
        node: string,
        output: string,
        { code = 0, host = "a" } = {},
    ): LookedAtDrive & { asked: string[][] } => {
        const asked: string[][] = [];
        const run = async (command: string[]) => {
            asked.push(command.slice(4));
            running.set(host, (running.get(host) ?? 0) + 1);
            most = Math.max(most, ...running.values());
            await Promise.resolve();
            running.set(host, (running.get(host) ?? 0) - 1);
            return { code, output };
        };
        return { node, host, folder: "/data1", run, asked };
    };

    /** Number of commands that run on each host, and the most that did. */
    const running = new Map<string, number>();
    let most = 0;

    test("are named once, whichever drives have them", async () => {
        const drives = [
            drive("node1", "compressed /data1/b/a key\0older /data1/b/c\0"),
            drive("node2", ""),
            drive("node3", "compressed /data1/b/a key\0", { host: "b" }),
        ];
        expect(await unreadableObjects(drives, migration, 11)).toEqual([
            { kind: "compressed", object: "b/a key" },
            { kind: "older", object: "b/c" },
        ]);
        expect(drives.map(({ asked }) => asked)).toEqual([[["/data1"]], [["/data1"]], [["/data1"]]]);
        expect(most).toBe(1);
    });

    test("are looked for among some objects, of which a command gets a hundred", async () => {
        const one = drive("node1", "");
        const objects = Array.from({ length: 150 }, (_, index) => `b/${index}`);
        expect(await unreadableAmong([one], migration, objects)).toEqual([]);
        expect(one.asked.map(({ length }) => length)).toEqual([100, 50]);
        expect(one.asked[1]?.at(-1)).toBe("/data1/b/149/xl.meta");
    });

    test("are not looked for on further drives once they were found on one", async () => {
        const drives = [drive("node1", "compressed /data1/b/1\0"), drive("node2", "")];
        const found = [{ kind: "compressed", object: "b/1" }];
        expect(await unreadableAmong(drives, migration, ["b/1", "b/2"])).toEqual(found);
        expect(drives[1]?.asked).toEqual([["/data1/b/2/xl.meta"]]);
    });

    test("can't be looked at if a command fails", async () => {
        const failing = drive("node2", "the Docker daemon hangs\n", { code: 1 });
        await expect(unreadableObjects([failing], migration, 11)).rejects.toThrow(
            "node2: the objects on /data1 can't be looked at: the Docker daemon hangs. Correct that",
        );
    });

    test("explain what differs: how they read, and how they are listed if one store doesn't list them as the other", () => {
        const differences = ["compressed", "older", "plain"].flatMap((key) => [
            { text: `b/${key} is listed as nothing`, object: `b/${key}` },
            { text: `/b/${key} reads as nothing`, object: `b/${key}`, isContent: true },
        ]);
        const unreadable = ["compressed", "older"].map((kind) => ({ kind, object: `b/${kind}` }));
        const setting = { text: "b: its policy isn't there" };
        expect(
            unexplained([...differences, setting], unreadable, migration.unreadable).map(({ text }) => text),
        ).toEqual([
            "b/compressed is listed as nothing",
            "b/plain is listed as nothing",
            "/b/plain reads as nothing",
            "b: its policy isn't there",
        ]);
    });
});
