import { existsSync } from "node:fs";
import type { RootKeys } from "../../components/client/clientContainer";
import { findTarget } from "../../components/client/storeTarget";
import { answeringEngine } from "../../components/engine/engineConnection";
import { runClient } from "../admin/attachedClient";
import { hostEngine } from "../hosts/hostConnection";
import { hostsOfStack } from "../hosts/stackHosts";
import { adminClientImage } from "../images/adminClient";
import { adoptStackEngine } from "../machine/namedEngine";
import { main, sayOnStandardError, StepError } from "../machine/step";
import type { ExportedState } from "../pulumi/stackState";
import { CLI } from "../pulumi/toolchainParts";
import { askPulumi, findWorkspace, onStack, projectName, readConfig, selectedStack } from "../pulumi/workspace";
import { expectedDeployment } from "../status/expected";

// npm run --silent admin -- [--stack NAME] ARGS: runs MinIO's client `mc` with these arguments beside the store, as its root user.
void main(async () => {
    sayOnStandardError();
    const { stack: named, args } = readArguments(process.argv.slice(2));
    if (!existsSync(CLI)) {
        throw new StepError("Pulumi isn't there, so nothing was deployed from this machine: npm run up installs it");
    }
    const workspace = findWorkspace();
    const stack = named ?? (await selectedStack(workspace));
    if (stack === undefined) {
        throw new StepError("no stack is selected: npm run up makes one, or name one by --stack NAME");
    }
    const { deployment } = JSON.parse(
        await askPulumi(workspace, ["stack", "export", "--stack", stack]),
    ) as ExportedState;
    const { nodes } = expectedDeployment(deployment.resources ?? []);
    if (nodes.length === 0) {
        throw new StepError(`the stack ${stack} of ${projectName()} has no node: npm run up deploys it`);
    }
    const { accessKey, secretKey } = JSON.parse(
        await askPulumi(workspace, ["stack", "output", "--json", "--show-secrets", "--stack", stack]),
    ) as Partial<RootKeys>;
    if (accessKey === undefined || secretKey === undefined) {
        throw new StepError(`the stack ${stack} has no credentials yet: npm run up completes its deployment`);
    }
    const config = await readConfig(onStack(workspace, stack));
    const secret = (key: string) => askPulumi(workspace, ["config", "get", key, "--stack", stack]);
    const hosts = await hostsOfStack(config, secret, stack);
    if (hosts === undefined) {
        await adoptStackEngine(config, secret, workspace.env);
    }
    const engines = hosts?.map((host) => () => hostEngine(host)) ?? [() => answeringEngine({})];
    const target = await findTarget(engines, () => Promise.resolve(nodes));
    const image = await adminClientImage(target.docker);
    const streams = { input: process.stdin, output: process.stdout, errors: process.stderr };
    return runClient(target, { accessKey, secretKey }, image, args, streams);
}).finally(() => {
    // An open terminal would keep this program running.
    process.stdin.destroy();
});

/** The stack, if the first argument names one, and the client's own arguments. */
function readArguments(given: string[]): { stack?: string; args: string[] } {
    const [option, value, ...others] = given;
    if (option === "--stack" && value === undefined) {
        throw new StepError("--stack needs the name of a stack");
    }
    const named = option === "--stack" ? { stack: value, args: others } : { args: given };
    const { args } = named;
    if (args.length === 0) {
        throw new StepError(
            "give the client's arguments, with `store` as the store's name: npm run admin -- ls store, npm run admin -- --help",
        );
    }
    return named;
}
