import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { outputOf, run } from "../../../tools/machine/run";
import { findOrInstallPython } from "../../../tools/machine/python";
import { say, StepError } from "../../../tools/cli/step";
import { CACHE, LOGS } from "../../../tools/paths";
import { goBuildEnvironment } from "../../../tools/pulumi/goBuild";

/** A client, and the version of HTTP that it speaks with the edge. With the node, all speak HTTP/1.1. */
export interface Client {
    name: "boto3" | "AWS SDK for JavaScript" | "AWS SDK for Go";
    protocol: "HTTP/1.1" | "HTTP/2";
}

export const CLIENTS: readonly Client[] = [
    { name: "boto3", protocol: "HTTP/1.1" },
    { name: "AWS SDK for JavaScript", protocol: "HTTP/1.1" },
    { name: "AWS SDK for JavaScript", protocol: "HTTP/2" },
    { name: "AWS SDK for Go", protocol: "HTTP/1.1" },
    { name: "AWS SDK for Go", protocol: "HTTP/2" },
];

/** The commands that start the clients. */
export type ClientPrograms = { [Name in Client["name"]]: string[] };

/** Installs and builds of the clients what an earlier run hasn't. */
export async function clientPrograms(): Promise<ClientPrograms> {
    return {
        boto3: [await pythonWithBoto3(), join(__dirname, "boto3Client.py")],
        "AWS SDK for JavaScript": [process.execPath, "--import", "tsx", join(__dirname, "javascriptClient.ts")],
        "AWS SDK for Go": [await goClient()],
    };
}

/** Path of a Python that has the modules of requirements.txt. */
function pythonWithBoto3(): Promise<string> {
    const requirements = join(__dirname, "requirements.txt");
    return madeOnce(`boto3-${digestOf([requirements])}`, join("bin", "python"), async (folder) => {
        await findOrInstallPython();
        say("installing boto3 into an environment of its own");
        const log = join(LOGS, "boto3.log");
        await run("python3", ["-m", "venv", folder], { log });
        await run(join(folder, "bin", "python"), ["-m", "pip", "install", "--requirement", requirements], { log });
    });
}

/** Path of the client in Go. */
function goClient(): Promise<string> {
    const source = join(__dirname, "go");
    const files = readdirSync(source).map((name) => join(source, name));
    return madeOnce(`s3-client-${digestOf(files)}`, "client", async (folder) => {
        if ((await outputOf("go", ["version"])) === undefined) {
            throw new StepError(
                "The differential test has a client in Go, and there is no Go. Install Go 1.24 or newer, put it on PATH, and run " +
                    "this command again.",
            );
        }
        say("building the client in Go: about 2 minutes on 2 cores");
        const options = { env: goBuildEnvironment(), log: join(LOGS, "s3-client.log") };
        await run("go", ["vet", "-C", source, "."], options);
        await run("go", ["build", "-C", source, "-o", join(folder, "client"), "."], options);
    });
}

/** Makes a folder in the cache, unless an earlier run has, and returns the path of a program in it. It appears when it is whole. */
async function madeOnce(name: string, program: string, make: (folder: string) => Promise<void>): Promise<string> {
    const folder = join(CACHE, name);
    if (!existsSync(folder)) {
        mkdirSync(CACHE, { recursive: true });
        const draft = mkdtempSync(`${folder}.`);
        await make(draft);
        if (!existsSync(folder)) {
            renameSync(draft, folder);
        }
        rmSync(draft, { recursive: true, force: true });
    }
    return join(folder, program);
}

function digestOf(files: string[]): string {
    const hash = createHash("sha256");
    files.forEach((file) => hash.update(readFileSync(file)));
    return hash.digest("hex").slice(0, 12);
}
