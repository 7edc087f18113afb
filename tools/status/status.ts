import { existsSync } from "node:fs";
import { DockerEngine } from "../../components/engine/dockerEngine";
import { hostsOfStack } from "../stack/stackHosts";
import { adoptStackEngine } from "../stack/namedEngine";
import { CLI } from "../pulumi/toolchainParts";
import type { ExportedState } from "../pulumi/stackState";
import { expectedDeployment } from "./expected";
import { onlyHost, queryHosts } from "./queriedHosts";
import { askForStatus } from "./questions";
import { problemsIn } from "./report";
import { statusText } from "./text";
import { StepError } from "../cli/step";
import { askPulumi, findWorkspace, projectName, selectedStack, onStack, readConfig } from "../pulumi/workspace";

/** Options of `npm run status`. */
export interface StatusOptions {
    stack?: string;
    json?: boolean;
    certificateDays: number;
    freePercent: number;
}

/** Prints the state of a stack. Returns 0 if everything is healthy, and 1 if something isn't. */
export async function status({ stack: named, json = false, ...limits }: StatusOptions): Promise<number> {
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
    const config = await readConfig(onStack(workspace, stack));
    const expected = expectedDeployment(deployment.resources ?? []);
    if (expected.nodes.length === 0) {
        throw new StepError(`the stack ${stack} of ${projectName()} has no node: npm run up deploys it`);
    }
    const secret = (key: string) => askPulumi(workspace, ["config", "get", key, "--stack", stack]);
    const hosts = await hostsOfStack(config, secret, stack);
    if (hosts === undefined) {
        await adoptStackEngine(config, secret, workspace.env);
    }
    const queried = hosts === undefined ? onlyHost(await DockerEngine.connect()) : await queryHosts(hosts);
    const report = await askForStatus(queried, stack, expected);
    const now = Date.now();
    const problems = problemsIn(report, limits, now);
    console.log(
        json
            ? JSON.stringify({ well: problems.length === 0, problems, ...report }, undefined, 4)
            : statusText(report, problems, now),
    );
    return problems.length === 0 ? 0 : 1;
}
