import { join } from "node:path";
import type { ObjectStoreArgs } from "../../../components";
import { PROJECT } from "../../../tools/paths";
import { failedCommand } from "./failedCommand";
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

/** Expects that an update has succeeded. @throws {Error} with its output, if not. */
export function expectUpdated(update: EndedUpdate | undefined): void {
    if (update?.succeeded !== true) {
        throw failedCommand("the update", "a failure", update?.output ?? "there was none");
    }
}

/** Expects that an update has failed. @throws {Error} with its output, if it succeeded or doesn't give the reason. */
export function expectNotUpdated(update: EndedUpdate | undefined, reason: RegExp): void {
    if (update?.succeeded !== false || !reason.test(update.output)) {
        const what = `the update, which must fail with ${String(reason)},`;
        throw failedCommand(what, update?.succeeded === false ? "another failure" : "success", update?.output ?? "");
    }
}
