import { rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../machine/run";
import { PROJECT } from "../../paths";
import { goIn } from "../../pulumi/goBuild";
import { CLI_PACKAGE, PROGRAMS_MODULE, PROGRAMS_TAG } from "../../pulumi/toolchainBuild";

/** Operating systems on which the CLI is built. Some need packages that the others don't. */
const SYSTEMS = ["linux", "darwin"];

/**
 * Requires another version of the CLI in the Go module that it is built from, and writes a go.sum of what is needed alone.
 *
 * @returns The changed files.
 */
export async function requireCli(
    version: string,
    folder = join(PROJECT, PROGRAMS_MODULE),
    runProgram = run,
): Promise<string[]> {
    await goIn(folder, ["get", `github.com/pulumi/pulumi/sdk/v3@v${version}`], runProgram);
    await goIn(folder, ["get", "-tool", `${CLI_PACKAGE}@v${version}`], runProgram);
    rmSync(join(folder, "go.sum"), { force: true });
    for (const GOOS of SYSTEMS) {
        const args = ["list", "-mod=mod", "-deps", "-tags", PROGRAMS_TAG, CLI_PACKAGE, "./..."];
        await goIn(folder, args, runProgram, { GOOS });
    }
    return ["go.mod", "go.sum"].map((file) => join(PROGRAMS_MODULE, file));
}
