import { spawnSync } from "node:child_process";
import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { script } from "../../../../components/docker/script";
import { ASIDE } from "../../../../migration/trialContainers";
import { PROJECT } from "../../../../tools/paths";

const IAM = ".minio.sys/config/iam";

describe("what a hand-over does with folders", () => {
    let folder: string;
    let drives: string[];

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "set-aside-"));
        drives = ["1", "2"].map((name) => join(folder, "drives", name));
        mkdirSync(join(folder, "files"));
        drives.forEach((drive) => write(drive, `${IAM}/users/one`, "MinIO's"));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    const write = (drive: string, path: string, text: string) => {
        mkdirSync(dirname(join(drive, path)), { recursive: true });
        writeFileSync(join(drive, path), text);
    };
    const read = (path: string) => drives.map((drive) => readFileSync(join(drive, path), "utf8"));

    const handOver = (hidden: string, owner = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`, copied = "") => {
        const text = script(join(PROJECT, "migration"), "changeOwner.sh");
        const places = { DRIVES: join(folder, "drives"), FILES: join(folder, "files") };
        const changes = { OWNER: owner, CLEARED: ".rustfs.sys", COPIED: copied, HIDDEN: hidden, SUFFIX: ASIDE };
        const env = { ...process.env, ...changes, ...places };
        return spawnSync("/bin/sh", ["-c", text], { env, encoding: "utf8", timeout: 10_000 });
    };

    test("those that a store must not find are renamed on every drive for that store, and get their names back for another one", () => {
        for (const owner of [undefined, ""]) {
            expect(handOver(IAM, owner).status).toBe(0);
            expect(drives.some((drive) => existsSync(join(drive, IAM)))).toBe(false);
            expect(read(`${IAM}${ASIDE}/users/one`)).toEqual(["MinIO's", "MinIO's"]);
        }
        for (let round = 0; round < 2; round++) {
            expect(handOver("").status).toBe(0);
            expect(read(`${IAM}/users/one`)).toEqual(["MinIO's", "MinIO's"]);
            expect(drives.some((drive) => existsSync(join(drive, `${IAM}${ASIDE}`)))).toBe(false);
        }
    });

    test("those of an earlier attempt are removed before files are copied to them, on the drives that have these files", () => {
        drives.forEach((drive) => write(drive, ".rustfs.sys/of-an-earlier-attempt", ""));
        write(drives[1] ?? "", ".minio.sys/format.json", "layout");
        expect(handOver("", undefined, ".minio.sys/format.json:.rustfs.sys").status).toBe(0);
        expect(drives.map((drive) => existsSync(join(drive, ".rustfs.sys")))).toEqual([false, true]);
        expect(readdirSync(join(drives[1] ?? "", ".rustfs.sys"))).toEqual(["format.json"]);
        expect(readFileSync(join(drives[1] ?? "", ".rustfs.sys/format.json"), "utf8")).toBe("layout");
    });

    test("no link or pipe is copied, since it would have root read from elsewhere, or wait", () => {
        const [linked = "", inLinkedFolder = ""] = drives;
        writeFileSync(join(folder, "format.json"), "another's");
        mkdirSync(join(linked, ".minio.sys"), { recursive: true });
        symlinkSync(join(folder, "format.json"), join(linked, ".minio.sys/format.json"));
        rmSync(join(inLinkedFolder, ".minio.sys"), { recursive: true });
        symlinkSync(folder, join(inLinkedFolder, ".minio.sys"));
        const copy = () => handOver("", undefined, ".minio.sys/format.json:.rustfs.sys").status;
        expect(copy()).toBe(0);
        rmSync(join(linked, ".minio.sys/format.json"));
        expect(spawnSync("mkfifo", [join(linked, ".minio.sys/format.json")]).status).toBe(0);
        expect(copy()).toBe(0);
        expect(drives.map((drive) => existsSync(join(drive, ".rustfs.sys")))).toEqual([false, false]);
    });

    test("a store that was started by hand may have written one again: that is used, and no hand-over fails or loses one", () => {
        handOver(IAM);
        drives.forEach((drive) => write(drive, `${IAM}/users/one`, "newer"));
        expect(handOver("").status).toBe(0);
        expect(read(`${IAM}/users/one`)).toEqual(["newer", "newer"]);
        expect(handOver(IAM).status).toBe(0);
        expect(read(`${IAM}${ASIDE}/users/one`)).toEqual(["newer", "newer"]);
        expect(handOver("").status).toBe(0);
        expect(read(`${IAM}/users/one`)).toEqual(["newer", "newer"]);
        for (const drive of drives) {
            const [kept = ""] = readdirSync(join(drive, ".minio.sys/config")).filter((name) => name !== "iam");
            expect(kept).toMatch(/^iam\.set-aside\.\d+$/);
            expect(readFileSync(join(drive, ".minio.sys/config", kept, "users/one"), "utf8")).toBe("MinIO's");
        }
    });

    test("an object of a user with such a name stays as it is", () => {
        drives.forEach((drive) => write(drive, `bucket/config/a${ASIDE}`, "a user's"));
        expect(handOver("").status).toBe(0);
        expect(read(`bucket/config/a${ASIDE}`)).toEqual(["a user's", "a user's"]);
    });
});
