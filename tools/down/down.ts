import { additionalStoresOf } from "../stack/additionalStores";
import { confirmByName, refuseUnasked, terminal } from "../cli/confirmation";
import { hostsInState, hostsOfStack } from "../stack/stackHosts";
import { findOrStartDocker } from "../machine/dockerDaemon";
import { adoptHosts, adoptStackEngine } from "../stack/namedEngine";
import { enginesOfHosts, onlyEngine, type StackTarget } from "../stack/stackEngines";
import { refuseOwnBackend } from "../stack/ownBackend";
import { describeRemoval, planRemoval, type RemovalPlan } from "./removalPlan";
import type { StackConfig } from "../pulumi/stackConfig";
import { readState } from "../pulumi/stackState";
import { refuseOtherStacksHosts } from "./removedStack";
import { prepareRemoval } from "../stack/stateAndEngine";
import { say, step, StepError, UsageError } from "../cli/step";
import {
    askPulumi,
    findWorkspace,
    onStack,
    otherBackend,
    readConfig,
    runPulumi,
    selectedStack,
    type Workspace,
} from "../pulumi/workspace";

/** Options of `npm run down`. */
export interface DownOptions {
    stack?: string;
    deleteData?: boolean;
    deleteCredentials?: boolean;
    yes?: boolean;
}

/** Removes everything except the data, or the data too. Returns the exit code. */
export async function down(options: DownOptions): Promise<number> {
    const { deleteData = false, deleteCredentials = false, yes = false } = options;
    const removal = { deleteData, deleteCredentials };
    if (removal.deleteCredentials && !removal.deleteData) {
        throw new UsageError("--delete-credentials is for --delete-data alone: data that stays needs its credentials");
    }
    if (removal.deleteData) {
        refuseUnasked("--delete-data", terminal, yes);
    }
    const workspace = onStack(findWorkspace(), options.stack);
    const stack = await stackOf(workspace, options.stack);
    const config = await readConfig(workspace);
    const secret = (key: string) => askPulumi(workspace, ["config", "get", key]);
    refuseOwnBackend(workspace.backend, config, await additionalStoresOf(config, secret));
    const target = await targetOf(workspace, stack, config, secret);
    await refuseOtherStacksHosts(target, stack, await readState(workspace));
    console.log(
        `\nRemoving the stack ${stack}${options.stack === undefined ? ", the one of the last run (another one: --stack NAME)" : ""}.\n` +
            describeRemoval(planRemoval(await readState(workspace), removal)),
    );
    if (removal.deleteData) {
        await confirmByName(stack, terminal, yes);
    }
    const more = await step("State and Docker daemon", () => prepareRemoval(workspace, stack, target));
    const plan = planRemoval(await readState(workspace), removal);
    const code = await step("pulumi destroy", () => destroy(workspace, plan, more));
    if (code === 0 && plan.kept.length > 0) {
        say(`${describeRemoval(plan)}\n${plan.keepsCredentials ? wayOn(stack, removal.deleteData) : ""}`.trimEnd());
    }
    return code;
}

async function stackOf(workspace: Workspace, named: string | undefined): Promise<string> {
    const stack = await selectedStack(workspace);
    if (stack === undefined) {
        throw new StepError(
            (named === undefined
                ? "no stack is selected, so there is nothing to remove: name one by --stack NAME"
                : `--stack "${named}" is not in ${workspace.backend}: npm run pulumi -- stack ls shows those that are`) +
                otherBackend(workspace.backend),
        );
    }
    return stack;
}

/** The stack's hosts, or its only engine. Each host must answer, so that none keeps a part of the stack. */
async function targetOf(
    workspace: Workspace,
    stack: string,
    config: StackConfig,
    secret: (key: string) => Promise<string>,
): Promise<StackTarget> {
    const configured = await hostsOfStack(config, secret, stack);
    const deployed = hostsInState((await readState(workspace)).resources);
    const current = deployed.map((host) => configured?.find(({ name }) => name === host.name) ?? host);
    const hosts = deployed.length > 0 ? current : configured;
    if (hosts !== undefined) {
        adoptHosts(hosts, workspace.env);
        return step("Docker", () => enginesOfHosts(hosts));
    }
    await adoptStackEngine(config, secret, workspace.env);
    process.env["DOCKER_HOST"] = await step("Docker", findOrStartDocker);
    return onlyEngine();
}

async function destroy(workspace: Workspace, plan: RemovalPlan, more: string[]): Promise<number> {
    if (plan.protect.length > 0) {
        await askPulumi(workspace, ["state", "protect", "--yes", ...plan.protect]);
    }
    if (plan.unprotect.length > 0) {
        await askPulumi(workspace, ["state", "unprotect", "--yes", ...plan.unprotect]);
    }
    const kept = plan.keepsCredentials ? ["--exclude-protected"] : [];
    return runPulumi(workspace, ["destroy", "--yes", "--skip-preview", ...kept, ...more]);
}

/** The next steps for data that was kept. */
function wayOn(stack: string, deletedData: boolean): string {
    const back = `npm run up -- --stack ${stack} brings the store back with it; `;
    return deletedData
        ? `${back}to give it up, delete those files yourself, then\n` +
              `npm run down -- --stack ${stack} --delete-data --delete-credentials forgets its credentials.`
        : `${back}npm run down -- --stack ${stack} --delete-data deletes it, but for folders and volumes of your own.`;
}
