import type Docker from "dockerode";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { localHost } from "../../components/docker/localHost";
import { DEFAULT_HAPROXY_IMAGE } from "../../components/haproxyConfig/image";
import { findStore, type NamedStore } from "./adoption";
import { commandsFor, stackOf, type AdoptedStack } from "./adoptedStack";
import type { AdoptedStore } from "./adoptedStore";
import { previewStack } from "./stackPreview";
import { hasImage } from "../images/engineImages";
import { findOrStartDocker } from "../machine/dockerDaemon";
import { namedEndpoint, namedEngine } from "../stack/namedEngine";
import { say, step, StepError } from "../cli/step";
import { writeWhole } from "../machine/wholeFiles";
import { PROJECT } from "../paths";
import { preparePulumi } from "../pulumi/toolchain";
import {
    askPulumi,
    findWorkspace,
    forgetStackFile,
    hasStack,
    onStack,
    projectName,
    type Workspace,
} from "../pulumi/workspace";

const STACK_NAME = /^[A-Za-z0-9_.-]{1,100}$/;

/** Options of `npm run adopt`. */
export interface AdoptOptions {
    /** The stack to write. */
    stack?: string;
    /** Containers of the store's nodes. */
    container?: string[];
    /** Compose project whose containers they are. */
    compose?: string;
    /** Drives of a store without a container: volumes, or folders. */
    volume?: string[];
    path?: string[];
    /** Store of these drives. */
    store?: string;
    /** Image in place of the store's own. */
    image?: string;
    /** Hostnames in place of the store's own. */
    s3Host?: string;
    consoleHost?: string;
    /** Config in place of, or beside, what the store has: `KEY=VALUE`, with a value in YAML. */
    config?: string[];
}

/**
 * Writes a stack for a MinIO or RustFS that was started by other means, on the drives that it has, and prints the commands that deploy it.
 * Changes nothing on the engine.
 *
 * @throws {StepError} with every reason why the store can't be deployed. Then nothing was written.
 */
export async function adopt(desired: AdoptOptions): Promise<number> {
    const { stack, named, more } = checkOptions(desired);
    const file = join(PROJECT, `Pulumi.${stack}.yaml`);
    if (existsSync(file)) {
        throw new StepError(
            `${file} is there already: edit it, or give another stack. To begin again, remove the file and its stack: npm run pulumi -- stack rm --yes ${stack}`,
        );
    }
    process.env["DOCKER_HOST"] = await step("Docker", findOrStartDocker);
    const docker = await namedEngine();
    const host = namedEndpoint().kind === "socket" ? localHost : undefined;
    const store = await step("Store", () => findStore(docker, named, desired, host));
    say(`taking ${store.profile.name}, ${store.image}`);
    await step("Pulumi", preparePulumi);
    const workspace = findWorkspace();
    if (await hasStack(workspace, stack)) {
        throw new StepError(
            `the backend has a stack ${stack} already: give another name, or remove it: npm run pulumi -- stack rm --yes ${stack}`,
        );
    }
    const { haproxyImage = DEFAULT_HAPROXY_IMAGE } = more;
    await step("Stack", () => writeStack(workspace, stack, stackOf(store, more), store));
    say(`wrote ${file}`);
    console.log(textOf(store, stack, await missingImages(docker, [store.image, String(haproxyImage)])));
    return 0;
}

/** @throws {StepError} with every option that is wrong. */
function checkOptions(desired: AdoptOptions): { stack: string; named: NamedStore; more: { [key: string]: unknown } } {
    const { stack = "", container, compose, volume, path, store, config = [] } = desired;
    const problems: string[] = [];
    if (!STACK_NAME.test(stack)) {
        problems.push(
            `--stack ${stack === "" ? "is missing" : `"${stack}" is no name`}: name the stack to write, as prod`,
        );
    }
    if ([container, compose, volume ?? path].filter((way) => way !== undefined).length !== 1) {
        problems.push(
            "name the store by --container NAME, once for each node, by --compose PROJECT, or by its drives: --store minio with " +
                "--volume NAME or --path FOLDER, once for each drive, and the root keys on the standard input",
        );
    }
    if ((volume ?? path) === undefined && store !== undefined) {
        problems.push("--store is for drives that are named: a container has its own store");
    }
    const entries = config.map((entry) => /^([A-Za-z]\w*)=([^]*)$/.exec(entry)?.slice(1));
    problems.push(
        ...config
            .filter((_, index) => entries[index] === undefined)
            .map(
                (entry) =>
                    `--config "${entry}": give KEY=VALUE, as httpsPort=8443, with a key of docs/reference/configuration.md`,
            ),
    );
    if (problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    return {
        stack,
        named: namedBy(desired),
        more: Object.fromEntries(entries.map(([key = "", value = ""] = []) => [key, parse(value) as unknown])),
    };
}

function namedBy({ container, compose, volume = [], path = [], store }: AdoptOptions): NamedStore {
    if (container !== undefined) {
        return { containers: container };
    }
    if (compose !== undefined) {
        return { project: compose };
    }
    const drives = [...volume.map((name) => ({ volume: name })), ...path.map((folder) => ({ path: folder }))];
    // A terminal would show the secret.
    return { store, drives, keys: process.stdin.isTTY ? "" : readFileSync(0, "utf8") };
}

/**
 * Writes a stack with its file, and tries whether it could be deployed but for the store that still runs.
 *
 * @throws {StepError} with the reasons if it couldn't. Then there is no stack and no file.
 */
async function writeStack(
    workspace: Workspace,
    stack: string,
    { values, secrets }: AdoptedStack,
    { pools }: AdoptedStore,
): Promise<void> {
    const file = join(PROJECT, `Pulumi.${stack}.yaml`);
    const entries = Object.entries(values).map(([key, value]) => [`${projectName()}:${key}`, value] as const);
    writeWhole(file, stringify({ config: {} }));
    try {
        await askPulumi(workspace, ["stack", "init", stack, "--no-select"]);
        for (const [key, value] of Object.entries(secrets)) {
            await askPulumi(onStack(workspace, stack), ["config", "set", "--secret", key], value);
        }
        // Last: a stack with these drives and without their root keys would get others.
        const whole = parse(readFileSync(file, "utf8")) as { config: object };
        writeWhole(file, stringify({ ...whole, config: { ...Object.fromEntries(entries), ...whole.config } }));
        const stopped = pools.flat().flatMap(({ container }) => container?.name ?? []);
        const { problems, warnings } = await previewStack(workspace, stack, stopped);
        if (problems.length > 0) {
            throw new StepError(
                `${problems.join("\n")}\nNo stack was written. Another value for a key is given by --config KEY=VALUE`,
            );
        }
        warnings.forEach((warning) => say(`warning: ${warning}`));
    } catch (error) {
        await askPulumi(workspace, ["stack", "rm", "--yes", stack]).catch(() => undefined);
        forgetStackFile(workspace, stack);
        throw error;
    }
}

/** Images that the engine doesn't have yet. */
async function missingImages(docker: Docker, references: string[]): Promise<string[]> {
    const there = await Promise.all(references.map((reference) => hasImage(docker, reference)));
    return references.filter((_, index) => there[index] === false);
}

function textOf(store: AdoptedStore, stack: string, pulled: string[]): string {
    const { forth, back } = commandsFor(store, stack, pulled);
    const indented = (lines: string[]) => lines.map((line) => `    ${line}`).join("\n");
    const notes =
        store.notes.length === 0 ? "" : `\nWhat differs from the store as it runs:\n${indented(store.notes)}\n`;
    return (
        `\nNothing was changed on the Docker daemon. The root keys are in Pulumi.${stack}.yaml, encrypted. Read that file: hostnames, ports\n` +
        `and the certificate are the defaults unless it has others (docs/reference/configuration.md). After a change of it, run\n` +
        `npm run pulumi -- preview --stack ${stack}: the only thing it may refuse is that the drives are in use.\n${notes}\n` +
        `To deploy the store, with an outage until the last of these has ended:\n\n${indented(forth)}\n\n` +
        `The way back. After a migration to another store, npm run migrate -- --back --stack ${stack} comes first:\n\n${indented(back)}\n`
    );
}
