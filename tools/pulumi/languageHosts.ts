import { copyFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../paths";
import { CLI_FOLDER, CLI_VERSION, isExecutable, LANGUAGE_HOST_VERSION } from "./toolchainParts";
import { buildGo, buildNodejsHost, copyCliModules, copyModule, inWorkFolder, requireGo } from "./toolchainBuild";
import { say } from "../machine/step";

const YAML_HOST_VERSION = "v1.32.0";

/** The last version of the SDK's Go module that contains the language host for Go. */
const GO_HOST_VERSION = "v3.66.0";

/** Hosts of the languages of the tests' programs. The last one in the list is built last: if it exists, all do. */
const HOSTS = ["yaml", "python", "go"].map((language) => join(CLI_FOLDER, `pulumi-language-${language}`));

/**
 * Prepares the language hosts for programs in YAML, Python and Go, with support for this project's components. They come
 * with the CLI from the vendor; if the CLI was built from Go modules, they are built from these too.
 *
 * @throws {StepError} with both ways to get them, if there is no Go.
 */
export async function prepareOtherLanguages(): Promise<void> {
    if (HOSTS.every(isExecutable)) {
        say(`found ${HOSTS.join(", ")}`);
        return;
    }
    await requireGo();
    say("building the hosts of other languages from Go modules: about 4 minutes on 2 cores the first time");
    await inWorkFolder(async (work) => {
        // A host that an earlier version of this project has built can't run a component package.
        await buildNodejsHost(work);
        await buildYamlHost(work);
        const cli = await copyCliModules(work);
        await buildPythonHost(work, cli);
        await buildGoHost(work, cli);
    });
}

async function buildYamlHost(work: string): Promise<void> {
    say("building the YAML language host");
    const folder = await copyModule("github.com/pulumi/pulumi-yaml", YAML_HOST_VERSION, join(work, "yaml"));
    const program = "./cmd/pulumi-language-yaml";
    await buildGo(folder, program, join(CLI_FOLDER, "pulumi-language-yaml"), YAML_HOST_VERSION);
}

/** Builds the last Python host that a Go module contains, and before it one that generates SDKs, which that host can't. */
async function buildPythonHost(work: string, cli: string): Promise<void> {
    say("building the Python language host");
    const folder = await copyModule("github.com/pulumi/pulumi/sdk/v3", LANGUAGE_HOST_VERSION, join(work, "python"));
    const [program, target] = ["./python/cmd/pulumi-language-python", join(CLI_FOLDER, "pulumi-language-python")];
    copyFileSync(join(folder, `${program}-exec`), `${target}-exec`);
    await buildGo(folder, program, `${target}-runner`, LANGUAGE_HOST_VERSION);
    await buildGenerator(cli, target);
}

/** The same for Go. */
async function buildGoHost(work: string, cli: string): Promise<void> {
    say("building the Go language host");
    const folder = await copyModule("github.com/pulumi/pulumi/sdk/v3", GO_HOST_VERSION, join(work, "go"));
    const target = join(CLI_FOLDER, "pulumi-language-go");
    await buildGo(folder, "./go/pulumi-language-go", `${target}-runner`, GO_HOST_VERSION);
    await buildGenerator(cli, target);
}

/** Builds the language host that generates SDKs, and has programs run by the host beside it. */
async function buildGenerator(cli: string, target: string): Promise<void> {
    const generator = join("cmd", "pulumi-language-host");
    cpSync(join(PROJECT, "tools", "toolchain", "languageHost"), join(cli, generator), { recursive: true });
    await buildGo(cli, `./${generator}`, target, `v${CLI_VERSION}`);
}
