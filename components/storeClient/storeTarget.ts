import type Docker from "dockerode";
import { LABELS } from "../naming/labels";

/** A node of a store, on its engine. */
export interface StoreTarget {
    docker: Docker;
    /** Name of the node's container. */
    node: string;
    /** Name of the node network. */
    network: string;
    /** Address of the node on it. */
    address: string;
    /** Version of the secrets that the node runs with. */
    secretsVersion: string;
}

/** An engine that has no container of a store. */
export interface EmptyEngine {
    /** Id of the engine. */
    id: string;
    /** Project and stack, joined by a slash, whose data of the store is there in volumes. Undefined if there is no data. */
    dataOf: string | undefined;
}

/** No node of a store runs. */
export class StoreNotRunning extends Error {
    /** @param goneFrom The store's engines, if all of them answer and none has a container of it. Otherwise empty. */
    constructor(
        message: string,
        readonly goneFrom: EmptyEngine[],
    ) {
        super(message);
    }
}

/** A node's container, as the engine describes it. */
type NodeContainer = Pick<Docker.ContainerInspectInfo, "State" | "NetworkSettings" | "Config">;

/**
 * A node that can be asked. Healthy ones are preferred.
 *
 * @param engines The engines of the store's hosts. One that doesn't answer is passed over.
 * @param nodesOn Returns the names of the nodes' containers that may be on an engine.
 * @param dataOn Returns whose data of the store is on an engine.
 * @throws {StoreNotRunning} if no node runs on an engine that answers.
 */
export async function findTarget(
    engines: (() => Promise<Docker>)[],
    nodesOn: (docker: Docker) => Promise<string[]>,
    dataOn: (docker: Docker) => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<StoreTarget> {
    const failures: string[] = [];
    const without: Docker[] = [];
    const running: (StoreTarget & { healthy: boolean })[] = [];
    for (const connect of engines) {
        try {
            const docker = await connect();
            const nodes = await nodesOn(docker);
            const containers = await Promise.all(nodes.map((node) => inspected(docker, node)));
            if (containers.every((container) => container === undefined)) {
                without.push(docker);
            }
            running.push(
                ...nodes.flatMap((node, index) => {
                    const target = targetOf(docker, node, containers[index]);
                    return target === undefined ? [] : [target];
                }),
            );
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
        const goneFrom =
            without.length === engines.length
                ? await Promise.all(
                      without.map(async (docker) => ({ id: await engineId(docker), dataOf: await dataOn(docker) })),
                  )
                : [];
        throw new StoreNotRunning(`no node of the store runs: ${why}`, goneFrom);
    }
    return first;
}

/** Id that an engine has given itself. It stays the same until the engine's data is deleted. */
export async function engineId(docker: Docker): Promise<string> {
    return ((await docker.info()) as { ID: string }).ID;
}

/** The names of a store's nodes on an engine, in order. */
export async function nodesOfStore(docker: Docker, storeName: string): Promise<string[]> {
    const found = await docker.listContainers({
        all: true,
        filters: { label: [`${LABELS.cluster}=${storeName}`, LABELS.node] },
    });
    return found.map(({ Labels: labels }) => labels[LABELS.node] ?? "").sort();
}

/** Project and stack of the volumes of a store on an engine. Undefined if it has none. */
export async function dataOfStore(docker: Docker, storeName: string): Promise<string | undefined> {
    const { Volumes: volumes } = await docker.listVolumes({
        filters: { label: [`${LABELS.cluster}=${storeName}`] } as unknown as string,
    });
    const labels = volumes.map(({ Labels: given }) => given[LABELS.stack] ?? "");
    return labels[0];
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

function targetOf(
    docker: Docker,
    node: string,
    container: NodeContainer | undefined,
): (StoreTarget & { healthy: boolean }) | undefined {
    const networks = Object.entries(container?.NetworkSettings.Networks ?? {});
    const [network, settings] = networks.find(([name]) => name.endsWith("-nodes")) ?? [];
    return container?.State.Running === true && network !== undefined && settings !== undefined
        ? {
              docker,
              node,
              network,
              address: settings.IPAddress,
              secretsVersion: container.Config.Labels[LABELS.secretsVersion] ?? "",
              healthy: container.State.Health?.Status === "healthy",
          }
        : undefined;
}
