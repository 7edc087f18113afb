import { existsSync } from "node:fs";
import type { StoreHost } from "../../components/args/hostArgs";
import { StepError } from "../cli/step";
import type { ExportedState } from "../pulumi/stackState";
import { CLI } from "../pulumi/toolchainParts";
import {
    askPulumi,
    findWorkspace,
    onStack,
    otherBackend,
    projectName,
    readConfig,
    selectedStack,
} from "../pulumi/workspace";
import { expectedDeployment, type ExpectedDeployment } from "./expectedDeployment";
import { adoptStackEngine } from "./namedEngine";
import { hostsOfStack } from "./stackHosts";

/** A stack that was deployed from this machine. */
export interface DeployedStack {
    name: string;
    /** What it should have on its engines. It has a node. */
    expected: ExpectedDeployment;
    /** Its hosts. Undefined if it names none: then this program uses its engine from now on. */
    hosts: StoreHost[] | undefined;
    /** Its outputs, with secrets. */
    outputs: () => Promise<object>;
}

/**
 * The named stack, else the one of the last run.
 *
 * @throws {StepError} if there is none, or nothing of it is deployed.
 */
export async function findDeployedStack(named: string | undefined): Promise<DeployedStack> {
    refuseWithoutPulumi();
    const workspace = findWorkspace();
    const name = named ?? (await selectedStack(workspace));
    if (name === undefined) {
        throw new StepError(
            "no stack is selected: npm run up makes one, or name one by --stack NAME" + otherBackend(workspace.backend),
        );
    }
    const ask = (...args: string[]) => askPulumi(workspace, [...args, "--stack", name]);
    const { deployment } = JSON.parse(await ask("stack", "export")) as ExportedState;
    const expected = expectedDeployment(deployment.resources ?? []);
    if (expected.nodes.length === 0) {
        throw new StepError(`the stack ${name} of ${projectName()} has no node: npm run up deploys it`);
    }
    const config = await readConfig(onStack(workspace, name));
    const secret = (key: string) => ask("config", "get", key);
    const hosts = await hostsOfStack(config, secret, name);
    if (hosts === undefined) {
        await adoptStackEngine(config, secret, workspace.env);
    }
    const outputs = async () => JSON.parse(await ask("stack", "output", "--json", "--show-secrets")) as object;
    return { name, expected, hosts, outputs };
}

/** @throws {StepError} if Pulumi isn't installed, so that nothing can have been deployed. */
export function refuseWithoutPulumi(): void {
    if (!existsSync(CLI)) {
        throw new StepError("Pulumi isn't there, so nothing was deployed from this machine: npm run up installs it");
    }
}
