import { parseArgs } from "node:util";
import { dataVolumesIn, list } from "./dataVolumes";
import { findOrStartDocker } from "./dockerDaemon";
import { readState } from "./stackState";
import { prepareRemoval } from "./stateAndEngine";
import { main, say, step, StepError } from "./step";
import { askPulumi, findWorkspace, readConfig, runPulumi, selectedStack } from "./workspace";

// npm run down [-- --delete-data]: removes everything but the data, or the data too.
void main(async () => {
    const { values: wish } = parseArgs({ options: { "delete-data": { type: "boolean", default: false } } });
    process.env["DOCKER_HOST"] = await step("Docker", findOrStartDocker);
    const workspace = findWorkspace();
    const stack = await selectedStack(workspace);
    if (stack === undefined) {
        throw new StepError("no stack is selected, so there is nothing to remove: npm run up makes one");
    }
    process.env["DOCKER_HOST"] = (await readConfig(workspace))("docker:host") ?? process.env["DOCKER_HOST"];
    const more = await step("State and engine", () => prepareRemoval(workspace, stack));
    const volumes = dataVolumesIn(await readState(workspace));
    if (wish["delete-data"]) {
        console.log(
            `\nDeleting everything of the stack ${stack}, with these data volumes and the credentials:\n${list(volumes)}`,
        );
        await askPulumi(workspace, ["state", "unprotect", "--all", "--yes"]);
        return step("pulumi destroy", () => runPulumi(workspace, ["destroy", "--yes", "--skip-preview", ...more]));
    }
    const code = await step("pulumi destroy", () =>
        runPulumi(workspace, ["destroy", "--yes", "--skip-preview", "--exclude-protected", ...more]),
    );
    if (code === 0 && volumes.length > 0) {
        say(
            `Kept, with the credentials, the certificate authority and the ACME account that belong to them:\n${list(volumes)}\n` +
                "npm run up brings the store back with them; npm run down -- --delete-data deletes them.",
        );
    }
    return code;
});
