import { unreadableAmong, unreadableObjects, type LookedAtDrive } from "../../components/preflight/unreadableObjects";
import { takeOverBetween, type TakeOver } from "../../components/store/profiles/takeOvers";

const takeOver = takeOverBetween("minio", "rustfs") as TakeOver;

describe("objects that another store can't read", () => {
    /** A drive, with what a command beside it prints; and the places that it was asked for. */
    const drive = (node: string, output: string, code = 0): LookedAtDrive & { asked: string[][] } => {
        const asked: string[][] = [];
        const run = (command: string[]) => {
            asked.push(command.slice(4));
            return Promise.resolve({ code, output });
        };
        return { node, folder: "/data1", run, asked };
    };

    test("are named once, whichever drives have them", async () => {
        const drives = [
            drive("node1", "compressed /data1/b/a key\nolder /data1/b/c\n"),
            drive("node2", ""),
            drive("node3", "compressed /data1/b/a key\n"),
        ];
        expect(await unreadableObjects(drives, takeOver, 11)).toEqual([
            { kind: "compressed", object: "b/a key" },
            { kind: "older", object: "b/c" },
        ]);
        expect(drives.map(({ asked }) => asked)).toEqual([[["/data1"]], [["/data1"]], [["/data1"]]]);
    });

    test("are looked for among some objects, of which a command gets a hundred", async () => {
        const one = drive("node1", "");
        const objects = Array.from({ length: 150 }, (_, place) => `b/${place}`);
        expect(await unreadableAmong([one], takeOver, objects)).toEqual([]);
        expect(one.asked.map(({ length }) => length)).toEqual([100, 50]);
        expect(one.asked[1]?.at(-1)).toBe("/data1/b/149/xl.meta");
    });

    test("can't be looked at if a command fails", async () => {
        const failing = drive("node2", "the engine hangs\n", 1);
        await expect(unreadableObjects([failing], takeOver, 11)).rejects.toThrow(
            "node2: the objects on /data1 can't be looked at: the engine hangs",
        );
    });
});
