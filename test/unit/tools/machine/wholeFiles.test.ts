import { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { draftOf, moveWhole, writeFirst, writeWhole } from "../../../../tools/machine/wholeFiles";

jest.mock("node:fs", () => {
    const real = jest.requireActual<typeof fs>("node:fs");
    return {
        ...real,
        linkSync: jest.fn(real.linkSync),
        fsyncSync: jest.fn(real.fsyncSync),
        renameSync: jest.fn(real.renameSync),
    };
});

let folder: string;
const path = (name: string) => join(folder, name);
const [link, sync, rename] = [fs.linkSync, fs.fsyncSync, fs.renameSync].map((one) => one as unknown as jest.Mock);

beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "whole-"));
    jest.clearAllMocks();
});

afterEach(() => rmSync(folder, { recursive: true }));

test("a file has its content and mode, is on the disk before it has its name, and nothing is left beside it", () => {
    writeWhole(path("file"), "first", { mode: 0o600 });
    writeWhole(path("file"), "second", { mode: 0o600 });
    expect([readFileSync(path("file"), "utf8"), statSync(path("file")).mode & 0o777]).toEqual(["second", 0o600]);
    expect(readdirSync(folder)).toEqual(["file"]);
    const order = (mock: jest.Mock | undefined) => mock?.mock.invocationCallOrder ?? [];
    expect(order(sync)[0]).toBeLessThan(order(rename)[0] ?? 0);
    expect(order(sync)).toHaveLength(4);
});

test("a file that another process writes first stays, and both find the same", () => {
    link?.mockImplementationOnce((draft: string, file: string) => {
        writeFileSync(file, "theirs");
        linkSync(draft, file);
    });
    writeFirst(path("passphrase"), "ours", { mode: 0o600 });
    expect(readFileSync(path("passphrase"), "utf8")).toBe("theirs");
    writeFirst(path("other"), "ours", { mode: 0o600 });
    expect([readFileSync(path("other"), "utf8"), statSync(path("other")).mode & 0o777]).toEqual(["ours", 0o600]);
    expect(readdirSync(folder).sort()).toEqual(["other", "passphrase"]);
});

test("a program that is copied into its place isn't there before all of it is", () => {
    writeFileSync(draftOf(path("program")), "half");
    expect(existsSync(path("program"))).toBe(false);
    writeFileSync(draftOf(path("program")), "all of it");
    moveWhole(draftOf(path("program")), path("program"));
    expect([readFileSync(path("program"), "utf8"), readdirSync(folder)]).toEqual(["all of it", ["program"]]);
});
