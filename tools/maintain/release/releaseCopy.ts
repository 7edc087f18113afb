import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf, run } from "../../machine/run";
import { progress } from "../../cli/step";
import { datedChangelog } from "./changelog";
import { packageManifest } from "./packageManifest";
import { FILES_WITH_FACTS, withFacts } from "./repeatedFacts";

/** The name of a version's tag. Pulumi looks for it under this name. */
export const tagOf = (version: string) => `v${version}`;

/** Clones the current commit of a checkout into a folder, with the checkout's author. Nothing is changed in it. */
export async function cloneCheckout(checkout: string, copy: string): Promise<void> {
    await run("git", ["clone", "--quiet", "--no-hardlinks", checkout, copy]);
    for (const key of ["user.name", "user.email"]) {
        const value = await outputOf("git", ["-C", checkout, "config", key]);
        if (value !== undefined && value !== "") {
            await run("git", ["-C", copy, "config", key, value]);
        }
    }
}

/**
 * Raises the version in each place of a copy, installs its dependencies from the lockfile, and writes what is generated
 * from the version.
 */
export async function raiseVersion(copy: string, version: string, date: string): Promise<void> {
    const edit = (file: string, change: (text: string) => string) => {
        const path = join(copy, file);
        writeFileSync(path, change(readFileSync(path, "utf8")));
    };
    edit("package.json", (text) => text.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`));
    edit("CHANGELOG.md", (text) => datedChangelog(text, version, date));
    const manifest = packageManifest(copy);
    FILES_WITH_FACTS.forEach((file) => edit(file, (text) => withFacts(file, text, manifest)));
    progress("npm ci, npm run schema, npm run docs");
    await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: copy });
    await run("npm", ["run", "schema"], { cwd: copy });
    // The components' pages are written from the schema.
    await run("npm", ["run", "docs"], { cwd: copy });
}

/** Commits and tags a copy's changes. Returns the changed files. */
export async function commitRelease(copy: string, version: string): Promise<string[]> {
    const git = (...args: string[]) => run("git", ["-C", copy, ...args]);
    await git("commit", "--quiet", "--allow-empty", "--all", "--message", `Release ${version}`);
    await git("tag", "--annotate", "--message", `Release ${version}`, tagOf(version));
    const files = await git("diff", "--name-only", "HEAD~", "HEAD");
    return files.split("\n").filter((file) => file !== "");
}

/** Takes the commit and the tag of a copy over into the checkout it was made from. */
export async function takeOver(checkout: string, copy: string, version: string): Promise<void> {
    const git = (...args: string[]) => run("git", ["-C", checkout, ...args]);
    const tag = `refs/tags/${tagOf(version)}`;
    await git("fetch", "--quiet", copy, `${tag}:${tag}`);
    await git("merge", "--quiet", "--ff-only", tagOf(version));
}
