import { spawnSync } from "node:child_process";
import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    statSync,
    symlinkSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../../../tools/paths";

const SCRIPT = join(PROJECT, "components", "docker", "scripts", "writeFiles.sh");
const SECRET = "what nobody else may know";

/** This process's own user and group. */
const OWN = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;

describe("the writer of a volume's files", () => {
    let folder: string;
    let owned: string;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "writer-"));
        owned = join(folder, "drive");
        [owned, join(folder, "files")].forEach((path) => mkdirSync(path));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    const path = (...parts: string[]) => join(folder, ...parts);

    /** Creates files as the provider does before a container's first start. */
    const upload = (files: { [name: string]: string }) => {
        mkdirSync(path("uploads"), { recursive: true });
        Object.entries(files).forEach(([name, content]) => writeFileSync(path("uploads", name), content));
    };

    const run = ({ check = "", announce = "", versions = 0, owner = OWN, formats = "", programs = "" } = {}) => {
        const { status, stdout, stderr } = spawnSync("sh", ["-c", readFileSync(SCRIPT, "utf8")], {
            encoding: "utf8",
            env: {
                PATH: `${programs === "" ? "" : `${programs}:`}${process.env["PATH"] ?? ""}`,
                FILES: path("files"),
                UPLOADS: path("uploads"),
                VERSION_FILE: "version",
                CURRENT: "current",
                FORMER_VERSIONS: String(versions),
                OF_VERSION: "of-",
                OWNER: owner,
                OWNED: owned,
                FORMATS: formats,
                CHECK: check,
                ANNOUNCE: announce,
                LOADED: path("loaded"),
            },
        });
        return { status, output: stdout + stderr };
    };

    const current = (name: string) => readFileSync(path("files", "current", name), "utf8");
    const uploads = () => (existsSync(path("uploads")) ? readdirSync(path("uploads")) : []);
    const modeOf = (...parts: string[]) => (statSync(path(...parts)).mode & 0o777).toString(8);

    test("leaves none of the files in its own layers, and nothing else in the volume", () => {
        upload({ environment: SECRET, version: "1" });
        expect(run()).toEqual({ status: 0, output: "" });
        expect(uploads()).toEqual([]);
        expect([current("environment"), current("version")]).toEqual([SECRET, "1"]);
        expect([modeOf("files"), modeOf("files", "current", "environment"), modeOf("drive")]).toEqual([
            "700",
            "600",
            "700",
        ]);
        expect(readdirSync(path("files")).filter((name) => !name.startsWith("version."))).toEqual(["current"]);
    });

    describe("a drive of a store", () => {
        const formats = ".minio.sys/format.json .store.sys/format.json";
        const other = "1234:1234";
        const asRoot = process.getuid?.() === 0 ? test : test.skip;

        /** Writes files once, as before the store first runs, and again. */
        const writeAgain = (between: () => void = () => undefined, owner = other) => {
            upload({ environment: "1", version: "1" });
            expect(run({ formats }).status).toBe(0);
            between();
            upload({ environment: "2", version: "2" });
            return run({ formats, owner });
        };

        test("stays with its owner once there are files, if it has no data: its disk may not be mounted", () => {
            const { status, output } = writeAgain();
            expect(status).toBe(1);
            expect(output).toMatch(
                /drive has none of the store's data, and the store has run here before: is its disk mounted\?/,
            );
            expect(statSync(owned).uid).toBe(process.getuid?.());
            expect(current("environment")).toBe("1");
        });

        test("is no obstacle if it has the owner already: the store has not run yet", () => {
            expect(writeAgain(() => undefined, OWN)).toEqual({ status: 0, output: "" });
            expect(current("environment")).toBe("2");
        });

        asRoot("gets another owner if it has data, of this store or of another one", () => {
            const written = writeAgain(() => {
                mkdirSync(join(owned, ".minio.sys"));
                writeFileSync(join(owned, ".minio.sys", "format.json"), "{}");
            });
            expect(written).toEqual({ status: 0, output: "" });
            expect(statSync(owned).uid).toBe(1234);
        });
    });

    test("leaves nothing in its own layers if the check refuses the files; the former ones stay, and another run continues", () => {
        upload({ environment: "former", version: "1" });
        run();
        upload({ environment: SECRET, version: "2" });
        const refused = run({ check: "echo refused; exit 3" });
        expect(refused).toEqual({ status: 3, output: "refused\n" });
        expect(uploads()).toEqual([]);
        expect(current("environment")).toBe("former");
        expect(modeOf("files", "pending")).toBe("700");

        expect(run({ check: 'test "$(cat environment)" != former' }).status).toBe(0);
        expect([current("environment"), current("version")]).toEqual([SECRET, "2"]);
        expect(existsSync(path("files", "pending"))).toBe(false);
    });

    test("writes the files of the next update, not those with which an earlier writer failed", () => {
        upload({ environment: "refused", "additional-ca.crt": "refused", version: "1" });
        run({ check: "false" });
        upload({ environment: SECRET, version: "2" });
        expect(run().status).toBe(0);
        expect(readdirSync(path("files", "current")).sort()).toEqual(["environment", "version"]);
        expect(current("environment")).toBe(SECRET);
    });

    test("are on the disk before they have their names", () => {
        // Programs that note what they are called with, before they do it.
        const programs = path("programs");
        mkdirSync(programs);
        for (const program of ["sync", "mv"]) {
            const noting = `#!/bin/sh\necho "${program} $*" >> "${path("calls")}"\nexec /bin/${program} "$@"\n`;
            writeFileSync(join(programs, program), noting, { mode: 0o755 });
        }
        upload({ environment: SECRET, version: "1" });
        expect(run({ programs }).status).toBe(0);
        const calls = readFileSync(path("calls"), "utf8").replaceAll(/version\.\w{8}/g, "version.X");
        expect(calls.trimEnd().split("\n")).toEqual([
            "sync pending.next/environment pending.next/version",
            "mv -T pending.next pending",
            "sync .",
            "sync version.X/environment version.X/version",
            "mv -T next current",
            "sync .",
        ]);
    });

    test("continues where it was killed: before all files were in the volume, and after", () => {
        upload({ environment: SECRET, key: SECRET, version: "1" });
        mkdirSync(path("files", "pending.next"));
        writeFileSync(path("files", "pending.next", "environment"), "half of i");
        expect(run({ check: "false" }).status).toBe(1);
        expect(uploads()).toEqual([]);

        // The version is removed first: without it, the other files count as incomplete.
        upload({ environment: "half of i" });
        expect(run().status).toBe(0);
        expect(uploads()).toEqual([]);
        expect([current("environment"), current("key")]).toEqual([SECRET, SECRET]);
    });

    test("continues where it was killed between creating the link to the new files and activating it", () => {
        upload({ environment: "former", version: "1" });
        run();
        const [former = ""] = readdirSync(path("files")).filter((name) => name.startsWith("version."));
        symlinkSync(former, path("files", "next"));
        upload({ environment: SECRET, version: "2" });
        expect(run()).toEqual({ status: 0, output: "" });
        expect(current("environment")).toBe(SECRET);
        expect(readdirSync(path("files"))).toHaveLength(2);
    });

    test("restores the former files if their reader doesn't load the new ones", () => {
        upload({ environment: "former", version: "1" });
        run();
        upload({ environment: SECRET, version: "2" });
        expect(run({ announce: "false" }).status).toBe(1);
        expect([current("environment"), uploads()]).toEqual(["former", []]);
        expect(run({ announce: 'touch "$LOADED"' }).status).toBe(0);
        expect(current("environment")).toBe(SECRET);
        expect(existsSync(path("loaded"))).toBe(true);
    });

    test("keeps the configured number of former versions, because their reader may still run with one", () => {
        const write = (version: string) => {
            upload({ environment: `files of ${version}`, version });
            expect(run({ versions: 2 })).toEqual({ status: 0, output: "" });
        };
        const kept = () =>
            readdirSync(path("files"))
                .filter((name) => name.startsWith("of-"))
                .map((name) => [name, readFileSync(path("files", name, "environment"), "utf8")]);
        const named = (...versions: string[]) => versions.map((version) => [`of-${version}`, `files of ${version}`]);
        ["1", "2", "3"].forEach(write);
        expect([current("environment"), ...kept()]).toEqual(["files of 3", ...named("1", "2", "3")]);

        // The same files again, by another writer or by this one, are no change.
        write("3");
        expect(run({ versions: 2 }).status).toBe(0);
        expect([current("environment"), ...kept()]).toEqual(["files of 3", ...named("1", "2", "3")]);

        // Back to the former version, then to another one.
        write("1");
        expect([current("environment"), ...kept()]).toEqual(["files of 1", ...named("1", "2", "3")]);
        write("4");
        expect([current("environment"), ...kept()]).toEqual(["files of 4", ...named("1", "3", "4")]);
        expect(readdirSync(path("files")).filter((name) => name.startsWith("version."))).toHaveLength(3);
    });

    const content = (link: string) => readFileSync(path("files", link, "environment"), "utf8");
    const folders = () => readdirSync(path("files")).filter((name) => name.startsWith("version."));

    test("keeps the active files, even if a wrong clock has made others newer", () => {
        for (const version of ["1", "2", "3", "4"]) {
            upload({ environment: `files of ${version}`, version });
            run({ versions: 2 });
            const ahead = new Date(Date.now() + 86_400_000);
            folders()
                .filter((name) => readFileSync(path("files", name, "version"), "utf8") < "3")
                .forEach((name) => utimesSync(path("files", name), ahead, ahead));
        }
        expect([content("current"), content("of-3")]).toEqual(["files of 4", "files of 3"]);
        expect(folders()).toHaveLength(3);
    });

    test("keeps the latest versions in order, even if a wrong clock has made former ones newer", () => {
        const ahead = new Date(Date.now() + 86_400_000);
        for (const version of ["1", "2", "3", "4", "5", "6"]) {
            upload({ environment: `files of ${version}`, version });
            run({ versions: 4 });
            if (version <= "3") {
                folders().forEach((name) => utimesSync(path("files", name), ahead, ahead));
            }
        }
        expect(["of-2", "of-3", "of-4", "of-5", "current"].map(content)).toEqual(
            ["2", "3", "4", "5", "6"].map((version) => `files of ${version}`),
        );
        expect(folders()).toHaveLength(5);
    });

    test("files of killed writers don't count as kept versions", () => {
        upload({ environment: "former", version: "1" });
        run({ versions: 2 });
        ["version.half1", "version.half2", "version.half3"].forEach((name) => mkdirSync(path("files", name)));
        upload({ environment: SECRET, version: "2" });
        run({ versions: 2 });
        expect([content("of-1"), content("of-2")]).toEqual(["former", SECRET]);
        expect(folders()).toHaveLength(2);
    });

    test("writes and announces the same when it runs again after a success", () => {
        upload({ environment: SECRET, version: "1" });
        run();
        expect(run({ announce: 'touch "$LOADED"' })).toEqual({ status: 0, output: "" });
        expect([current("environment"), current("version")]).toEqual([SECRET, "1"]);
        expect(existsSync(path("loaded"))).toBe(true);
    });

    test("passes the path of the active files to the check", () => {
        upload({ environment: "former", version: "1" });
        expect(run({ check: 'test -z "$FORMER"' }).status).toBe(0);
        upload({ environment: SECRET, version: "2" });
        expect(run({ check: 'test "$(cat "$FORMER/environment")" = former' })).toEqual({ status: 0, output: "" });
    });

    test("says what to do if it has no files", () => {
        const { status, output } = run();
        expect(status).toBe(1);
        expect(output).toContain("there are no files to write: remove this container");
    });
});
