import { existsSync } from "node:fs";
import { adoptEngineOfFile } from "../stack/engineOfFile";
import { findOrStartDocker } from "../machine/dockerDaemon";
import { preparePulumi } from "../pulumi/toolchain";
import { CLI } from "../pulumi/toolchainParts";
import { main, step } from "../cli/step";
import { findWorkspace, namedStack, runPulumi, selectedStack } from "../pulumi/workspace";

// npm run pulumi -- ARGS: the CLI, with the backend, passphrase and stack of `npm run up`.
void main(async () => {
    const args = process.argv.slice(2);
    const isFirst = !existsSync(CLI);
    if (isFirst) {
        await step("Pulumi", preparePulumi);
    }
    const workspace = findWorkspace();
    const stack = namedStack(args) ?? (await selectedStack(workspace));
    const findEngine = () => (isFirst ? step("Docker", findOrStartDocker) : Promise.resolve());
    await adoptEngineOfFile(stack, workspace.env, findEngine);
    return runPulumi(workspace, args);
});
