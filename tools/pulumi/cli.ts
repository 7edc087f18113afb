import { existsSync } from "node:fs";
import { adoptEngineOfFile } from "../stack/engineOfFile";
import { findOrStartDocker } from "../machine/dockerDaemon";
import { preparePulumi } from "./toolchain";
import { CLI } from "./toolchainParts";
import { step } from "../cli/step";
import { findWorkspace, namedStack, runPulumi, selectedStack } from "./workspace";

/** Runs the CLI, with the backend, passphrase and stack of `npm run up`. Returns its exit code. */
export async function runCli(args: string[]): Promise<number> {
    const isFirst = !existsSync(CLI);
    if (isFirst) {
        await step("Pulumi", preparePulumi);
    }
    const workspace = findWorkspace();
    const stack = namedStack(args) ?? (await selectedStack(workspace));
    const findEngine = () => (isFirst ? step("Docker", findOrStartDocker) : Promise.resolve());
    await adoptEngineOfFile(stack, workspace.env, findEngine);
    return runPulumi(workspace, args);
}
