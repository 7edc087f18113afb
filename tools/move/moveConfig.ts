import { join, relative } from "node:path";
import { runAttached } from "../machine/run";
import { writeWhole } from "../machine/wholeFiles";
import { StepError } from "../cli/step";
import { LOCAL, PROJECT } from "../paths";
import { askPulumi, onStack, readConfig, selectedStack, type Workspace } from "../pulumi/workspace";
import type { Move } from "./copySteps";

/**
 * Sets the move in the config of the first stack, and updates that stack: its proxies load it without an interruption.
 *
 * @param done Whether the config alone decides from now on that all clients are moved.
 */
export async function configureMove(workspace: Workspace, move: Move, done: boolean): Promise<void> {
    const { near, far } = move;
    const file = join(LOCAL, `${far.stack}-ca.pem`);
    if (far.caCertificate !== "") {
        writeWhole(file, far.caCertificate);
    }
    const value = moveValue(move, far.caCertificate === "" ? undefined : relative(PROJECT, file), done);
    const ofStack = onStack(workspace, near.stack);
    if ((await readConfig(ofStack))("move") !== value) {
        // In one write: a config without it would lead the clients back to this store.
        await askPulumi(ofStack, ["config", "set", "move", value]);
    }
    await deploy(workspace, near.stack);
}

/** The value of the config key `move`, as JSON. */
export function moveValue(
    { far, addresses, record }: Pick<Move, "far" | "addresses" | "record">,
    certificatesFile: string | undefined,
    done: boolean,
): string {
    return JSON.stringify({
        name: record.name,
        to: addresses.map((address) => `${address}:${far.httpsPort}`),
        trustedCertificates: certificatesFile && { file: certificatesFile },
        done: done || undefined,
    });
}

/** Removes the move from the config of a stack, and updates it. */
export async function forgetMove(workspace: Workspace, stack: string): Promise<void> {
    const ofStack = onStack(workspace, stack);
    if ((await readConfig(ofStack))("move") !== undefined) {
        await askPulumi(ofStack, ["config", "rm", "move"]);
    }
    await deploy(workspace, stack);
}

/** Runs `npm run up` for a stack. The selected stack stays selected. */
async function deploy(workspace: Workspace, stack: string): Promise<void> {
    const selected = await selectedStack(workspace);
    const command = ["--import", "tsx", join(PROJECT, "tools", "commands", "up.ts"), "--stack", stack];
    const code = await runAttached(process.execPath, command, { cwd: PROJECT, env: process.env });
    if (selected !== undefined) {
        await askPulumi(workspace, ["stack", "select", selected]);
    }
    if (code !== 0) {
        throw new StepError(`the update of ${stack} failed: correct the cause, then run this command again`);
    }
}
