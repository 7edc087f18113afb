import { mkdtempSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { StepError } from "../cli/step";
import { backendFolder } from "./backendFiles";
import { exportState, type ExportedState } from "./stackState";
import { whileNobodyUpdates } from "./updateLock";
import { askPulumi, onStack, type Workspace } from "./workspace";

/**
 * Changes a stack's state while nobody updates the stack. What somebody else has recorded meanwhile is never replaced: in a file backend
 * all of it happens under one lock; in a bucket or a service, where the CLI alone can lock, and only for the import itself, the state
 * is compared directly before that.
 *
 * @param change Returns the changed state. Undefined if nothing is to change.
 * @throws {StepError} if somebody else updates the stack, or has changed the state meanwhile.
 */
export async function changeState(
    workspace: Workspace,
    stack: string,
    change: (state: ExportedState) => Promise<ExportedState | undefined> | ExportedState | undefined,
): Promise<void> {
    // The CLI knows the selected stack by the address of its backend, which is another one for the import.
    const ofStack = onStack(workspace, stack);
    const work = async () => {
        const before = await exportState(ofStack);
        const changed = await change(structuredClone(before));
        if (changed === undefined) {
            return;
        }
        if (!isDeepStrictEqual(await exportState(ofStack), before)) {
            throw new StepError(
                `somebody else has changed the state of the stack ${stack} meanwhile, so it was left as it is: run this command again`,
            );
        }
        await importState(ofStack, changed);
    };
    await whileNobodyUpdates(workspace, stack, work);
}

/** Replaces the stack's state by a changed export of it. */
async function importState(workspace: Workspace, state: ExportedState): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "state-"));
    const file = join(folder, "state.json");
    writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
    try {
        await askPulumi(withoutLocks(workspace, folder), ["stack", "import", "--file", file]);
    } finally {
        rmSync(folder, { recursive: true });
    }
}

/** A file backend as the CLI sees it without locks: the import takes one itself, and this process holds one. */
function withoutLocks(workspace: Workspace, folder: string): Workspace {
    const real = backendFolder(workspace.backend);
    if (real === undefined) {
        return workspace;
    }
    const seen = join(folder, "backend", ".pulumi");
    mkdirSync(seen, { recursive: true });
    readdirSync(real)
        .filter((name) => name !== "locks")
        .forEach((name) => symlinkSync(join(real, name), join(seen, name)));
    const backend = workspace.backend.replace(/^file:\/\/[^?]*/, `file://${join(folder, "backend")}`);
    return { ...workspace, env: { ...workspace.env, PULUMI_BACKEND_URL: backend } };
}
