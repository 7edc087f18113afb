import * as pulumi from "@pulumi/pulumi";
import { access, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { changesOfAllNodes, checkClusterChange, type ClusterInputs, type ClusterWish } from "./clusterChanges";
import { readDeployedCluster, type DeployedCluster } from "./deployedCluster";
import { DockerEngine } from "./dockerEngine";
import type { DockerHost } from "./dockerHost";
import { networksOverlap } from "./ipv4Network";
import { LABELS } from "./labels";
import { refuse, type Problem } from "./problem";
import type { DrivePlace } from "./topology";

/** What a deployment will ask of the host. Each part is checked where it is given. */
export interface EngineDemands {
    /** Docker host, as {@link DockerEngine.connect} takes it. */
    dockerHost?: DockerHost;
    /** Networks that are to be made: their names and what addresses they want. */
    networks?: { name: string; propertyPath: string; subnet: string }[];
    /** The cluster as it is wished for, which what is there of it must be able to become. */
    cluster?: ClusterWish;
    /** What of it may depend on other resources. */
    clusterInputs?: pulumi.Output<ClusterInputs>;
    /** Folders that drives stand on. */
    drivePaths?: { propertyPath: string; path: string }[];
    /** Whether several drives may stand on one device. */
    allowDrivesOnOneDevice?: boolean;
    /** Ports that the proxy wants to publish. */
    ports?: { propertyPath: string; port: number }[];
    /** Address that it publishes them on. */
    publishAddress?: string;
    /** Name of the proxy's own container, whose ports are no conflict. */
    proxyName?: string;
}

/** What on the engine and its host stands against a deployment. Asks only; changes nothing. */
export async function checkEngine(demands: EngineDemands): Promise<Problem[]> {
    let engine: DockerEngine;
    try {
        engine = await DockerEngine.connect(demands.dockerHost);
    } catch (error) {
        const reason = `${(error as Error).message}: start Docker, or name the engine by DOCKER_HOST or the config key docker:host`;
        return [{ propertyPath: "dockerHost", reason }];
    }
    const found = await Promise.all([
        checkNetworks(engine, demands),
        checkCluster(engine, demands),
        checkDrivePaths(engine, demands),
        checkPorts(engine, demands),
    ]);
    return found.flat();
}

/**
 * For `dependsOn` of every child of a component: what the component itself depends on, once the engine was asked. What isn't
 * known in a preview, since another resource gives it, is judged in the update.
 *
 * @throws {pulumi.InputPropertiesError} with every problem of {@link checkEngine}, so that no child is created.
 */
export function engineAllows(
    component: string,
    demands: EngineDemands,
    dependsOn: pulumi.ResourceOptions["dependsOn"] = [],
): pulumi.Output<pulumi.Resource[]> {
    const { dockerHost, cluster, clusterInputs } = demands;
    const judge = async (judged: EngineDemands): Promise<void> => refuse(component, await checkEngine(judged));
    const before = pulumi.output(dependsOn).apply((resources) => [resources].flat());
    // A host that isn't known yet can't be asked.
    const plain = pulumi.all([dockerHost, before]).apply(async ([, resources]) => {
        await judge(demands);
        return resources;
    });
    if (cluster === undefined || clusterInputs === undefined) {
        return plain;
    }
    return pulumi.all([clusterInputs, plain]).apply(async ([inputs, resources]) => {
        await judge({ dockerHost, cluster: { ...cluster, ...inputs } });
        return resources;
    });
}

/** What two components will ask of one host, together. */
export function bothDemands(one: EngineDemands, other: EngineDemands): EngineDemands {
    return { ...one, ...other, networks: [...(one.networks ?? []), ...(other.networks ?? [])] };
}

/** Demands whose inputs are all plain values, as a whole. */
export async function withInputs({ cluster, clusterInputs, ...demands }: EngineDemands): Promise<EngineDemands> {
    if (cluster === undefined || clusterInputs === undefined) {
        return demands;
    }
    const inputs = await new Promise<ClusterInputs>((resolve) => clusterInputs.apply(resolve));
    return { ...demands, cluster: { ...cluster, ...inputs } };
}

/**
 * Options of an internal network that keep the Docker host itself out of it, as far as the engine has such: its bridge
 * then has no address of the host's.
 */
export function isolatedGateway(dockerHost?: DockerHost): pulumi.Output<{ [option: string]: string }> {
    const isolates = async (): Promise<boolean> => {
        try {
            return await (await DockerEngine.connect(dockerHost)).isolatesGateways();
        } catch {
            // That the engine doesn't answer is told by `engineAllows`.
            return false;
        }
    };
    return pulumi
        .output(dockerHost)
        .apply(isolates)
        .apply((yes): { [option: string]: string } =>
            yes ? { "com.docker.network.bridge.gateway_mode_ipv4": "isolated" } : {},
        );
}

async function checkNetworks(engine: DockerEngine, { networks = [] }: EngineDemands): Promise<Problem[]> {
    const present = await engine.networks();
    return networks.flatMap(({ name, propertyPath, subnet }, place) => {
        const others = [
            ...present.filter((other) => networks.every((wished) => wished.name !== other.name)),
            ...networks.slice(0, place),
        ];
        return others
            .filter((other) => other.name !== name && networksOverlap(other.subnet, subnet))
            .map((other) => ({
                propertyPath,
                reason:
                    `"${subnet}" overlaps with ${other.subnet} of the Docker network ${other.name}: ` +
                    "give another, such as 10.200.7.0/24",
            }));
    });
}

/** Clusters whose outage this program has told of. */
const announced = new Set<string>();

/** Whether what is there of a cluster, its data above all, can become what is wished for. */
async function checkCluster(engine: DockerEngine, { cluster }: EngineDemands): Promise<Problem[]> {
    if (cluster === undefined) {
        return [];
    }
    const deployed = await readDeployedCluster(engine, cluster);
    const problems = [
        ...checkClusterChange(deployed, cluster),
        ...(await checkMounts(engine, deployed, cluster)),
        ...(await checkExistingVolumes(engine, cluster)),
    ];
    const together = changesOfAllNodes(deployed, cluster);
    if (problems.length === 0 && together.length > 0 && !announced.has(cluster.clusterName)) {
        announced.add(cluster.clusterName);
        await pulumi.log.warn(
            `a change of ${together.join("; ")} replaces all ${cluster.nodes.length} nodes of ${cluster.clusterName} at once: ` +
                "from the moment when their running requests have ended until they are ready again, no request is answered",
        );
    }
    return problems;
}

/** Volumes that are others' to make have to be there, and to be this cluster's alone. */
async function checkExistingVolumes(engine: DockerEngine, wish: ClusterWish): Promise<Problem[]> {
    const drives = wish.nodes.flatMap((node) =>
        node.drives.filter(({ existing }) => existing === true).map((drive) => ({ node: node.name, ...drive })),
    );
    const volumes = drives.length === 0 ? [] : await engine.volumes();
    const found = await Promise.all(
        drives.map(async ({ node, volumeName, labels }): Promise<Problem[]> => {
            const place = [LABELS.node, LABELS.drive].map((label) => `[${Number(labels[label]) - 1}]`).join("");
            const pool = wish.namesPools ? `pools[${Number(labels[LABELS.pool]) - 1}].` : "";
            const propertyPath = `${pool}volumeNames${place}`;
            const volume = volumes.find(({ name }) => name === volumeName);
            if (volume === undefined) {
                return [{ propertyPath, reason: `"${volumeName}" is no volume of the engine: make it first` }];
            }
            const owner = volume.labels[LABELS.cluster];
            if (owner !== undefined) {
                return [
                    { propertyPath, reason: `"${volumeName}" is a volume of the cluster ${owner}'s own: give another` },
                ];
            }
            const users = (await engine.usersOf(volumeName)).filter(
                (user) => ![node, `${node}-prepare`].includes(user),
            );
            return users.length === 0
                ? []
                : [{ propertyPath, reason: `"${volumeName}" is in use by ${users.join(", ")}: stop that first` }];
        }),
    );
    return found.flat();
}

/** A drive's folder without the disk that was mounted there: the store would take it for a new drive, and the root's disk for its own. */
async function checkMounts(engine: DockerEngine, deployed: DeployedCluster, wish: ClusterWish): Promise<Problem[]> {
    if (!engine.local || wish.allowedChanges.includes("emptyDrives")) {
        return [];
    }
    const prepared = wish.nodes.filter(({ name }) =>
        deployed.nodes.some((node) => node.name === name && node.secrets !== undefined),
    );
    const drives = prepared.flatMap((place) => place.drives);
    const unmounted = await Promise.all(drives.map((drive) => isUnmounted(drive, deployed, wish)));
    return drives
        .filter((_, place) => unmounted[place])
        .map(({ hostPath, volumeName }) => ({
            propertyPath: "drivePaths",
            reason:
                `"${hostPath}" has nothing of the data that ${volumeName} had: is the disk mounted there? Mount it, ` +
                'or, where the store shall heal an empty one from the others, add "emptyDrives" to allowedChanges',
        }));
}

/** A folder that was never a drive has another owner; one that was made to look like it lacks the store's own file. */
async function isUnmounted({ hostPath }: DrivePlace, deployed: DeployedCluster, wish: ClusterWish): Promise<boolean> {
    const folder = hostPath === undefined ? undefined : await stat(hostPath).catch(() => undefined);
    if (folder?.isDirectory() !== true) {
        return false;
    }
    if (folder.uid !== Number(wish.profile.user.split(":")[0])) {
        return true;
    }
    // A pool that is only now being added may not have been formed yet.
    const formed = deployed.formed && wish.pools.length === 1;
    const missing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";
    return formed && (await access(`${hostPath}/${wish.profile.formatFile}`).then(() => false, missing));
}

async function checkDrivePaths(engine: DockerEngine, demands: EngineDemands): Promise<Problem[]> {
    const { drivePaths = [] } = demands;
    if (!engine.local) {
        if (drivePaths.length > 0) {
            await pulumi.log.warn(
                "drivePaths are on another host: whether they are there, and on devices of their own, is not checked",
            );
        }
        return [];
    }
    const devices = new Map<number, string>();
    const problems: Problem[] = [];
    for (const { propertyPath, path } of drivePaths) {
        const found = await stat(path).catch(() => undefined);
        if (found?.isDirectory() !== true) {
            problems.push({
                propertyPath,
                reason: `"${path}" is not a folder on this host: mount the drive there first`,
            });
            continue;
        }
        const other = devices.get(found.dev);
        if (other !== undefined && demands.allowDrivesOnOneDevice !== true) {
            const reason =
                `"${path}" is on the same device as "${other}", so that one disk's end takes both: ` +
                "give each drive a device of its own, or set allowDrivesOnOneDevice to true";
            problems.push({ propertyPath, reason });
        }
        devices.set(found.dev, other ?? path);
    }
    return problems;
}

async function checkPorts(engine: DockerEngine, demands: EngineDemands): Promise<Problem[]> {
    const { ports = [], publishAddress = "0.0.0.0", proxyName } = demands;
    const published = await engine.publishedPorts();
    const problems = await Promise.all(
        ports.map(async ({ propertyPath, port }): Promise<Problem[]> => {
            const holders = published.filter((other) => other.port === port && meet(other.address, publishAddress));
            const stranger = holders.find(({ container }) => container !== proxyName);
            if (stranger !== undefined) {
                const reason = `${port} is taken by the container ${stranger.container}: stop that one, or give another port`;
                return [{ propertyPath, reason }];
            }
            if (holders.length > 0 || !engine.local) {
                return [];
            }
            const refusal = await refusalToListen(port, publishAddress);
            if (refusal === "EADDRINUSE") {
                const reason = `${port} is taken by another program on ${publishAddress}: end that one, or give another port`;
                return [{ propertyPath, reason }];
            }
            if (refusal === "EADDRNOTAVAIL") {
                const reason = `"${publishAddress}" is no address of this host`;
                return [{ propertyPath: "publishAddress", reason }];
            }
            return [];
        }),
    );
    return problems.flat().filter(isFirstOfItsKind);
}

/** Whether two addresses to listen on exclude each other. */
function meet(one: string, other: string): boolean {
    const everywhere = ["0.0.0.0", "::"];
    return one === other || everywhere.includes(one) || everywhere.includes(other);
}

/** Why this host doesn't let a program listen there; nothing where it does. */
function refusalToListen(port: number, address: string): Promise<string | undefined> {
    return new Promise((resolve) => {
        const server = createServer();
        server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
        server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve(undefined)));
    });
}

function isFirstOfItsKind(problem: Problem, place: number, problems: Problem[]): boolean {
    return problems.findIndex((other) => other.reason === problem.reason) === place;
}
