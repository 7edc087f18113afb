import type Docker from "dockerode";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { adoptStore, storeOn, type AdoptedStore } from "./adoptedStore";
import { commandsFor, stackOf } from "./adoptedStack";
import { programOf } from "./storeCommand";
import { containersOf, readContainer, type FoundContainer } from "./foundContainer";
import { findOrStartDocker } from "../machine/dockerDaemon";
import { namedEngine } from "../stack/namedEngine";
import { say, step, StepError, UsageError } from "../cli/step";
import { writeWhole } from "../machine/wholeFiles";
import { PROJECT } from "../paths";
import { preparePulumi } from "../pulumi/toolchain";
import { askPulumi, findWorkspace, forgetStackFile, hasStack, onStack, projectName } from "../pulumi/workspace";

const STACK_NAME = /^[A-Za-z0-9_.-]{1,100}$/;

/** Options of `npm run adopt`. */
export interface AdoptOptions {
    stack: string;
    container?: string[];
    compose?: string;
    volume?: string[];
    path?: string[];
    store?: string;
    image?: string;
}

/** Writes a stack for a store that was started by other means. Changes nothing on the engine. Returns the exit code. */
export async function adopt(desired: AdoptOptions): Promise<number> {
    const { stack } = desired;
    if (!STACK_NAME.test(stack)) {
        throw new UsageError(`--stack "${stack}" is no name: name the stack to write, as prod`);
    }
    const ways = [desired.container, desired.compose, desired.volume ?? desired.path];
    if (ways.filter((way) => way !== undefined).length !== 1) {
        throw new UsageError(
            "name the store by --container NAME, once for each node, by --compose PROJECT, or by its drives: --store minio with " +
                "--volume NAME or --path FOLDER, once for each drive, and the root keys on the standard input",
        );
    }
    if (ways[2] === undefined && (desired.store ?? desired.image) !== undefined) {
        throw new UsageError(
            "--store and --image are for drives that are named: a container has its own store and image",
        );
    }
    const file = join(PROJECT, `Pulumi.${stack}.yaml`);
    if (existsSync(file)) {
        throw new StepError(`${file} is there already: give another stack, or move the file away`);
    }
    process.env["DOCKER_HOST"] = await step("Docker", findOrStartDocker);
    const docker = await namedEngine();
    const store = await step("Store", () =>
        ways[2] === undefined ? inContainers(docker, desired) : onDrives(desired),
    );
    say(`taking ${store.profile.name}, ${store.image}`);
    await step("Pulumi", preparePulumi);
    const workspace = findWorkspace();
    if (await hasStack(workspace, stack)) {
        throw new StepError(`the backend has a stack ${stack} already: give another name`);
    }
    const { values, secrets } = stackOf(store);
    await step("Stack", async () => {
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
        } catch (error) {
            await askPulumi(workspace, ["stack", "rm", "--yes", stack]).catch(() => undefined);
            forgetStackFile(workspace, stack);
            throw error;
        }
        say(`wrote ${file}`);
    });
    console.log(textOf(store, stack));
    return 0;
}

async function inContainers(docker: Docker, { container, compose = "" }: AdoptOptions): Promise<AdoptedStore> {
    const named = container ?? (await containersOf(docker, compose));
    const containers = await Promise.all(named.map((name) => readContainer(docker, name)));
    return adoptStore(container === undefined ? containers.filter(isStore) : containers);
}

function onDrives({ store, image, volume = [], path = [] }: AdoptOptions): Promise<AdoptedStore> {
    const drives = [...volume.map((name) => ({ volume: name })), ...path.map((folder) => ({ path: folder }))];
    // A terminal would show the secret.
    const keys = process.stdin.isTTY ? "" : readFileSync(0, "utf8");
    return Promise.resolve().then(() => storeOn({ store, image, drives }, keys));
}

/** Whether a container of a compose project is a store, and no proxy or client. */
function isStore({ args, variables, imageVariables }: FoundContainer): boolean {
    return (
        programOf(args) !== undefined ||
        Object.keys({ ...variables, ...imageVariables }).some((name) => /^(MINIO|RUSTFS)_/.test(name))
    );
}

function textOf(store: AdoptedStore, stack: string): string {
    const { forth, back } = commandsFor(store, stack);
    const indented = (lines: string[]) => lines.map((line) => `    ${line}`).join("\n");
    const left = store.leftOut.length === 0 ? "" : `\nNot in the stack:\n${indented(store.leftOut)}\n`;
    return (
        `\nNothing was changed on the engine. The root keys are in Pulumi.${stack}.yaml, encrypted. Read that file: hostnames, ports\n` +
        `and the certificate are the defaults unless it has others (docs/configuration.md).\n${left}\n` +
        `To deploy the store, with an outage until the last of these has ended:\n\n${indented(forth)}\n\n` +
        `The way back, with the profile of now (if it was changed since, an update has to change it back first):\n\n${indented(back)}\n`
    );
}
