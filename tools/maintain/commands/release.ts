import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { namedEngine } from "../../stack/namedEngine";
import { findOrInstallPython } from "../../machine/python";
import { run } from "../../machine/run";
import { main, say, step, StepError } from "../../cli/step";
import { LOCAL, PROJECT } from "../../paths";
import { prepareOtherLanguages } from "../../pulumi/languageHosts";
import { preparePulumi } from "../../pulumi/toolchain";
import { unreleasedVersion } from "../release/changelog";
import { CONSUMERS, tryConsumer } from "../release/consumers";
import { packageManifest } from "../release/packageManifest";
import { packedReadme } from "../release/packedReadme";
import { checkRelease } from "../release/releaseChecks";
import { cloneCheckout, commitRelease, raiseVersion, tagOf, takeOver } from "../release/releaseCopy";
import { releaseReport, type Packed } from "../release/releaseReport";

const OPTIONS = {
    "dry-run": { type: "boolean", default: false },
    "skip-checks": { type: "boolean", default: false },
} as const;

const CHECKS = ["lint", "typecheck", "test:unit"];

// npm run release [-- VERSION] [-- --dry-run [--skip-checks]]: makes a release in a copy of the checkout: raises the
// version in all places, checks, packs, and installs what it packed. Without --dry-run, the checkout then gets the commit
// and its tag. It publishes nothing: it prints the commands that do.
void main(async () => {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const { "dry-run": dryRun, "skip-checks": skipChecks } = values;
    if (positionals.length > 1 || (skipChecks && !dryRun)) {
        throw new StepError("usage: npm run release -- [VERSION] [--dry-run [--skip-checks]]");
    }
    const version = await step("Checkout", () => checkedVersion(positionals[0], dryRun));
    await step("Pulumi", preparePulumi);
    await step("Pulumi for YAML, Python and Go", prepareOtherLanguages);
    await step("Python", findOrInstallPython);
    const engine = await answers();
    const work = mkdtempSync(join(tmpdir(), "release-"));
    try {
        const copy = join(work, "copy");
        const changed = await step(`Version ${version}, in a copy`, async () => {
            await cloneCheckout(PROJECT, copy);
            await raiseVersion(copy, version, new Date().toISOString().slice(0, 10));
            return commitRelease(copy, version);
        });
        for (const check of skipChecks ? [] : CHECKS) {
            await step(`npm run ${check}`, () => run("npm", ["run", check], { cwd: copy }));
        }
        const packed = await step("npm pack", () => pack(copy, work));
        const tagged = join(work, "tagged");
        await run("git", ["clone", "--quiet", "--branch", tagOf(version), copy, tagged]);
        if (!engine) {
            say("no Docker daemon answers: the consumers' programs are compiled, and not previewed");
        }
        const release = { tarball: packed.file, tagged, folder: join(work, "consumers"), engine };
        for (const consumer of CONSUMERS) {
            await step(`A consumer in ${consumer.language}`, () => tryConsumer(consumer, release));
        }
        const folder = join(LOCAL, "release");
        if (!dryRun) {
            await takeOver(PROJECT, copy, version);
            mkdirSync(folder, { recursive: true });
            cpSync(packed.file, join(folder, packed.name));
        }
        const readme = readFileSync(join(tagged, "README.md"), "utf8");
        const manifest = packageManifest(tagged);
        const path = relative(PROJECT, join(folder, packed.name));
        console.log(`\n${releaseReport({ manifest, packed: { ...packed, file: path }, changed, readme, dryRun })}`);
    } finally {
        rmSync(work, { recursive: true, force: true });
    }
    return 0;
});

/** The version to release. @throws {StepError} with all reasons why it can't be released. */
async function checkedVersion(asked: string | undefined, dryRun: boolean): Promise<string> {
    const git = async (...args: string[]) =>
        (await run("git", ["-C", PROJECT, ...args])).split("\n").filter((line) => line !== "");
    const [branch = ""] = await git("rev-parse", "--abbrev-ref", "HEAD");
    const { version, problems } = checkRelease({
        version: asked,
        current: packageManifest(PROJECT).version,
        unreleased: unreleasedVersion(readFileSync(join(PROJECT, "CHANGELOG.md"), "utf8")),
        tags: await git("tag"),
        branch,
        changes: (await git("status", "--porcelain")).map((line) => line.slice(3)),
        dryRun,
    });
    if (problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    return version;
}

/** Whether a Docker engine answers. */
async function answers(): Promise<boolean> {
    const docker = await namedEngine();
    return docker.ping().then(
        () => true,
        () => false,
    );
}

/** Packs the copy, with a README whose links work outside of the repository. */
async function pack(copy: string, folder: string): Promise<Packed> {
    const readme = join(copy, "README.md");
    const text = readFileSync(readme, "utf8");
    writeFileSync(readme, packedReadme(text, packageManifest(copy)));
    const output = await run("npm", ["pack", "--silent", "--json", "--pack-destination", folder], { cwd: copy });
    writeFileSync(readme, text);
    const [packed] = JSON.parse(output.slice(output.indexOf("["))) as {
        filename: string;
        size: number;
        entryCount: number;
    }[];
    if (packed === undefined) {
        throw new Error(`npm pack packed nothing: ${output}`);
    }
    const { filename, size, entryCount } = packed;
    return { file: join(folder, filename), name: filename, size, files: entryCount };
}
