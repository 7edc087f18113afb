import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Folder of a file backend; undefined for other backends, and for a relative path. */
export function backendFolder(backend: string): string | undefined {
    const [, path] = /^file:\/\/([/~][^?]*)/.exec(backend) ?? [];
    return path === undefined ? undefined : join(path.replace(/^~/, homedir()), ".pulumi");
}

/** Removes what a file backend keeps of a stack that was removed: former states, with their secrets, and its history. */
export function removeRemains(backend: string, project: string, stack: string): void {
    const folder = backendFolder(backend);
    if (folder === undefined) {
        return;
    }
    const former = join("stacks", project, `${stack}.json.bak`);
    const folders = ["backups", "history", join("locks", "organization")].map((name) => join(name, project, stack));
    for (const path of [former, `${former}.attrs`, ...folders]) {
        rmSync(join(folder, path), { recursive: true, force: true });
    }
}

/**
 * Removes incomplete file attributes from a file backend. Pulumi writes each file in one step, but its attributes
 * (`….attrs`) in two: if it is killed in between, it can't read that file again ("failed to load checkpoint: EOF"). A
 * file without attributes is valid.
 */
export function removeBrokenDescriptions(backend: string): void {
    const folder = backendFolder(backend);
    if (folder === undefined || !existsSync(folder)) {
        return;
    }
    readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".attrs"))
        .map((name) => join(folder, name))
        .filter((file) => isBroken(file))
        .forEach((file) => rmSync(file, { force: true }));
}

function isBroken(file: string): boolean {
    try {
        JSON.parse(readFileSync(file, "utf8"));
        return false;
    } catch (error) {
        return error instanceof SyntaxError;
    }
}
