import type Docker from "dockerode";
import { answeringEngine } from "../../components/engine/engineConnection";
import type { StoreHost } from "../../components/store/storeHosts";
import { hostEngine } from "../hosts/hostConnection";
import { StepError } from "../machine/step";

/** Where a store is administered: one of its nodes, on its engine. */
export interface AdminTarget {
    docker: Docker;
    /** Name of the node network. */
    network: string;
    /** Address of the node on it. */
    address: string;
}

/** A node's container, as the engine describes it. */
type NodeContainer = Pick<Docker.ContainerInspectInfo, "State" | "NetworkSettings">;

/**
 * A node that can be asked. Healthy ones are preferred.
 *
 * @param engines The engines of the stack's hosts. One that doesn't answer is passed over.
 * @param nodes Names of the nodes' containers.
 * @throws {StepError} if no node runs on an engine that answers.
 */
export async function findTarget(engines: (() => Promise<Docker>)[], nodes: string[]): Promise<AdminTarget> {
    const failures: string[] = [];
    const running: (AdminTarget & { healthy: boolean })[] = [];
    for (const connect of engines) {
        try {
            const docker = await connect();
            for (const node of nodes) {
                const target = targetOf(docker, await inspected(docker, node));
                running.push(...(target === undefined ? [] : [target]));
            }
        } catch (error) {
            failures.push((error as Error).message);
        }
        const healthy = running.find((target) => target.healthy);
        if (healthy !== undefined) {
            return healthy;
        }
    }
    const [first] = running;
    if (first === undefined) {
        const why =
            failures.length === 0 ? "npm run status shows the nodes, npm run up starts them" : failures.join("\n");
        throw new StepError(`no node of the stack runs: ${why}`);
    }
    return first;
}

/** The engines of a stack: of its hosts, or the only one. */
export function enginesOf(hosts: readonly StoreHost[] | undefined): (() => Promise<Docker>)[] {
    return hosts?.map((host) => () => hostEngine(host)) ?? [() => answeringEngine({})];
}

/** A container, or undefined if it isn't on this engine. */
async function inspected(docker: Docker, name: string): Promise<NodeContainer | undefined> {
    try {
        return await docker.getContainer(name).inspect();
    } catch (error) {
        if ((error as { statusCode?: number }).statusCode === 404) {
            return undefined;
        }
        throw error;
    }
}

function targetOf(docker: Docker, node: NodeContainer | undefined): (AdminTarget & { healthy: boolean }) | undefined {
    const networks = Object.entries(node?.NetworkSettings.Networks ?? {});
    const [network, settings] = networks.find(([name]) => name.endsWith("-nodes")) ?? [];
    return node?.State.Running === true && network !== undefined && settings !== undefined
        ? { docker, network, address: settings.IPAddress, healthy: node.State.Health?.Status === "healthy" }
        : undefined;
}
