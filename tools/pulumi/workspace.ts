import type { StackConfig } from "./stackConfig";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { bundlePlugin, bundlePluginIfPossible } from "./pluginBundle";
import { removeBrokenDescriptions } from "./backendFiles";
import { shareSshConnections } from "../machine/sshConnections";
import { LOCAL, PROJECT, PULUMI_HOME } from "../paths";
import { PROGRAM_ENVIRONMENT } from "./programEnvironment";
import { CLI, CLI_FOLDER } from "./toolchainParts";
import { outputOf, run, runAttached, RunError } from "../machine/run";
import { projectFile } from "./projectFile";
import { StackFiles } from "./stackFiles";
import { writeFirst, writeWhole } from "../machine/wholeFiles";

/** Where Pulumi runs, with its backend and its secrets provider. */
export interface Workspace {
    /** Folder in which the CLI runs. */
    folder: string;
    /** Environment of the CLI. */
    env: NodeJS.ProcessEnv;
    /** URL of the backend. */
    backend: string;
    /** Description of the backend for the user. */
    description: string;
}

/**
 * The backend that the user is logged in to; otherwise a file backend in `.local`, with its own passphrase.
 *
 * The CLI runs in a separate folder with a copy of each stack file: it writes the salt of the stack's encryption there,
 * so a tracked file only changes if the user changes the config.
 */
export function findWorkspace(): Workspace {
    shareSshConnections(process.env);
    const env: NodeJS.ProcessEnv = {
        ...process.env,
        PATH: `${CLI_FOLDER}:${process.env["PATH"]}`,
        PULUMI_SKIP_UPDATE_CHECK: "true",
        ...PROGRAM_ENVIRONMENT,
    };
    const state = join(LOCAL, "state");
    const local = `file://${state}`;
    const backend = process.env["PULUMI_BACKEND_URL"] ?? currentLogin() ?? local;
    if (backend !== local) {
        removeBrokenDescriptions(backend);
        const description = `the backend that you are logged in to: ${backend}`;
        return { folder: folderFor(backend), env, backend, description };
    }
    const passphrase = join(LOCAL, "passphrase");
    mkdirSync(state, { recursive: true });
    if (!existsSync(passphrase)) {
        writeFirst(passphrase, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
    }
    removeBrokenDescriptions(local);
    env["PULUMI_BACKEND_URL"] = local;
    env["PULUMI_CONFIG_PASSPHRASE_FILE"] = passphrase;
    delete env["PULUMI_CONFIG_PASSPHRASE"];
    return {
        folder: folderFor("local"),
        env,
        backend: local,
        description: `the local backend ${state}, with the passphrase in ${passphrase}`,
    };
}

/** Folder in which the CLI runs for a backend. Each backend has its own salts. */
function folderFor(backend: string): string {
    const folder = join(LOCAL, "workspace", backend.replaceAll(/[^A-Za-z0-9.]+/g, "-"));
    mkdirSync(folder, { recursive: true });
    return folder;
}

/** Commands that could create or change something by an earlier bundle of the project's plugin. */
const UPDATES = ["up", "update", "preview", "pre"];

/**
 * Runs the CLI on the user's terminal, and returns its exit code. Bundles the project's plugin before, if its sources are newer.
 *
 * @throws {StepError} if that fails before an update or a preview.
 */
export async function runPulumi(workspace: Workspace, args: string[]): Promise<number> {
    if (args.some((arg) => UPDATES.includes(arg))) {
        bundlePlugin();
    } else {
        bundlePluginIfPossible();
    }
    return withStackFiles(workspace, () => runAttached(CLI, args, { cwd: workspace.folder, env: workspace.env }));
}

/**
 * Runs the CLI, and returns its output.
 *
 * @param input What it reads from its standard input, such as a secret. Default: nothing.
 */
export async function askPulumi(workspace: Workspace, args: string[], input?: string): Promise<string> {
    const { folder, env, backend } = workspace;
    return withStackFiles(workspace, () => run(CLI, args, { cwd: folder, env, input })).catch((error: unknown) => {
        throw /no stack named/.test(String(error))
            ? new RunError((error as Error).message + otherBackend(backend))
            : error;
    });
}

/** Where a stack may be that a backend doesn't have: the user has logged in to that one after the stack was deployed. */
export function otherBackend(backend: string): string {
    const local = join(LOCAL, "state");
    return backend === `file://${local}` || !existsSync(join(local, ".pulumi", "stacks"))
        ? ""
        : `\nYou are logged in to ${backend}. This folder also has stacks of its own: PULUMI_BACKEND_URL=file://${local} uses them.`;
}

/** The same workspace for one stack, whichever is selected; without a name, for the selected one. */
export function onStack(workspace: Workspace, stack: string | undefined): Workspace {
    return stack === undefined ? workspace : { ...workspace, env: { ...workspace.env, PULUMI_STACK: stack } };
}

/** Name of the stack in arguments of the CLI. Undefined if they name none. */
export function namedStack(args: readonly string[]): string | undefined {
    const index = args.findIndex((arg) => /^(--stack|-s)(=|$)/.test(arg));
    const [, inside] = /=(.*)/.exec(args[index] ?? "") ?? [];
    return index < 0 ? undefined : (inside ?? args[index + 1]);
}

/** Name of the stack that the CLI uses; undefined if none was selected. */
export async function selectedStack(workspace: Workspace): Promise<string | undefined> {
    return withStackFiles(workspace, () =>
        outputOf(CLI, ["stack", "--show-name", "--cwd", workspace.folder], workspace.env),
    );
}

/** Whether the backend has a stack. */
export async function hasStack(workspace: Workspace, stack: string): Promise<boolean> {
    const known = JSON.parse(await askPulumi(workspace, ["stack", "ls", "--json"])) as { name: string }[];
    // Backends with several users show the name of the owner too.
    return known.some(({ name }) => name === stack || name.endsWith(`/${stack}`));
}

/** Removes the file of a stack, and its copies. */
export function forgetStackFile({ folder }: Workspace, stack: string): void {
    new StackFiles(PROJECT, folder).forget(stack);
}

/** Reads values of the stack's config. */
export async function readConfig(workspace: Workspace): Promise<StackConfig> {
    const config = JSON.parse(await askPulumi(workspace, ["config", "--json"])) as {
        [key: string]: { value?: string; secret?: boolean };
    };
    const entry = (key: string) => config[key.includes(":") ? key : `${projectName()}:${key}`];
    return Object.assign((key: string) => entry(key)?.value, {
        isSecret: (key: string) => entry(key)?.secret === true,
    });
}

/** The project's name. */
export function projectName(): string {
    return (parse(read(join(PROJECT, "Pulumi.yaml"))) as { name: string }).name;
}

/** The backend in Pulumi's credentials file, if there is one. */
function currentLogin(): string | undefined {
    const file = join(PULUMI_HOME, "credentials.json");
    const current = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { current?: string }).current : "";
    return current === "" ? undefined : current;
}

async function withStackFiles<Result>({ folder }: Workspace, work: () => Promise<Result>): Promise<Result> {
    writeWhole(join(folder, "Pulumi.yaml"), projectFile());
    return new StackFiles(PROJECT, folder).with(work);
}

function read(file: string): string {
    return existsSync(file) ? readFileSync(file, "utf8") : "";
}
