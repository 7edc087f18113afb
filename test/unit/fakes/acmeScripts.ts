import { spawn, type ChildProcess } from "node:child_process";
import {
    chmodSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CLIENT_SCRIPT } from "../../../components/certificate/acmeScripts";

export const HOSTNAME = "s3.example.com";
export const ORDER = "https://ca.example.com/directory ec256";

/** The scripts of a certificate by ACME, with test programs instead of lego and HAProxy: each test has a folder of its own for them. */
export function acmeScripts() {
    let folder: string;
    let running: ChildProcess | undefined;
    let output = "";

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "acme-"));
        ["acme", "acme/certificates", "served", "bin", "configuration"].forEach((name) => mkdirSync(path(name)));
        output = "";
    });

    afterEach(async () => {
        if (running !== undefined) {
            const end = new Promise((resolve) => running?.once("exit", resolve));
            // This also replaces the script's `sleep`.
            process.kill(-(running.pid ?? 0), "SIGTERM");
            await end;
            running = undefined;
        }
        rmSync(folder, { recursive: true });
    });

    const path = (...parts: string[]) => join(folder, ...parts);

    const program = (name: string, script: string) => {
        writeFileSync(path("bin", name), `#!/bin/sh\n${script}\n`);
        chmodSync(path("bin", name), 0o755);
    };

    const start = (script: string, environment: { [name: string]: string }) => {
        const common = {
            PATH: `${path("bin")}:${process.env["PATH"] ?? ""}`,
            ACME_DIRECTORY: path("acme"),
            HOSTNAMES: HOSTNAME,
            ORDER,
        };
        running = spawn("/bin/sh", ["-c", script], { env: { ...common, ...environment }, detached: true });
        [running.stdout, running.stderr].forEach((stream) => stream?.on("data", (data) => (output += String(data))));
    };

    const until = async (holds: () => boolean) => {
        for (let round = 0; !holds() && round < 200; round += 1) {
            await sleep(50);
        }
        expect({ holds: holds(), output }).toMatchObject({ holds: true });
    };

    /** A file to which nothing can be written: the disk is full. */
    const fill = (...parts: string[]) => symlinkSync("/dev/full", path(...parts));

    const obtain = (environment: { [name: string]: string } = {}, script = CLIENT_SCRIPT) =>
        start(script, {
            ALWAYS_DUE_DAYS: "36500",
            CHALLENGE_PORT: "8402",
            CHECK_INTERVAL: "3600",
            DIRECTORY_URL: "https://ca.example.com/directory",
            DNS_PROVIDER: "",
            EMAIL: "",
            KEY_TYPE: "ec256",
            LONGEST_RETRY_SECONDS: "60",
            PREFLIGHT: "false",
            PREFLIGHT_SECONDS: "1",
            PROPAGATION_WAIT: "",
            RETRY_INTERVAL: "60",
            SECRETS: path("configuration"),
            ACME_SECRETS: "acme.environment",
            ACME_TRUSTED: "acme-ca.pem",
            SELF_CHECK: "",
            SELF_CHECK_PATH: "",
            ...environment,
        });

    const orders = () => (existsSync(path("orders")) ? readFileSync(path("orders"), "utf8").length : 0);

    return { path, program, start, until, fill, obtain, orders, output: () => output, running: () => running };
}
