import { existsSync } from "node:fs";
import { findOrStartDocker } from "./dockerDaemon";
import { CLI, preparePulumi } from "./pulumiToolchain";
import { main, step } from "./step";
import { findWorkspace, runPulumi } from "./workspace";

// npm run pulumi -- ARGS: the CLI, with the backend, passphrase and stack of `npm run up`.
void main(async () => {
    if (!existsSync(CLI)) {
        await step("Pulumi", preparePulumi);
        await step("Docker", findOrStartDocker);
    }
    return runPulumi(findWorkspace(), process.argv.slice(2));
});
