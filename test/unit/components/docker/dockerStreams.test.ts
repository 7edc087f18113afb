import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileOfArchive, filesOfArchive } from "../../../../components/docker/dockerStreams";

describe("an archive of a container's folder", () => {
    let folder: string;
    const archive = (...paths: string[]) =>
        execFileSync("tar", ["--create", "--format=pax", "--directory", folder, ...paths]);

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "archive-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    test("has the contents of its files, whatever their length", async () => {
        const contents = {
            empty: "",
            short: "a=1\n",
            block: "x".repeat(512),
            long: "ü".repeat(700),
            ["n".repeat(200)]: "a long name",
        };
        for (const [name, content] of Object.entries(contents)) {
            writeFileSync(join(folder, name), content);
        }
        mkdirSync(join(folder, "inner"));
        writeFileSync(join(folder, "inner", "file"), "of the inner folder");
        symlinkSync("short", join(folder, "link"));
        expect(Object.fromEntries(await filesOfArchive(archive(".")))).toEqual({
            ...contents,
            "inner/file": "of the inner folder",
        });
    });

    test("without files has none", async () => {
        expect(await filesOfArchive(archive("."))).toEqual(new Map());
    });

    test("of one file is that file", async () => {
        writeFileSync(join(folder, "version"), "0123456789abcdef");
        expect(await fileOfArchive(archive("version"))).toBe("0123456789abcdef");
    });

    test("that breaks off is an error", async () => {
        writeFileSync(join(folder, "version"), "0123456789abcdef".repeat(100));
        await expect(fileOfArchive(archive("version").subarray(0, 1100))).rejects.toThrow("Unexpected end of data");
    });
});
