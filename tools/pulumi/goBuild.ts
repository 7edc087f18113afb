import { totalmem } from "node:os";
import { join } from "node:path";
import { LOGS } from "../paths";
import { run, type RunOptions } from "../machine/run";

const GIBIBYTE = 2 ** 30;

/** Makes a Go build a quarter cheaper: without debug information, which no program here needs. */
export const GO_BUILD_FLAGS = ["-gcflags=all=-dwarf=false"];

/**
 * Environment of a Go build. All builds are without C, so that they find each other's packages in Go's cache. If there is
 * enough memory, the compiler collects its garbage less often.
 */
export function goBuildEnvironment(): NodeJS.ProcessEnv {
    return {
        ...process.env,
        CGO_ENABLED: "0",
        GOFLAGS: "-buildvcs=false",
        ...(totalmem() < 12 * GIBIBYTE || process.env["GOGC"] !== undefined ? {} : { GOGC: "400" }),
    };
}

/** Runs a program until it ends, and returns its standard output, as {@link run} does. Replaced in tests. */
export type RunProgram = (program: string, args: string[], options?: RunOptions) => Promise<string>;

/** Runs Go with the environment of a build, and more variables. */
export function goIn(
    cwd: string,
    args: string[],
    runProgram: RunProgram = run,
    variables: NodeJS.ProcessEnv = {},
): Promise<string> {
    const env = { ...goBuildEnvironment(), ...variables };
    return runProgram("go", args, { cwd, log: join(LOGS, "toolchain.log"), env });
}
