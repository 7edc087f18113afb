import { join } from "node:path";
import { CLI_FOLDER, isExecutable, LANGUAGE_HOST_VERSION } from "./toolchainParts";
import {
    BUILD,
    buildGo,
    buildPrograms,
    copyModule,
    copyPrograms,
    inWorkFolder,
    moveProgram,
    requireGo,
} from "./toolchainBuild";
import { say } from "../cli/step";

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
    await buildOtherLanguages();
}

/** Builds these hosts from Go modules. */
export async function buildOtherLanguages(build = BUILD): Promise<void> {
    say("building the hosts of other languages from Go modules: about 4 minutes on 2 cores the first time");
    await inWorkFolder(async (work) => {
        say("building the YAML language host");
        const yaml = await copyModule("github.com/pulumi/pulumi-yaml", YAML_HOST_VERSION, join(work, "yaml"), build);
        const yamlHost = join(build.programs, "pulumi-language-yaml");
        await buildGo(yaml, "./cmd/pulumi-language-yaml", yamlHost, YAML_HOST_VERSION, build);
        say("building the Python and Go language hosts");
        // The last hosts that a Go module contains generate no SDKs. The one before them does.
        const generator = join(
            await buildPrograms(await copyPrograms(work, build), [GENERATOR], join(work, "built"), build),
            "pulumi-language-host",
        );
        const sdk = "github.com/pulumi/pulumi/sdk/v3";
        const python = await copyModule(sdk, LANGUAGE_HOST_VERSION, join(work, "python"), build);
        const pythonHost = join(build.programs, "pulumi-language-python");
        moveProgram(join(python, "python", "cmd", "pulumi-language-python-exec"), `${pythonHost}-exec`);
        const pythonProgram = "./python/cmd/pulumi-language-python";
        await buildGo(python, pythonProgram, `${pythonHost}-runner`, LANGUAGE_HOST_VERSION, build);
        moveProgram(generator, pythonHost);
        const go = await copyModule(sdk, GO_HOST_VERSION, join(work, "go"), build);
        const goHost = join(build.programs, "pulumi-language-go");
        await buildGo(go, "./go/pulumi-language-go", `${goHost}-runner`, GO_HOST_VERSION, build);
        moveProgram(generator, goHost);
    });
}

/** Package of the program that generates SDKs. */
const GENERATOR = "./cmd/pulumi-language-host";
