import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExportedState } from "./stackState";
import { askPulumi, type Workspace } from "./workspace";

/** Replaces the stack's state by a changed export of it. */
export async function importState(workspace: Workspace, state: ExportedState): Promise<void> {
    const file = join(workspace.folder, "state.json");
    writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
    try {
        await askPulumi(workspace, ["stack", "import", "--file", file]);
    } finally {
        rmSync(file);
    }
}
