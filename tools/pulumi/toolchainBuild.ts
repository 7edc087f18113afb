import {
    cpSync,
    linkSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    renameSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { GO_BUILD_FLAGS, goIn, type RunProgram } from "./goBuild";
import { LOGS, PROJECT } from "../paths";
import { outputOf, run } from "../machine/run";
import { draftOf, moveWhole } from "../machine/wholeFiles";
import { say, StepError } from "../cli/step";
import {
    byVendorsScript,
    CLI_FOLDER,
    CLI_VERSION,
    LANGUAGE_HOST_VERSION,
    missingParts,
    versionOf,
    type Missing,
    type Plugin,
} from "./toolchainParts";

/** Oldest Go that builds the toolchain. */
const GO_MINOR = 26;

/** The Go module of which the CLI, the plugins and the SDK generators are programs, below the project's folder. */
export const PROGRAMS_MODULE = join("tools", "toolchain", "programs");

/** Build tag of the programs: leaves Docker Compose out. */
export const PROGRAMS_TAG = "no_compose";

/** Go package of the CLI. */
export const CLI_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
const PLUGIN_PACKAGE = "./cmd/pulumi-resource";

/** Where programs are built to, and what runs Go. Both are replaced in tests. */
export interface Build {
    /** Runs a program. */
    run: RunProgram;
    /** Folder of the CLI and its language hosts. */
    programs: string;
}

/** Builds into Pulumi's own folder. */
export const BUILD: Build = { run, programs: CLI_FOLDER };

/** Builds missing parts of what a Pulumi program in TypeScript needs: the CLI, the Node.js language host, plugins. */
export async function buildFromModules({ cli, plugins }: Missing, build = BUILD): Promise<void> {
    say("building from Go modules instead: about 4 minutes on 2 cores the first time");
    await inWorkFolder(async (work) => {
        mkdirSync(build.programs, { recursive: true });
        const folder = await copyPrograms(work, build);
        const packages = [...(cli ? [CLI_PACKAGE] : []), ...(plugins.length > 0 ? [PLUGIN_PACKAGE] : [])];
        const names = [...(cli ? [`the CLI ${CLI_VERSION}`] : []), ...plugins.map(({ name }) => `the plugin ${name}`)];
        say(`building ${names.join(", ")}`);
        const built = await buildPrograms(folder, packages, join(work, "built"), build);
        if (cli) {
            moveProgram(join(built, "pulumi"), join(build.programs, "pulumi"));
            await buildNodejsHost(work, build);
        }
        await Promise.all(
            plugins.map((plugin) => installPlugin(work, folder, join(built, "pulumi-resource"), plugin, build)),
        );
    });
}

/**
 * Makes sure that Go modules can be built.
 *
 * @throws {StepError} with both remedies, if they can't.
 */
export async function requireGo(): Promise<void> {
    const go = await outputOf("go", ["env", "GOVERSION"]);
    const minor = Number(/^go1\.(\d+)/.exec(go ?? "")?.[1] ?? 0);
    if (minor < GO_MINOR) {
        throw new StepError(
            `Pulumi ${CLI_VERSION} can't be installed: the vendor's archives can't be had, and ` +
                `${go === undefined ? "there is no Go" : `${go} is too old`} to build it from Go modules. Either\n` +
                `  - install Go 1.${GO_MINOR} or newer and put it on PATH, or\n` +
                "  - have the vendor's own script install it, which nothing here verifies:\n" +
                `${byVendorsScript(missingParts())
                    .map((command) => `        ${command}\n`)
                    .join("")}then run this command again.`,
        );
    }
}

/** Runs an action with a folder that is removed afterwards. */
export async function inWorkFolder(work: (folder: string) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-toolchain-"));
    try {
        await work(folder);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/**
 * Copies the module of which the CLI, the plugins and the SDK generators are programs, and leaves Kubernetes out of it. In
 * one module they have the same versions of their dependencies, each of which is compiled once.
 */
export async function copyPrograms(work: string, build = BUILD): Promise<string> {
    const sources = join(PROJECT, "tools", "toolchain");
    const folder = join(work, "programs");
    cpSync(join(PROJECT, PROGRAMS_MODULE), folder, { recursive: true });
    const requirements = readFileSync(join(folder, "go.mod"), "utf8");
    refuseOtherCli(requirements, CLI_VERSION);
    const buildx = "github.com/docker/buildx";
    const version = new RegExp(`${buildx} (\\S+)`).exec(requirements)?.[1] ?? "";
    const copy = await copyModule(buildx, version, join(work, "buildx"), build);
    const driver = join(copy, "driver", "kubernetes");
    for (const name of readdirSync(driver).filter((name) => name.endsWith(".go"))) {
        rmSync(join(driver, name));
    }
    cpSync(join(sources, "withoutKubernetes"), driver, { recursive: true });
    await goIn(folder, ["mod", "edit", "-replace", `${buildx}=${copy}`], build.run);
    return folder;
}

/**
 * Refuses to build another version of the CLI than the npm package's, which would be kept under the wrong name.
 *
 * @param requirements Text of the module's go.mod.
 * @throws {StepError} with the remedy.
 */
export function refuseOtherCli(requirements: string, version: string): void {
    const [, required = "none"] = /github\.com\/pulumi\/pulumi\/pkg\/v3 v(\S+)/.exec(requirements) ?? [];
    if (required !== version) {
        throw new StepError(
            `tools/toolchain/programs/go.mod requires the CLI ${required}, and package.json pins ${version}: npm run pins raises both`,
        );
    }
}

/** Builds programs of that module at once, and returns the folder that contains them. */
export async function buildPrograms(
    folder: string,
    packages: string[],
    target: string,
    build = BUILD,
): Promise<string> {
    const versions = [
        ["Docker", "docker"],
        ["Random", "random"],
        ["TLS", "tls"],
    ].map(([variable, name]) => `-X programs/info.${variable}Version=${versionOf(`@pulumi/${name}`)}`);
    mkdirSync(target, { recursive: true });
    const flags = ["-tags", PROGRAMS_TAG, ...buildFlags(`v${CLI_VERSION}`, versions)];
    await goIn(folder, ["build", ...flags, "-o", `${target}/`, ...packages], build.run);
    return target;
}

/** Builds the Node.js language host with support for component packages, as newer ones have. */
export async function buildNodejsHost(work: string, build = BUILD): Promise<void> {
    say("building the Node.js language host");
    const sdk = "github.com/pulumi/pulumi/sdk/v3";
    const folder = await copyModule(sdk, LANGUAGE_HOST_VERSION, join(work, "host"), build);
    const program = join("nodejs", "cmd", "pulumi-language-nodejs");
    const source = join(folder, program, "main.go");
    const text = readFileSync(source, "utf8");
    writeFileSync(source, text.replace("(host *nodeLanguageHost) RunPlugin(", "(host *nodeLanguageHost) noRunPlugin("));
    cpSync(join(PROJECT, "tools", "toolchain", "nodejsHost"), join(folder, program), { recursive: true });
    await buildGo(folder, `./${program}`, join(build.programs, "pulumi-language-nodejs"), LANGUAGE_HOST_VERSION, build);
}

/** Builds a program of a Go module. */
export async function buildGo(
    folder: string,
    program: string,
    target: string,
    version: string,
    build = BUILD,
): Promise<void> {
    const built = draftOf(target);
    await goIn(folder, ["build", ...buildFlags(version), "-o", built, program], build.run);
    moveWhole(built, target);
}

function buildFlags(version: string, variables: string[] = []): string[] {
    const sdk = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`;
    const linked = ["-s", "-w", sdk, ...variables].join(" ");
    return ["-v", "-mod=readonly", "-trimpath", ...GO_BUILD_FLAGS, "-ldflags", linked];
}

/** Copies a program into its place, from another file system too. */
export function moveProgram(built: string, target: string): void {
    cpSync(built, draftOf(target));
    moveWhole(draftOf(target), target);
}

/** Downloads a Go module, verified against the checksum database, into a folder in which it can be built. */
export async function copyModule(module: string, version: string, folder: string, build = BUILD): Promise<string> {
    const answer = await goIn(tmpdir(), ["mod", "download", "-json", `${module}@${version}`], build.run);
    cpSync((JSON.parse(answer) as { Dir: string }).Dir, folder, { recursive: true });
    await build.run("chmod", ["-R", "u+w", folder]);
    return folder;
}

/** Installs a plugin: the program that all plugins share under the plugin's name, with the schema that it writes. */
async function installPlugin(
    work: string,
    module: string,
    program: string,
    { name, version }: Plugin,
    build: Build,
): Promise<void> {
    const [written, folder] = [join(work, `schema-${name}`), join(work, `plugin-${name}`)];
    await build.run(program, ["schema", name, "--out", written], { cwd: module, log: join(LOGS, "toolchain.log") });
    mkdirSync(folder);
    for (const file of ["schema.json", "bridge-metadata.json"]) {
        renameSync(join(written, file), join(folder, file));
    }
    linkSync(program, join(folder, `${basename(program)}-${name}`));
    const cli = join(build.programs, "pulumi");
    await build.run(cli, ["plugin", "install", "resource", name, version, "--file", folder]);
}
