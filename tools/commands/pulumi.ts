import { existsSync } from "node:fs";
import { findOrStartDocker } from "../machine/dockerDaemon";
import { preparePulumi } from "../pulumi/toolchain";
import { CLI } from "../pulumi/toolchainParts";
import { main, step } from "../machine/step";
import { findWorkspace, runPulumi } from "../pulumi/workspace";

// npm run pulumi -- ARGS: the CLI, with the backend, passphrase and stack of `npm run up`.
void main(async () => {
    if (!existsSync(CLI)) {
        await step("Pulumi", preparePulumi);
        await step("Docker", findOrStartDocker);
    }
    return runPulumi(findWorkspace(), process.argv.slice(2));
});
