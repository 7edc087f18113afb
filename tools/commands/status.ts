import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { DockerEngine } from "../../components/engine/dockerEngine";
import { hostsOfStack } from "../stack/stackHosts";
import { adoptStackEngine } from "../stack/namedEngine";
import { CLI } from "../pulumi/toolchainParts";
import type { ExportedState } from "../pulumi/stackState";
import { expectedDeployment } from "../status/expected";
import { onlyHost, queryHosts } from "../status/queriedHosts";
import { askForStatus } from "../status/questions";
import { problemsIn } from "../status/report";
import { statusText } from "../status/text";
import { main, StepError } from "../cli/step";
import { askPulumi, findWorkspace, projectName, selectedStack, onStack, readConfig } from "../pulumi/workspace";

/** Exit code if the state is unknown: no stack, no engine, or an invalid argument. */
const UNKNOWN = 2;

const OPTIONS = {
    stack: { type: "string" },
    json: { type: "boolean", default: false },
    "certificate-days": { type: "string", default: "14" },
    "free-percent": { type: "string", default: "10" },
} as const;

let exitCode = UNKNOWN;

// npm run status [-- --stack NAME] [-- --json]: exits with 0 if everything is healthy, with 1 if something isn't, with
// 2 if that is unknown.
void main(async () => {
    const { values: desired } = parseArgs({ options: OPTIONS });
    const limits = {
        certificateDays: numberOf("certificate-days", desired["certificate-days"]),
        freePercent: numberOf("free-percent", desired["free-percent"]),
    };
    if (!existsSync(CLI)) {
        throw new StepError("Pulumi isn't there, so nothing was deployed from this machine: npm run up installs it");
    }
    const workspace = findWorkspace();
    const stack = desired.stack ?? (await selectedStack(workspace));
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
        desired.json
            ? JSON.stringify({ well: problems.length === 0, problems, ...report }, undefined, 4)
            : statusText(report, problems, now),
    );
    exitCode = problems.length === 0 ? 0 : 1;
    return exitCode;
}).then(() => {
    process.exitCode = exitCode;
});

/** The number in an option, at least 0. */
function numberOf(option: string, value: string): number {
    if (!/^[0-9]+(\.[0-9]+)?$/.test(value)) {
        throw new StepError(`--${option} "${value}" is not allowed: give a number from 0 on`);
    }
    return Number(value);
}
