import * as pulumi from "@pulumi/pulumi";
import { stat } from "node:fs/promises";
import { createServer } from "node:net";
import { DockerEngine } from "./dockerEngine";
import { networksOverlap } from "./ipv4Network";
import { refuse, type Problem } from "./problem";
import { LABEL_PREFIX } from "./topology";

/** What a deployment will ask of the host. Each part is checked where it is given. */
export interface EngineDemands {
    /** Docker host, as {@link DockerEngine.connect} takes it. */
    dockerHost?: string;
    /** Networks that are to be made: their names and what addresses they want. */
    networks?: { name: string; propertyPath: string; subnet: string }[];
    /** The shape of the cluster, which data that is there must have. */
    shape?: { clusterName: string; profileName: string; nodeCount: number; drivesPerNode: number };
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
        checkData(engine, demands),
        checkDrivePaths(engine, demands),
        checkPorts(engine, demands),
    ]);
    return found.flat();
}

/**
 * For `dependsOn` of every child of a component: nothing, once the engine was asked.
 *
 * @throws {pulumi.InputPropertiesError} with every problem of {@link checkEngine}, so that no child is created.
 */
export function engineAllows(component: string, demands: EngineDemands): pulumi.Output<pulumi.Resource[]> {
    return pulumi.output(
        checkEngine(demands).then((problems) => {
            refuse(component, problems);
            return [];
        }),
    );
}

/**
 * Options of an internal network that keep the Docker host itself out of it, as far as the engine has such: its bridge
 * then has no address of the host's.
 */
export function isolatedGateway(dockerHost?: string): pulumi.Output<{ [option: string]: string }> {
    const isolates = async (): Promise<boolean> => {
        try {
            return await (await DockerEngine.connect(dockerHost)).isolatesGateways();
        } catch {
            // That the engine doesn't answer is told by `engineAllows`.
            return false;
        }
    };
    return pulumi.output(
        isolates().then((yes): { [option: string]: string } =>
            yes ? { "com.docker.network.bridge.gateway_mode_ipv4": "isolated" } : {},
        ),
    );
}

async function checkNetworks(engine: DockerEngine, { networks = [] }: EngineDemands): Promise<Problem[]> {
    const present = await engine.subnets();
    return networks.flatMap(({ name, propertyPath, subnet }, place) => {
        const others = [
            ...present.filter(({ network }) => networks.every((wished) => wished.name !== network)),
            ...networks.slice(0, place).map((wished) => ({ network: wished.name, subnet: wished.subnet })),
        ];
        return others
            .filter((other) => other.network !== name && networksOverlap(other.subnet, subnet))
            .map((other) => ({
                propertyPath,
                reason:
                    `"${subnet}" overlaps with ${other.subnet} of the Docker network ${other.network}: ` +
                    "give another, such as 10.200.7.0/24",
            }));
    });
}

/** Data volumes outlive a stack; their labels say what they are part of. */
async function checkData(engine: DockerEngine, { shape }: EngineDemands): Promise<Problem[]> {
    if (shape === undefined) {
        return [];
    }
    const { clusterName, profileName, nodeCount, drivesPerNode } = shape;
    const volumes = await engine.volumeLabels(`${LABEL_PREFIX}.cluster`, clusterName);
    const fixed: { [property: string]: [label: string, wish: string] } = {
        profile: ["profile", profileName],
        nodeCount: ["nodes-in-pool", String(nodeCount)],
        drivesPerNode: ["drives-per-node", String(drivesPerNode)],
    };
    return Object.entries(fixed).flatMap(([propertyPath, [label, wish]]) => {
        const [other] = Object.entries(volumes)
            .map(([volume, labels]) => ({ volume, found: labels[`${LABEL_PREFIX}.${label}`] }))
            .filter(({ found }) => found !== undefined && found !== wish);
        if (other === undefined) {
            return [];
        }
        const reason =
            `${wish} is not what the cluster ${clusterName} has data for: its volume ${other.volume} was made with ${propertyPath} ${other.found}. ` +
            "It is fixed for a cluster's life: set it back, or give a new cluster another clusterName, " +
            "or destroy this one with its data first";
        return [{ propertyPath, reason }];
    });
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
