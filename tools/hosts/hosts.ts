import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { systemClock } from "../../components/docker/poll";
import type { EngineSwarm } from "../../components/docker/swarm";
import { describeProblems, type Problem } from "../../components/checks/problem";
import { verdictOn } from "../cli/verdict";
import { checkSwarm } from "../../components/hosts/swarm/swarmChecks";
import type { StoreHost } from "../../components/args/hostArgs";
import { configuredHosts } from "../stack/configuredHosts";
import { hostEngine } from "../stack/hostConnection";
import { hostTable } from "./hostTable";
import { hostsOfStack } from "../stack/stackHosts";
import { carryOut, planOnceQuiet, readSwarms } from "./swarmMembership";
import { say, step, StepError } from "../cli/step";
import { PROJECT } from "../paths";
import { preparePulumi } from "../pulumi/toolchain";
import { CLI } from "../pulumi/toolchainParts";
import {
    askPulumi,
    findWorkspace,
    hasStack,
    onStack,
    otherBackend,
    readConfig,
    selectedStack,
    type Workspace,
} from "../pulumi/workspace";

/** Options of `npm run hosts`. */
export interface HostsOptions {
    stack?: string;
}

/** Makes the hosts of a stack members of one swarm. Returns 1 if anything prevents a store on them. */
export async function join({ stack }: HostsOptions): Promise<number> {
    return joinSwarm(await readHosts(stack));
}

/** Shows the membership of each host. Returns 1 if anything prevents a store on them. */
export async function status({ stack }: HostsOptions): Promise<number> {
    const hosts = await readHosts(stack);
    return report(hosts, await readSwarms(hosts));
}

/** The hosts in the config of a stack: the named one, else the selected one. */
async function readHosts(named: string | undefined): Promise<StoreHost[]> {
    if (!existsSync(CLI)) {
        await step("Pulumi", preparePulumi);
    }
    const workspace = findWorkspace();
    const stack = named ?? (await selectedStack(workspace));
    if (stack === undefined) {
        throw new StepError("no stack is selected: name one by --stack NAME" + otherBackend(workspace.backend));
    }
    await createIfNew(workspace, stack);
    const ofStack = onStack(workspace, stack);
    const config = await readConfig(ofStack);
    const hosts = await hostsOfStack(config, (key) => askPulumi(ofStack, ["config", "get", key]), stack);
    return hosts ?? configuredHosts(undefined, stack);
}

/** Creates a stack that has a file and was never deployed: without it, the CLI doesn't read its config. */
async function createIfNew(workspace: Workspace, stack: string): Promise<void> {
    if (await hasStack(workspace, stack)) {
        return;
    }
    const file = resolve(PROJECT, `Pulumi.${stack}.yaml`);
    if (!existsSync(file)) {
        throw new StepError(`--stack "${stack}" has no file ${file}: write one, as Pulumi.dev.yaml is`);
    }
    await askPulumi(workspace, ["stack", "init", stack, "--no-select"]);
}

async function joinSwarm(hosts: StoreHost[]): Promise<number> {
    const dependencies = { engine: hostEngine, print: say, clock: systemClock };
    const plan = await step("What the Docker daemons report", () => planOnceQuiet(hosts, dependencies));
    if (plan.problems.length > 0) {
        throw new StepError(`nothing was changed, because of this:\n${describeProblems(plan.problems)}`);
    }
    await step("Membership", async () => {
        if (plan.steps.length === 0) {
            say("nothing has to be changed");
        }
        await carryOut(plan, dependencies);
    });
    return report(hosts, await readSwarms(hosts));
}

/** Prints a line for each host, and the problems. Returns the exit code. */
function report(hosts: StoreHost[], swarms: Map<string, EngineSwarm | Error>): number {
    const problems = checkSwarm(hosts, swarms);
    console.log(["", ...hostTable(hosts, swarms), "", ending(problems)].join("\n"));
    return problems.length === 0 ? 0 : 1;
}

function ending(problems: Problem[]): string {
    const verdict = verdictOn(problems.length);
    return problems.length === 0 ? verdict : `${verdict}\n${describeProblems(problems)}`;
}
