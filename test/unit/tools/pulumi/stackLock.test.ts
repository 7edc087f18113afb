import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { whileLocked } from "../../../../tools/pulumi/stackLock";

/** The id of a process that can't be running: the kernel gives none so high. */
const GONE = 2 ** 30;

let folder: string;

beforeEach(() => {
    jest.spyOn(console, "log").mockImplementation();
    folder = join(mkdtempSync(join(tmpdir(), "locks-")), "prod");
    mkdirSync(folder);
});

afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

/** Writes a lock of Pulumi's, and returns its file. */
const lockOf = (host: string, pid: number): string => {
    const file = join(folder, `${host}-${pid}.json`);
    writeFileSync(file, JSON.stringify({ pid, username: "ops", hostname: host, timestamp: "2026-11-25T17:26:53Z" }));
    return file;
};

test("holds a lock during the action, and releases it, also if the action fails", async () => {
    const held = () => readdirSync(folder).map((name) => name.replace(/-.*/, ""));
    expect(await whileLocked(folder, () => Promise.resolve(held()))).toEqual(["tools"]);
    await expect(whileLocked(folder, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(held()).toEqual([]);
});

test.each([
    ["an ended process", GONE],
    ["a process that runs another program by now", process.pid],
])("removes the lock of %s of this host before the action", async (_, pid) => {
    const file = lockOf(hostname(), pid);
    expect(await whileLocked(folder, () => Promise.resolve(existsSync(file)))).toBe(false);
});

test("refuses the lock of another host with the command that removes it, and keeps all locks", async () => {
    const files = [lockOf("elsewhere", GONE), lockOf(hostname(), GONE)];
    const action = jest.fn();
    await expect(whileLocked(folder, action)).rejects.toThrow(
        `an update of this stack is under way:\n    process ${GONE} of ops on elsewhere, since 2026-11-25T17:26:53Z: ` +
            `see there whether it runs, and only where it doesn't: rm ${files[0]}\nThen run this command again.`,
    );
    expect(action).not.toHaveBeenCalled();
    expect(files.map((file) => existsSync(file))).toEqual([true, true]);
});
