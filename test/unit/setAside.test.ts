import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { script, withParameters } from "../../components/engine/script";
import { ASIDE } from "../../components/engine/trialContainers";
import { PROJECT } from "../../tools/paths";

const IAM = ".minio.sys/config/iam";

describe("folders that a store must not find", () => {
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
    const run = (text: string, args: string[], environment: NodeJS.ProcessEnv = {}) =>
        spawnSync("/bin/sh", ["-c", text, "test", ...args], {
            env: { ...process.env, ...environment },
            encoding: "utf8",
        });

    const setAside = () => {
        const text = script(join(PROJECT, "components/cluster"), "setAside.sh");
        return run(withParameters({ _FOLDERS: IAM, _SUFFIX: ASIDE }, text), drives);
    };
    const handOver = () => {
        const owner = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
        const text = script(join(PROJECT, "components/engine"), "handOver.sh");
        const places = { DRIVES: join(folder, "drives"), FILES: join(folder, "files") };
        return run(text, [], { OWNER: owner, CLEARED: ".rustfs.sys", SUFFIX: ASIDE, ...places });
    };

    test("are renamed on every drive, once, and get their names back when the drives are handed over", () => {
        expect(setAside().status).toBe(0);
        expect(setAside().status).toBe(0);
        expect(drives.some((drive) => existsSync(join(drive, IAM)))).toBe(false);
        expect(read(`${IAM}${ASIDE}/users/one`)).toEqual(["MinIO's", "MinIO's"]);
        expect(handOver().status).toBe(0);
        expect(handOver().status).toBe(0);
        expect(read(`${IAM}/users/one`)).toEqual(["MinIO's", "MinIO's"]);
        expect(drives.some((drive) => existsSync(join(drive, `${IAM}${ASIDE}`)))).toBe(false);
    });

    test("what a store has written since under the name stays, and so does what was renamed", () => {
        setAside();
        drives.forEach((drive) => write(drive, `${IAM}/users/one`, "newer"));
        expect(setAside()).toMatchObject({ status: 1, stdout: `${drives[0]}/${IAM}${ASIDE} exists already\n` });
        expect(handOver().status).toBe(0);
        expect(read(`${IAM}/users/one`)).toEqual(["newer", "newer"]);
        expect(read(`${IAM}${ASIDE}/users/one`)).toEqual(["MinIO's", "MinIO's"]);
    });

    test("an object of a user with such a name stays as it is", () => {
        drives.forEach((drive) => write(drive, `bucket/config/a${ASIDE}`, "a user's"));
        expect(handOver().status).toBe(0);
        expect(read(`bucket/config/a${ASIDE}`)).toEqual(["a user's", "a user's"]);
    });
});
