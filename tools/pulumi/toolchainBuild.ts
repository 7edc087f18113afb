import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GO_BUILD_FLAGS, goBuildEnvironment } from "./goBuild";
import { LOGS, PROJECT } from "../paths";
import { outputOf, run } from "../machine/run";
import { say, StepError } from "../machine/step";
import {
    byVendorsScript,
    CLI,
    CLI_FOLDER,
    CLI_VERSION,
    LANGUAGE_HOST_VERSION,
    missingParts,
    PLUGIN_NAMES,
    versionOf,
    type Plugin,
} from "./toolchainParts";

/** Oldest Go that builds the toolchain. */
const GO_MINOR = 26;

export async function buildFromModules(cliThere: boolean, plugins: Plugin[]): Promise<void> {
    await requireGo();
    say("building from Go modules instead: about 15 minutes on 2 cores the first time");
    await inWorkFolder(async (work) => {
        if (!cliThere) {
            mkdirSync(CLI_FOLDER, { recursive: true });
            await buildCli(work);
            await buildNodejsHost(work);
        }
        await buildPlugins(work, plugins);
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

async function buildCli(work: string): Promise<void> {
    const version = `v${CLI_VERSION}`;
    say(`building the CLI ${version}`);
    await buildGo(await copyCliModules(work), "./cmd/pulumi", CLI, version);
}

/** Downloads the CLI's module, and its sibling that its go.mod refers to as `../sdk`. */
export async function copyCliModules(work: string): Promise<string> {
    const version = `v${CLI_VERSION}`;
    await copyModule("github.com/pulumi/pulumi/sdk/v3", version, join(work, "sdk"));
    return copyModule("github.com/pulumi/pulumi/pkg/v3", version, join(work, "pkg"));
}

/** Builds the Node.js language host with support for component packages, as newer ones have. */
export async function buildNodejsHost(work: string): Promise<void> {
    say("building the Node.js language host");
    const folder = await copyModule("github.com/pulumi/pulumi/sdk/v3", LANGUAGE_HOST_VERSION, join(work, "host"));
    const program = join("nodejs", "cmd", "pulumi-language-nodejs");
    const source = join(folder, program, "main.go");
    const text = readFileSync(source, "utf8");
    writeFileSync(source, text.replace("(host *nodeLanguageHost) RunPlugin(", "(host *nodeLanguageHost) noRunPlugin("));
    cpSync(join(PROJECT, "tools", "toolchain", "nodejsHost"), join(folder, program), { recursive: true });
    await buildGo(folder, `./${program}`, join(CLI_FOLDER, "pulumi-language-nodejs"), LANGUAGE_HOST_VERSION);
}

/** Builds a program of a Go module. A running process keeps its previous file. */
export async function buildGo(folder: string, program: string, target: string, version: string): Promise<void> {
    const flags = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${version}`;
    const built = `${target}.built`;
    await goIn(folder, [
        "build",
        "-v",
        "-mod=readonly",
        "-trimpath",
        ...GO_BUILD_FLAGS,
        "-ldflags",
        flags,
        "-o",
        built,
        program,
    ]);
    renameSync(built, target);
}

/** Downloads a Go module, verified against the checksum database, into a folder in which it can be built. */
export async function copyModule(module: string, version: string, folder: string): Promise<string> {
    const answer = await goIn(tmpdir(), ["mod", "download", "-json", `${module}@${version}`]);
    cpSync((JSON.parse(answer) as { Dir: string }).Dir, folder, { recursive: true });
    await run("chmod", ["-R", "u+w", folder]);
    return folder;
}

async function buildPlugins(work: string, plugins: Plugin[]): Promise<void> {
    const folder = join(work, "plugins");
    cpSync(join(PROJECT, "tools", "toolchain", "plugins"), folder, { recursive: true });
    // A plugin embeds files that are generated from its own mapping, so placeholders have to exist at first.
    for (const name of PLUGIN_NAMES) {
        writeFileSync(join(folder, "info", `meta-${name}.json`), "{}");
    }
    const versions = [
        ["Docker", "docker"],
        ["Random", "random"],
        ["TLS", "tls"],
    ].map(([variable, name]) => `-X plugins/info.${variable}Version=${versionOf(`@pulumi/${name}`)}`);
    const flags = [
        "-tags",
        "no_compose",
        "-trimpath",
        ...GO_BUILD_FLAGS,
        "-ldflags",
        ["-s", "-w", ...versions].join(" "),
    ];
    const schema = join(work, "schema");
    say("building the plugins' schema generator");
    await goIn(folder, ["build", "-v", ...flags, "-o", schema, "./cmd/schema"]);
    for (const { name, version } of plugins) {
        say(`building the plugin ${name} ${version}`);
        const out = join(work, `schema-${name}`);
        await run(schema, [name, "--out", out], { cwd: folder, log: join(LOGS, "toolchain.log") });
        cpSync(join(out, "schema.json"), join(folder, "cmd", `pulumi-resource-${name}`, "schema.json"));
        cpSync(join(out, "bridge-metadata.json"), join(folder, "info", `meta-${name}.json`));
        const target = join(work, `pulumi-resource-${name}`);
        await goIn(folder, ["build", "-v", ...flags, "-o", target, `./cmd/pulumi-resource-${name}`]);
        await run(CLI, ["plugin", "install", "resource", name, version, "--file", target]);
    }
}

function goIn(cwd: string, args: string[]): Promise<string> {
    return run("go", args, {
        cwd,
        log: join(LOGS, "toolchain.log"),
        env: goBuildEnvironment(),
    });
}
