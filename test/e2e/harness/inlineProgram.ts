import { join } from "node:path";
import type { ObjectStoreArgs } from "../../../components";
import { PROJECT } from "../../../tools/paths";
import { finishedCommand } from "./finishedCommand";

/** Updates a stack by a function as its program, with each of several args. */
export const INLINE_PROGRAM = join(PROJECT, "test", "e2e", "programs", "automation.ts");

/** How an update has ended. */
export interface EndedUpdate {
    succeeded: boolean;
    output: string;
}

/**
 * Runs updates in one process, one after the other. Fails if they don't end.
 *
 * @param command Arguments of Node.js that run {@link INLINE_PROGRAM}.
 * @param state Folder with the state of the stack.
 */
export function inlineUpdates(
    folder: string,
    command: readonly string[],
    state: string,
    updates: readonly ObjectStoreArgs[],
): EndedUpdate[] {
    const { stdout } = finishedCommand(folder, process.execPath, [...command, "test", JSON.stringify(updates)], {
        PULUMI_BACKEND_URL: `file://${state}`,
        PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
        PULUMI_SKIP_UPDATE_CHECK: "true",
    });
    return stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as EndedUpdate);
}
