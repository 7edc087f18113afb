import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hostsInState } from "../stack/stackHosts";
import { say } from "../cli/step";
import { LOCAL } from "../paths";
import { removeRemains } from "../pulumi/backendFiles";
import { readState } from "../pulumi/stackState";
import { CLI } from "../pulumi/toolchainParts";
import { whileNobodyUpdates } from "../pulumi/updateLock";
import {
    askPulumi,
    findWorkspace,
    forgetStackFile,
    hasStack,
    onStack,
    projectName,
    type Workspace,
} from "../pulumi/workspace";
import { arePlaygroundHosts, MOST_HOSTS, PLAYGROUND_FOLDER, PLAYGROUND_PREFIX, PLAYGROUND_STACK } from "./playground";
import { stopRelays } from "./relays";
import { VirtualHosts } from "./virtualHosts";

/**
 * Removes the playground with everything on its hosts, its stack and its file. Does nothing where nothing is.
 *
 * @throws {StepError} before anything is removed, if an update of the stack is running.
 */
export async function removePlayground(): Promise<number> {
    const workspace = findWorkspace();
    const isDeployed = existsSync(CLI) && (await hasStack(workspace, PLAYGROUND_STACK));
    if (isDeployed) {
        await whileNobodyUpdates(workspace, PLAYGROUND_STACK, () => Promise.resolve());
    }
    stopRelays();
    const place = { count: MOST_HOSTS, prefix: PLAYGROUND_PREFIX, folder: PLAYGROUND_FOLDER };
    await VirtualHosts.describe(place).remove();
    say(`removed the hosts: their processes, network namespaces, and ${PLAYGROUND_FOLDER}`);
    await removeStack(workspace, isDeployed);
    return 0;
}

/** Without its hosts, the stack has nothing that Pulumi could delete. */
async function removeStack(workspace: Workspace, isDeployed: boolean): Promise<void> {
    if (isDeployed) {
        const { resources } = await readState(onStack(workspace, PLAYGROUND_STACK));
        if (!arePlaygroundHosts(hostsInState(resources))) {
            say(`the stack ${PLAYGROUND_STACK} has other hosts, so it stays`);
            return;
        }
        await askPulumi(workspace, ["stack", "rm", "--yes", "--force", "--preserve-config", PLAYGROUND_STACK]);
        removeRemains(workspace.backend, projectName(), PLAYGROUND_STACK);
        say(`removed the stack ${PLAYGROUND_STACK} from ${workspace.backend}`);
    }
    forgetStackFile(workspace, PLAYGROUND_STACK);
    rmSync(join(LOCAL, `${PLAYGROUND_STACK}-ca.pem`), { force: true });
}
