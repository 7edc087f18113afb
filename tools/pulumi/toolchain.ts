import {
    accessSync,
    constants,
    cpSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    renameSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { announce, type Installation } from "../machine/installation";
import { GO_BUILD_FLAGS, goBuildEnvironment } from "./goBuild";
import { LOGS, PROJECT, PULUMI_HOME } from "../paths";
import { outputOf, run } from "../machine/run";
import { say, StepError } from "../machine/step";
import { cliArchive, fetchPinned, isPinned, pinnedDigests, pluginArchive, VENDOR_SECONDS } from "./vendorArchives";

/** A plugin and its version, as the npm package of the same name pins it. */
interface Plugin {
    name: string;
    version: string;
}

/** The last version of the SDK's Go module that holds the language hosts for Node.js and Python. */
export const LANGUAGE_HOST_VERSION = "v3.68.0";

/** Oldest Go that builds the toolchain. */
const GO_MINOR = 26;

const PLUGIN_NAMES = ["docker", "random", "tls"];

function versionOf(npmPackage: string): string {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the version that is installed, whichever that is
    return (require(`${npmPackage}/package.json`) as { version: string }).version;
}

/** Version of the CLI: that of the npm package `pulumi`. */
export const CLI_VERSION = versionOf("pulumi");

/** Where the npm package `pulumi` and Pulumi's Automation API look for the CLI, its language hosts beside it. */
export const CLI_FOLDER = join(PULUMI_HOME, "versions", CLI_VERSION, "bin");

/** The CLI itself. */
export const CLI = join(CLI_FOLDER, "pulumi");

/** The plugins, in the versions of the npm packages. */
export function plugins(): Plugin[] {
    return PLUGIN_NAMES.map((name) => ({ name, version: versionOf(`@pulumi/${name}`) }));
}

/** What isn't there of the toolchain. */
interface Missing {
    /** The CLI and the Node.js language host. */
    cli: boolean;
    plugins: Plugin[];
}

function missingParts(): Missing {
    return {
        cli: !isExecutable(CLI) || !isExecutable(join(CLI_FOLDER, "pulumi-language-nodejs")),
        plugins: plugins().filter(
            ({ name, version }) => !existsSync(join(PULUMI_HOME, "plugins", `resource-${name}-v${version}`)),
        ),
    };
}

/** What {@link preparePulumi} would install. */
export function missingPulumi(): Installation[] {
    const missing = missingParts();
    if (!missing.cli && missing.plugins.length === 0) {
        return [];
    }
    const names = [
        ...(missing.cli ? [`the CLI ${CLI_VERSION}`] : []),
        ...missing.plugins.map(({ name, version }) => `the plugin ${name} ${version}`),
    ];
    return [
        {
            description:
                `Pulumi in ${PULUMI_HOME}: ${names.join(", ")}. ${sourceOf(missing)}Go modules, ` +
                "which Go checks by its checksum database and go.sum",
            commands: byVendorsScript(missing),
        },
    ];
}

/** Where what is missing comes from first, and what checks it; ends before "Go modules". */
function sourceOf({ cli, plugins: missing }: Missing): string {
    const digests = pinnedDigests();
    if (cli && !isPinned(cliArchive(CLI_VERSION), digests)) {
        return "From ";
    }
    const unchecked = missing.filter((plugin) => !isPinned(pluginArchive(plugin), digests));
    const byCli =
        unchecked.length === 0
            ? ""
            : ` The CLI downloads the plugin${unchecked.length === 1 ? "" : "s"} ${unchecked.map(({ name }) => name).join(", ")} ` +
              "itself: TLS to the vendor's site is the only check of these.";
    return `From the vendor's archives, compared with the digests in tools/toolchain/digests.json.${byCli} Where they can't be had, from `;
}

/** Commands that have the vendor's own script install what is missing. Nothing here verifies what that brings. */
function byVendorsScript({ plugins: missing }: Missing): string[] {
    return [
        "npx pulumi version",
        ...missing.map(({ name, version }) => `npx pulumi plugin install resource ${name} ${version}`),
    ];
}

/**
 * Sees to the CLI, the Node.js language host and the plugins in the versions that package-lock.json pins: what is there,
 * else the vendor's archives where their digests are pinned, else built from Go modules.
 *
 * @throws {StepError} with the ways out, where neither can be had; where an archive isn't the pinned one.
 */
export async function preparePulumi(): Promise<void> {
    const missing = missingParts();
    if (!missing.cli && missing.plugins.length === 0) {
        say(
            `found the CLI ${CLI_VERSION}, its Node.js host and the plugins ${PLUGIN_NAMES.join(", ")} in ${PULUMI_HOME}`,
        );
        return;
    }
    announce(missingPulumi());
    if (!(await installFromVendor(missing))) {
        await buildFromModules(!missing.cli, missing.plugins);
    }
}

/** Installs the vendor's archives; tells whether it could. None of the vendor's scripts is run. */
async function installFromVendor(missing: Missing): Promise<boolean> {
    const digests = pinnedDigests();
    if (missing.cli && !isPinned(cliArchive(CLI_VERSION), digests)) {
        say("not from the vendor's site: this version of the project pins no digest of the CLI for this platform");
        return false;
    }
    say(`asking the vendor's site, for ${VENDOR_SECONDS} s at most`);
    try {
        await inWorkFolder(async (folder) => {
            if (missing.cli) {
                await unpackCli(await fetchPinned(cliArchive(CLI_VERSION), digests, folder), folder);
            }
            for (const plugin of missing.plugins) {
                const file = isPinned(pluginArchive(plugin), digests)
                    ? ["--file", await fetchPinned(pluginArchive(plugin), digests, folder)]
                    : [];
                await run(CLI, ["plugin", "install", "resource", plugin.name, plugin.version, ...file]);
            }
        });
    } catch (error) {
        if (error instanceof StepError) {
            throw error;
        }
        say(`the vendor's site gave nothing (${(error as Error).message.split("\n")[0]})`);
        return false;
    }
    say("installed from the vendor's archives");
    return true;
}

/** Unpacks the CLI's archive, whose programs are in one folder, to where the CLI is looked for. */
async function unpackCli(archive: string, folder: string): Promise<void> {
    const unpacked = join(folder, "cli");
    mkdirSync(unpacked);
    await run("tar", ["--extract", "--gzip", "--file", archive, "--directory", unpacked, "--no-same-owner"]);
    cpSync(join(unpacked, "pulumi"), CLI_FOLDER, { recursive: true });
}

async function buildFromModules(cliThere: boolean, plugins: Plugin[]): Promise<void> {
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
 * @throws {StepError} with both ways out, where they can't.
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

/** Does some work with a folder that is gone afterwards. */
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

/** Brings the CLI's module, and its sibling that its own go.mod names `../sdk`. */
export async function copyCliModules(work: string): Promise<string> {
    const version = `v${CLI_VERSION}`;
    await copyModule("github.com/pulumi/pulumi/sdk/v3", version, join(work, "sdk"));
    return copyModule("github.com/pulumi/pulumi/pkg/v3", version, join(work, "pkg"));
}

/** Builds the Node.js language host, and has it run component packages, as newer ones do. */
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

/** Builds a program of a Go module. Whoever runs the one that was there keeps it. */
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

/** Brings a Go module, checked against the checksum database, into a folder where it can be built. */
export async function copyModule(module: string, version: string, folder: string): Promise<string> {
    const answer = await goIn(tmpdir(), ["mod", "download", "-json", `${module}@${version}`]);
    cpSync((JSON.parse(answer) as { Dir: string }).Dir, folder, { recursive: true });
    await run("chmod", ["-R", "u+w", folder]);
    return folder;
}

async function buildPlugins(work: string, plugins: Plugin[]): Promise<void> {
    const folder = join(work, "plugins");
    cpSync(join(PROJECT, "tools", "toolchain", "plugins"), folder, { recursive: true });
    // What a plugin embeds comes from its own mapping, so there has to be something to embed at first.
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

/** Whether there is a program that may be run. */
export function isExecutable(file: string): boolean {
    try {
        accessSync(file, constants.X_OK);
        return true;
    } catch {
        return false;
    }
}
