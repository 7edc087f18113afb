import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { StepError } from "../cli/step";
import { PROJECT } from "../paths";

/** What the project's own plugin is bundled from: folders with all that is in them, except {@link BUNDLE}. */
const SOURCES = ["components", "config", "plugin", join("tools", "maintain", "copyScripts.js")];

const BUNDLE = join("plugin", "dist");

/**
 * Bundles the project's own plugin, as `npm ci` does, if a source is newer than the bundle: after `git pull`, or a change.
 *
 * @returns Whether it did.
 * @throws {StepError} if that fails.
 */
export function bundlePlugin(project = PROJECT): boolean {
    const bundled = timeOf(join(project, BUNDLE, "index.js"));
    if (pluginSources(project).every((file) => timeOf(join(project, file)) <= bundled)) {
        return false;
    }
    try {
        execFileSync(process.execPath, [join(project, "plugin", "bundle.js")], {
            stdio: ["ignore", "ignore", "inherit"],
        });
    } catch (error) {
        throw new StepError(
            `node plugin/bundle.js failed: correct the cause that it names, or run npm ci (${(error as Error).message})`,
        );
    }
    return true;
}

/** As {@link bundlePlugin}, but goes on with the earlier bundle, and says so, if that fails: a store can then still be removed. */
export function bundlePluginIfPossible(project = PROJECT): void {
    try {
        bundlePlugin(project);
    } catch (error) {
        if (!existsSync(join(project, BUNDLE, "index.js"))) {
            throw error;
        }
        console.error(
            `The plugin for buckets, policies and access keys could not be bundled: the earlier bundle is used. ${(error as Error).message}`,
        );
    }
}

/** Paths of all files that the bundle may be made from, relative to the project. */
export function pluginSources(project = PROJECT): string[] {
    return SOURCES.flatMap((source) => filesIn(project, source));
}

function filesIn(project: string, path: string): string[] {
    const found = statSync(join(project, path), { throwIfNoEntry: false });
    if (found?.isDirectory() !== true) {
        return found === undefined ? [] : [path];
    }
    return readdirSync(join(project, path))
        .filter((name) => name !== "node_modules" && !join(path, name).startsWith(BUNDLE))
        .flatMap((name) => filesIn(project, join(path, name)));
}

/** When a file was last changed. 0 if there is none. */
function timeOf(file: string): number {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
