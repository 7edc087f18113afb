import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../paths";

/** Folders with what the project's own plugin is bundled from. */
const SOURCES = ["components", join("plugin", "resources")];

/**
 * Bundles the project's own plugin, as `npm ci` does, if a source is newer than the bundle: after `git pull`, or a change.
 *
 * @returns Whether it did.
 */
export function bundlePlugin(project = PROJECT): boolean {
    const bundled = timeOf(join(project, "plugin", "dist", "index.js"));
    const files = SOURCES.flatMap((folder) =>
        readdirSync(join(project, folder), { recursive: true, encoding: "utf8" }).map((file) =>
            join(project, folder, file),
        ),
    );
    const ofPlugin = readdirSync(join(project, "plugin")).filter((name) => /\.(ts|js|json)$/.test(name));
    files.push(...ofPlugin.map((name) => join(project, "plugin", name)));
    if (files.every((file) => timeOf(file) <= bundled)) {
        return false;
    }
    execFileSync(process.execPath, [join(project, "plugin", "bundle.js")], { stdio: "inherit" });
    return true;
}

/** When a file was last changed. 0 if there is none. */
function timeOf(file: string): number {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
