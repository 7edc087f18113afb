import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkEnvironments } from "../../../../components/store/environmentChecks";
import { healthScript, startScript, superviseScript } from "../../../../components/node/storeProcess";
import { minioProfile } from "../../../../components/store/profiles/minio";

/** Seconds for which ports stay closed in these tests. */
const CLOSED = 0.4;

let folder: string;

beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "store-process-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a store. Returns how and when the shell around it ended. */
async function supervise(store: string, disturb: (shell: number, storePid: number) => void = () => undefined) {
    const pidFile = join(folder, "store.pid");
    const script = superviseScript(CLOSED, pidFile);
    const shell = spawn("/bin/sh", ["-c", script, "store", "/bin/sh", "-c", store], { stdio: "ignore" });
    const begin = Date.now();
    const end = new Promise<{ code: number | null; seconds: number }>((resolve) =>
        shell.on("exit", (code) => resolve({ code, seconds: (Date.now() - begin) / 1000 })),
    );
    while (!existsSync(pidFile) || readFileSync(pidFile, "utf8") === "") {
        await sleep(5);
    }
    await sleep(100);
    disturb(shell.pid ?? 0, Number(readFileSync(pidFile, "utf8")));
    return { ...(await end), pidFile };
}

describe("the shell around a clustered store", () => {
    test("keeps the ports closed after the store was killed, and exits with its status", async () => {
        const { code, seconds, pidFile } = await supervise("exec sleep 20", (_, store) =>
            process.kill(store, "SIGKILL"),
        );
        expect(code).toBe(128 + 9);
        expect(seconds).toBeGreaterThanOrEqual(CLOSED);
        expect(seconds).toBeLessThan(10);
        expect(existsSync(pidFile)).toBe(false);
    });

    test("does the same if the store exits by itself", async () => {
        const { code, seconds } = await supervise("sleep 0.2; exit 3");
        expect(code).toBe(3);
        expect(seconds).toBeGreaterThanOrEqual(CLOSED + 0.2);
    });

    test("forwards a stop signal to the store, lets it end, and doesn't wait afterwards", async () => {
        const drained = join(folder, "drained");
        const store = `trap 'sleep 0.3; touch ${drained}; exit 0' TERM; while :; do sleep 0.05; done`;
        const { code, seconds } = await supervise(store, (shell) => process.kill(shell, "SIGTERM"));
        expect(code).toBe(0);
        expect(existsSync(drained)).toBe(true);
        expect(seconds).toBeLessThan(0.3 + CLOSED + 5);
    });

    test("ends at once when it gets a stop signal while it waits", async () => {
        const script = superviseScript(30, join(folder, "store.pid"));
        const shell = spawn("/bin/sh", ["-c", script, "store", "/bin/sh", "-c", "exit 3"], { stdio: "ignore" });
        const end = new Promise<number | null>((resolve) => shell.on("exit", resolve));
        await sleep(400);
        expect(shell.exitCode).toBeNull();
        shell.kill("SIGTERM");
        expect(await end).toBe(3);
    }, 10_000);

    test("passes the arguments to the store unchanged, and no variable of its own", async () => {
        const script = superviseScript(0, join(folder, "store.pid"));
        const shell = spawn("/bin/sh", [
            "-c",
            script,
            "store",
            "/bin/sh",
            "-c",
            'printf "%s|" "$@"; env',
            "x",
            "a b",
            "c",
        ]);
        let output = "";
        shell.stdout.on("data", (data) => (output += String(data)));
        await new Promise((resolve) => shell.on("close", resolve));
        expect(output).toMatch(/^a b\|c\|/);
        expect(output).not.toMatch(/^_(store|status|stopping)=/m);
    });
});

test("a single store replaces the shell", () => {
    expect(startScript(minioProfile, false)).toMatch(/^exec "\$@"$/m);
    expect(startScript(minioProfile, true)).not.toContain("exec ");
});

/** Secrets as in a volume. */
function secretsIn(link: string, version: string, content: string): void {
    mkdirSync(join(folder, link));
    writeFileSync(join(folder, link, "version"), version);
    writeFileSync(join(folder, link, "environment"), content);
}

/** Starts a program that prints its root user and ends, as a single node and in a cluster. */
function startUser(version = "1", more: NodeJS.ProcessEnv = {}) {
    return [false, true].map((clustered) => {
        const script = startScript(minioProfile, clustered, folder).replaceAll("/tmp/store.pid", join(folder, "pid"));
        const args = [
            "-c",
            script,
            "store",
            "/bin/sh",
            "-c",
            'echo "$MINIO_ROOT_USER $SECRETS_VERSION $SSL_CERT_FILE"',
        ];
        const env = { PATH: process.env["PATH"], HOSTNAME: "node1", SECRETS_VERSION: version, ...more };
        const { status, stdout, stderr } = spawnSync("/bin/sh", args, { encoding: "utf8", env, timeout: 20_000 });
        return { status, stdout, stderr };
    });
}

const KEYS = "MINIO_ROOT_USER='someone'\nMINIO_ROOT_PASSWORD='it'\\''s a secret'\n";

test.each([
    ["which a loss of power can leave", ""],
    ["of which one is empty", "MINIO_ROOT_USER='someone'\nMINIO_ROOT_PASSWORD=''\n"],
])(
    "a store doesn't start with the vendor's default root keys if its own are missing: a file %s",
    (_, content) => {
        secretsIn("current", "1", content);
        const ofImage = { MINIO_ROOT_USER: "minioadmin", MINIO_ROOT_PASSWORD: "minioadmin" };
        for (const { status, stdout, stderr } of startUser("1", ofImage)) {
            expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
            expect(stderr).toContain(
                `is not in ${folder}/current/environment: remove the container node1-prepare, then run pulumi refresh`,
            );
        }
    },
    30_000,
);

test("a file that is truncated within a value prevents the start", () => {
    secretsIn("current", "1", `${KEYS}OTHER='cut`);
    for (const { status, stdout } of startUser()) {
        expect(status).not.toBe(0);
        expect(stdout).toBe("");
    }
});

test("a restarted store uses the secrets that its container was created for, whatever was written since", () => {
    secretsIn("current", "2", KEYS.replace("someone", "another"));
    secretsIn("of-1", "1", KEYS);
    writeFileSync(join(folder, "of-1", "ca-bundle.crt"), "CAs");
    const outputs = (version: string) => startUser(version, { SSL_CERT_FILE: "current" }).map(({ stdout }) => stdout);
    expect(outputs("1")).toEqual(Array(2).fill(`someone  ${join(folder, "of-1", "ca-bundle.crt")}\n`));
    expect(outputs("2")).toEqual(Array(2).fill("another  current\n"));
}, 60_000);

describe("a store that doesn't answer", () => {
    /** Runs the health check with a curl that exits with one code for the liveness path, and answers 200 to the rest. */
    const check = (code: number, uptime = 0, more: NodeJS.ProcessEnv = {}) => {
        const curl = `#!/bin/sh\ncase "$*" in */minio/health/live) exit ${code} ;; *) printf 'fine 200' ;; esac\n`;
        writeFileSync(join(folder, "curl"), curl, { mode: 0o755 });
        writeFileSync(join(folder, "uptime"), `${uptime}.31 5.4\n`);
        const text = healthScript(minioProfile, true)
            .replaceAll("/proc/uptime", join(folder, "uptime"))
            .replaceAll("/tmp/hangs", join(folder, "hangs"))
            .replaceAll("/tmp/store.pid", join(folder, "store.pid"));
        const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}`, ...more };
        const { status, stdout } = spawnSync("/bin/sh", ["-c", text], { encoding: "utf8", env });
        return { status, stdout };
    };

    /** A process in place of a store, and how it ended. */
    const runStore = () => {
        const store = spawn("sleep", ["60"]);
        writeFileSync(join(folder, "store.pid"), String(store.pid));
        return { store, end: new Promise((resolve) => store.on("exit", (_, signal) => resolve(signal))) };
    };

    test("is killed after three failures in a row, by its process id, so that its ports stay closed for a while", async () => {
        const { store, end } = runStore();
        const checks: [number, number][] = [
            [28, 100],
            [28, 113],
            [0, 126],
            [28, 139],
            [28, 152],
        ];
        expect(checks.map(([code, uptime]) => check(code, uptime).status)).toEqual([1, 1, 0, 1, 1]);
        // Not in a row, or refused connections: then the store doesn't hang.
        expect(check(28, 165, { HEALTH_QUESTION: "1" }).status).toBe(1);
        expect(store.signalCode).toBeNull();
        expect(check(28, 165).stdout).toContain("no answer within 3 s, 3 time(s) in 26 s");
        expect(await end).toBe("SIGKILL");
    });

    test("has as much time while it starts, when it is checked each second", async () => {
        const { store, end } = runStore();
        for (const uptime of [9, 13, 17, 21, 25, 29, 33]) {
            expect(check(28, uptime).status).toBe(1);
            expect(store.signalCode).toBeNull();
        }
        check(28, 37);
        expect(await end).toBe("SIGKILL");
    });

    test("isn't killed for two checks that are far apart: its host may have slept", async () => {
        const { store, end } = runStore();
        check(28, 100);
        check(28, 5000);
        expect(store.signalCode).toBeNull();
        store.kill("SIGTERM");
        expect(await end).toBe("SIGTERM");
    });

    test("doesn't count as hanging if it refuses connections, or answers", () => {
        const urls = ["http://127.0.0.1:9000/minio/health/cluster 200 fine", "http://127.0.0.1:9001/ 200 fine"];
        expect(check(7)).toEqual({ status: 0, stdout: `${urls.join("\n")}\n` });
    });
});

test("in a cluster is killed by its process id when it hangs, so that its ports stay closed for a while", () => {
    expect(healthScript(minioProfile, false)).toMatch(/^_STORE_PID_FILE=''$/m);
    expect(healthScript(minioProfile, true)).toMatch(/^_STORE_PID_FILE='\/tmp\/store.pid'$/m);
});

test("the names that a store's scripts use themselves are refused in a user's environment", () => {
    const text = [startScript(minioProfile, true), startScript(minioProfile, false)].join("\n");
    const names = new Set([...text.matchAll(/(?:^|[\s;])(_[A-Za-z_]*)(?==|\(\)| in )/gm)].map(([, name = ""]) => name));
    expect(names.size).toBeGreaterThan(8);
    const environment = Object.fromEntries([...names].map((name) => [name, "1"]));
    const refused = checkEnvironments({ environment }, []).map(({ propertyPath }) => propertyPath);
    expect(refused.sort()).toEqual([...names].map((name) => `environment.${name}`).sort());
});
