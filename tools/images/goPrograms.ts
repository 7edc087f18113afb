import { existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { GO_BUILD_FLAGS, goBuildEnvironment } from "../pulumi/goBuild";
import { CACHE, LOGS } from "../paths";
import { outputOf, run } from "../machine/run";
import { say, StepError } from "../cli/step";
import { draftOf, moveWhole } from "../machine/wholeFiles";

/** What a Go build sets. */
interface GoBuildOptions {
    /** Build tags. Default: none. */
    tags?: string[];
    /** Values of the program's variables that are set when it is linked, such as its version. Default: none. */
    variables?: { [variable: string]: string };
}

/** Options of a Go build for a program without debug information and paths of this machine. */
function smallProgram(variables: GoBuildOptions["variables"] = {}): string[] {
    const set = Object.entries(variables).map(([variable, value]) => `-X ${variable}=${value}`);
    return ["-trimpath", ...GO_BUILD_FLAGS, "-ldflags", ["-s -w", ...set].join(" ")];
}

/**
 * Builds a program of a Go module, unless an earlier run has.
 *
 * @param name What it is, for messages.
 * @param file Name of the program.
 * @param duration How long it takes, for messages.
 * @returns Path of the program.
 * @throws {StepError} with the remedy, if there is no Go.
 */
export async function buildGoProgram(
    name: string,
    file: string,
    module: string,
    duration: string,
    { tags = [], variables = {} }: GoBuildOptions = {},
): Promise<string> {
    const folder = join(CACHE, module.replaceAll("/", "_"));
    const program = join(folder, file);
    if (existsSync(program)) {
        return program;
    }
    if ((await outputOf("go", ["version"])) === undefined) {
        throw new StepError(
            `${name} can't be had: no registry answers, and there is no Go to build it with. Either let the Docker daemon ` +
                "reach a registry, or install Go 1.24 or newer and put it on PATH; then run this command again.",
        );
    }
    say(`building ${name} from its Go module: about ${duration} on 2 cores`);
    mkdirSync(folder, { recursive: true });
    const building = join(folder, "building");
    const env = { ...goBuildEnvironment(), GOBIN: building };
    const args = ["install", "-v", "-tags", tags.join(","), ...smallProgram(variables), module];
    await run("go", args, { env, log: join(LOGS, `${file}.log`) });
    moveWhole(join(building, file), program);
    return program;
}

/**
 * Builds a program of a Go module that replaces some of its dependencies, which `go install` refuses: in the module's own
 * folder.
 *
 * @param packagePath Path of the program's package in the module. Its last part is the program's name.
 */
export async function buildGoProgramInModule(module: string, packagePath: string, duration: string): Promise<string> {
    const file = basename(packagePath);
    const folder = join(CACHE, module.replaceAll("/", "_"));
    const program = join(folder, file);
    if (existsSync(program)) {
        return program;
    }
    const found = await outputOf("go", ["mod", "download", "-json", module]);
    const { Dir: source } = JSON.parse(found ?? "{}") as { Dir?: string };
    if (source === undefined) {
        throw new StepError(
            `${module} can't be had: install Go 1.24 or newer, let it reach a proxy of Go modules, and run this command again.`,
        );
    }
    say(`building ${file} from its Go module: about ${duration} on 2 cores`);
    const args = ["build", "-C", source, "-v", ...smallProgram(), "-o", draftOf(program), `./${packagePath}`];
    await run("go", args, { env: goBuildEnvironment(), log: join(LOGS, `${file}.log`) });
    moveWhole(draftOf(program), program);
    return program;
}
