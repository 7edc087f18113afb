import { totalmem } from "node:os";

const GIBIBYTE = 2 ** 30;

/** What makes a build with Go a quarter cheaper: no debug information, which no program here keeps. */
export const GO_BUILD_FLAGS = ["-gcflags=all=-dwarf=false"];

/** Environment of a build with Go: where there is memory for it, the compiler collects its garbage less often. */
export function goBuildEnvironment(): NodeJS.ProcessEnv {
    return {
        ...process.env,
        GOFLAGS: "-buildvcs=false",
        ...(totalmem() < 12 * GIBIBYTE || process.env["GOGC"] !== undefined ? {} : { GOGC: "400" }),
    };
}
