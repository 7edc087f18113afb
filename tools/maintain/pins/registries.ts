import { tmpdir } from "node:os";
import { outputOf, run } from "../../machine/run";
import { StepError } from "../../cli/step";

/** The registries that versions come from. */
export interface Registries {
    /** All versions of an npm package. */
    npmVersions: (name: string) => Promise<string[]>;
    /** Whether a Go module can be had in a version. */
    hasGoModule: (module: string, version: string) => Promise<boolean>;
}

/** Longest time for one question, in seconds. */
const ANSWER_SECONDS = 120;

/**
 * The registries of the user's own npm and Go configuration.
 *
 * @throws {StepError} if there is no Go.
 */
export async function configuredRegistries(): Promise<Registries> {
    if ((await outputOf("go", ["version"])) === undefined) {
        throw new StepError("there is no Go, which asks for the modules of the CLI: install it and put it on PATH");
    }
    return {
        npmVersions: async (name) => {
            const answer = await run("npm", ["view", name, "versions", "--json"], { timeout: ANSWER_SECONDS });
            return [JSON.parse(answer) as string | string[]].flat();
        },
        hasGoModule: (module, version) =>
            run("go", ["list", "-m", `${module}@v${version}`], {
                // No module of a folder above has a say.
                cwd: tmpdir(),
                timeout: ANSWER_SECONDS,
            }).then(
                () => true,
                () => false,
            ),
    };
}
