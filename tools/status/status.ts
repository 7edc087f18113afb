import { DockerEngine } from "../../components/docker/engine";
import { findDeployedStack } from "../stack/deployedStack";
import { onlyHost, queryHosts } from "./queriedHosts";
import { askForStatus } from "./questions";
import { problemsIn } from "./report";
import { statusText } from "./text";

/** Options of `npm run status`. */
export interface StatusOptions {
    stack?: string;
    json?: boolean;
    certificateDays: number;
    freePercent: number;
}

/** Prints the state of a stack. Returns 0 if everything is healthy, and 1 if something isn't. */
export async function status({ stack: named, json = false, ...limits }: StatusOptions): Promise<number> {
    const { name, expected, hosts } = await findDeployedStack(named);
    const queried = hosts === undefined ? onlyHost(await DockerEngine.connect()) : await queryHosts(hosts);
    const report = await askForStatus(queried, name, expected);
    const now = Date.now();
    const problems = problemsIn(report, limits, now);
    console.log(
        json
            ? JSON.stringify({ healthy: problems.length === 0, problems, ...report }, undefined, 4)
            : statusText(report, problems, now),
    );
    return problems.length === 0 ? 0 : 1;
}
