import * as pulumi from "@pulumi/pulumi";
import { connectEngine } from "../docker/connectEngine";
import type { DesiredCluster } from "./desiredCluster";
import { checkCluster } from "./clusterRequirements";
import type { DockerEngine } from "../docker/engine";
import type { DockerHost } from "../docker/providerHost";
import { EngineSnapshot } from "./engineCache";
import { checkDriveFolders, type WantedDrives } from "./drivePathChecks";
import { checkHaproxyVersion } from "../checks/imageChecks";
import { checkLimits, limitsWithoutEffect, type WantedLimits } from "./limitChecks";
import { onHost } from "../docker/hosts";
import { localHost, type LocalHost } from "../docker/localHost";
import { checkIpv6Network } from "./ipv6NetworkChecks";
import { checkNetworks, type WantedNetwork } from "./networkChecks";
import { checkPorts } from "./portChecks";
import { ifKnown } from "../checks/plain";
import type { EngineSwarm } from "../docker/swarm";
import type { StoreHost } from "../args/hostArgs";
import { checkSwarmOfPresent } from "../hosts/swarm/swarmChecks";
import { withMessageOnly, type Problem } from "../checks/problem";
import { refuse } from "../checks/refusal";
import { awaitedByProgram } from "../pulumi/awaitedByProgram";
import { settled } from "../pulumi/settled";

/** What a deployment will require of the host. Each part is checked if it is set. */
export interface EngineDemands {
    /** Docker host, as {@link connectEngine} takes it. */
    dockerHost?: DockerHost;
    /** Networks that will be created: their names and subnets. */
    networks?: WantedNetwork[];
    /** The desired cluster, which the deployed one must be able to become. */
    cluster?: DesiredCluster;
    /** Folders of the host that hold drives. */
    drives?: WantedDrives;
    /** Limits of the containers that will be created. */
    limits?: WantedLimits;
    /** Ports that the proxy will publish. */
    ports?: { propertyPath: string; port: number }[];
    /** Address that it publishes them on. */
    publishAddress?: string;
    /** Another address that it publishes them on. */
    publishIpv6Address?: string;
    /** IPv6 network that will be created. */
    ipv6Network?: WantedNetwork;
    /** Image of the proxy. Its version is read from the engine if the engine has the image. */
    proxyImage?: { propertyPath: string; reference: string };
    /** Name of the proxy's own container. Its ports are no conflict. */
    proxyName?: string;
    /** Requirements that depend on values of other resources. Each is checked once its values are known. */
    later?: pulumi.Output<LaterDemands>[];
    /** Hosts that must be members of one swarm. */
    swarm?: readonly StoreHost[];
    /** Requirements on each of several hosts, by the hosts' names. Default: one host. */
    ofHosts?: ReadonlyMap<string, HostDemands>;
    /** Requirements of further clusters on the same host, each with a `term` of its own. */
    others?: EngineDemands[];
    /** Maps the path of a property to the one that the user has set. Default: they are the same. */
    term?: (propertyPath: string) => string;
}

/** Requirements on one of several hosts. */
export type HostDemands = Omit<EngineDemands, "cluster" | "dockerHost" | "ofHosts" | "others" | "swarm" | "term">;

/** What follows from values that other resources provide. */
export interface LaterDemands {
    /** Problems of the values themselves. */
    problems: Problem[];
    /** Requirements on the host. */
    demands: Omit<EngineDemands, "later" | "others">;
}

/**
 * Problems of the engines and their hosts that prevent a deployment. Only reads; changes nothing.
 *
 * @param snapshot The engines of the deployment's hosts. Default: the one at `demands.dockerHost`.
 */
export async function checkEngine(
    demands: EngineDemands,
    snapshot = new EngineSnapshot(demands.dockerHost),
): Promise<Problem[]> {
    const engines = await Promise.allSettled([...snapshot.hosts.values()].map((host) => host.engine()));
    const names = [...snapshot.hosts.keys()];
    const unreachable = engines.flatMap((result, place): Problem[] =>
        result.status === "rejected"
            ? [
                  {
                      propertyPath:
                          names[place] === undefined
                              ? "dockerHost"
                              : `hosts[${snapshot.names.indexOf(names[place])}].dockerHost`,
                      reason: onHost(names[place], (result.reason as Error).message),
                  },
              ]
            : [],
    );
    if (unreachable.length > 0) {
        return unreachable;
    }
    const { cluster, ofHosts, others = [], swarm, term = (path: string) => path } = demands;
    const outside = swarm === undefined ? [] : checkSwarmOfPresent(swarm, await swarmsOf(snapshot, swarm));
    if (outside.length > 0) {
        return outside;
    }
    const found = await Promise.all([
        ...[...snapshot.hosts].map(async ([name, host]) => {
            const ofHost = name === undefined ? demands : ofHosts?.get(name);
            const itsHost = hostOf(swarm?.find((member) => member.name === name));
            const warn = (text: string) => snapshot.warnOnce(name ?? "", text, onHost(name, text));
            const problems = ofHost === undefined ? [] : await checkHost(ofHost, await host.engine(), itsHost, warn);
            return problems.map(({ propertyPath, reason }) => ({ propertyPath, reason: onHost(name, reason) }));
        }),
        cluster === undefined ? [] : checkCluster(snapshot, cluster),
    ]);
    const ofOthers = await Promise.all(others.map((other) => checkEngine(other, snapshot)));
    return [
        ...found.flat().map(({ propertyPath, reason }) => ({ propertyPath: term(propertyPath), reason })),
        ...ofOthers.flat(),
    ].filter(isFirstOfItsKind);
}

/** What the engine of each host that isn't away reports about its swarm. */
async function swarmsOf(
    { hosts }: EngineSnapshot,
    members: readonly StoreHost[],
): Promise<Map<string, EngineSwarm | Error>> {
    const found = members.flatMap(({ name }): Promise<[string, EngineSwarm | Error]>[] => {
        const host = hosts.get(name);
        const asked = async () => (await host?.engine())?.swarm() ?? new Error("is not known");
        return host === undefined
            ? []
            : [
                  asked().then(
                      (swarm) => [name, swarm],
                      (error: unknown) => [name, error as Error],
                  ),
              ];
    });
    return new Map(await Promise.all(found));
}

/**
 * The host of a member whose engine is at a local socket. If the member's address isn't one of this host, the engine is in a
 * network namespace of its own: then its ports and networks are others than this host's, and can't be tested.
 */
function hostOf(member: StoreHost | undefined): LocalHost {
    const own = [...localHost.addresses(4), ...localHost.addresses(6)];
    return member === undefined || own.includes(member.address) ? localHost : withoutNetworks;
}

const withoutNetworks: LocalHost = {
    ...localHost,
    networks: () => Promise.resolve([]),
    ipv6Networks: () => Promise.resolve([]),
    refusalToListen: () => Promise.resolve(undefined),
};

/** Problems of one engine and its host, without the cluster. */
async function checkHost(
    demands: HostDemands,
    engine: DockerEngine,
    itsHost: LocalHost,
    warn: Warn,
): Promise<Problem[]> {
    const host = engine.local ? itsHost : undefined;
    const { networks = [], drives, limits = {}, ports = [], publishAddress = "0.0.0.0" } = demands;
    const { proxyImage, proxyName, ipv6Network, publishIpv6Address } = demands;
    const checkPublished = async (addresses: [property: string, address: string][]) => {
        const published = await engine.publishedPorts();
        const problems = addresses.map(([addressProperty, address]) =>
            checkPorts({ ports, publishAddress: address, addressProperty, proxyName }, published, host),
        );
        return (await Promise.all(problems)).flat();
    };
    // Read before the engine's own networks: a network that is created meanwhile must not look like a foreign one.
    const ofHost = networks.length === 0 ? [] : ((await host?.networks()) ?? []);
    const ofHostByIpv6 = ipv6Network === undefined ? [] : ((await host?.ipv6Networks()) ?? []);
    const found = await Promise.all([
        networks.length === 0 ? [] : engine.networks().then((present) => checkNetworks(networks, present, ofHost)),
        drives === undefined ? [] : checkDrives(engine, drives, host, warn),
        ports.length === 0
            ? []
            : checkPublished([
                  ["publishAddress", publishAddress],
                  ...(publishIpv6Address === undefined
                      ? []
                      : [["publishIpv6Address", publishIpv6Address] satisfies [string, string]]),
              ]),
        ipv6Network === undefined
            ? []
            : engine.ipv6Networks().then((present) => checkIpv6Network(ipv6Network, present, ofHostByIpv6)),
        proxyImage === undefined
            ? []
            : engine
                  .imageVariables(proxyImage.reference)
                  .then((found) => checkHaproxyVersion(proxyImage.propertyPath, proxyImage.reference, found)),
        Object.keys(limits).length === 0 ? [] : checkLimitsOn(engine, limits, host, warn),
    ]);
    return found.flat();
}

/**
 * For `dependsOn` of every child of a component: resolves to the component's own dependencies after the engine was checked.
 * Values from other resources that aren't known in a preview are checked in the update.
 *
 * @param demands The requirements. Undefined if the caller has checked them before.
 * @param snapshot The engine at `demands.dockerHost`. Default: a new one.
 * @throws {pulumi.InputPropertiesError} with every problem of {@link checkEngine}, so that no child is created.
 */
export function engineAllows(
    component: string,
    demands: EngineDemands | undefined,
    dependsOn: pulumi.ResourceOptions["dependsOn"] = [],
    snapshot = new EngineSnapshot(demands?.dockerHost),
): pulumi.Output<pulumi.Resource[]> {
    const before = pulumi.output(dependsOn).apply((resources) => [resources].flat());
    if (demands === undefined) {
        return before;
    }
    const { dockerHost, term, later = [], ofHosts, others = [] } = demands;
    const laterOfHosts = [...(ofHosts ?? [])].flatMap(([name, ofHost]) =>
        (ofHost.later ?? []).map((output) => output.apply((one) => onlyOn(name, one))),
    );
    const allLater = [
        ...[...later, ...laterOfHosts].map((output) => ({ output, term })),
        ...others.flatMap((other) => (other.later ?? []).map((output) => ({ output, term: other.term }))),
    ];
    // The check waits until the host is known.
    const plain = pulumi.all([dockerHost, before]).apply(async ([, resources]) => {
        refuse(component, await checkEngine(demands, snapshot));
        return resources;
    });
    // In a preview, requirements whose values are unknown are left out.
    const allowed = pulumi
        .all([pulumi.all(allLater.map(({ output }) => ifKnown(output))), plain])
        .apply(async ([found, resources]) => {
            const known = found.flatMap((one, place) =>
                one === undefined ? [] : [{ ...one, inTerm: allLater[place]?.term ?? ((path: string) => path) }],
            );
            const onEngine = await Promise.all(
                known.map((one) => checkEngine({ ...one.demands, dockerHost, term: one.inTerm }, snapshot)),
            );
            const ofValues = known.flatMap((one) =>
                one.problems.map(({ propertyPath, reason }) => ({ propertyPath: one.inTerm(propertyPath), reason })),
            );
            const problems = [...ofValues, ...onEngine.flat()];
            refuse(component, problems.filter(isFirstOfItsKind));
            return resources;
        });
    return awaitedByProgram(allowed);
}

/** Later requirements of one of several hosts. */
function onlyOn(name: string, { problems, demands }: LaterDemands): LaterDemands {
    return { problems, demands: { ofHosts: new Map([[name, demands]]) } };
}

/** The combined requirements of a cluster and its front end on one host, under the property names of the args of both. */
export function bothDemands(one: HostDemands, other: HostDemands): HostDemands {
    const { proxyImage } = other;
    return {
        ...one,
        ...other,
        ...(proxyImage === undefined ? {} : { proxyImage: { ...proxyImage, propertyPath: "haproxyImage" } }),
        networks: [...(one.networks ?? []), ...(other.networks ?? [])],
        later: [...(one.later ?? []), ...(other.later ?? [])],
        limits: { ...other.limits, ...one.limits },
    };
}

function isFirstOfItsKind({ propertyPath, reason }: Problem, place: number, problems: Problem[]): boolean {
    return problems.findIndex((other) => other.propertyPath === propertyPath && other.reason === reason) === place;
}

/** The requirements as a whole, if all values that they depend on are plain ones. */
export async function withLaterDemands({ later = [], others, ...demands }: EngineDemands): Promise<EngineDemands> {
    const known = await Promise.all(later.map(settled));
    const whole = known.reduce<EngineDemands>((sum, { demands: more }) => ({ ...sum, ...more }), demands);
    return others === undefined ? whole : { ...whole, others: await Promise.all(others.map(withLaterDemands)) };
}

/**
 * Options of an internal network that isolate it from the Docker host, if the engine supports them: its bridge then has no
 * address of the host.
 *
 * @param allowed What {@link engineAllows} returns: an engine that doesn't answer at all is reported there.
 * @throws {Error} in an update, if the engine doesn't say whether it supports them: a network without them would stay so.
 */
export function isolatedGateway(
    dockerHost?: DockerHost,
    allowed: pulumi.Input<pulumi.Resource[]> = [],
): pulumi.Output<{ [option: string]: string }> {
    return pulumi.all([dockerHost, allowed]).apply(() => gatewayOptions(dockerHost));
}

/** The options of {@link isolatedGateway}, once its engine may be asked. */
export async function gatewayOptions(dockerHost?: DockerHost): Promise<{ [option: string]: string }> {
    try {
        const isolates = await (await connectEngine(dockerHost)).isolatesGateways();
        return isolates ? { "com.docker.network.bridge.gateway_mode_ipv4": "isolated" } : {};
    } catch (error) {
        if (pulumi.runtime.isDryRun()) {
            return {};
        }
        const message = `the node network was not made, since the engine doesn't say how: ${(error as Error).message}`;
        throw withMessageOnly(new Error(`${message.trim()}. Run the same command again`));
    }
}

/** Warns of something on one host. */
type Warn = (text: string) => Promise<void>;

async function checkLimitsOn(
    engine: DockerEngine,
    limits: WantedLimits,
    host: LocalHost | undefined,
    warn: Warn,
): Promise<Problem[]> {
    const info = await engine.info();
    const without = limitsWithoutEffect(limits, info);
    if (without.length > 0) {
        await warn(
            `${without.join(", ")}: no effect, since the engine can't limit that; \`docker info\` says why. An engine without root needs a ` +
                "host with cgroup v2, and systemd that delegates the controllers",
        );
    }
    return checkLimits(limits, info, host);
}

async function checkDrives(
    engine: DockerEngine,
    drives: WantedDrives,
    host: LocalHost | undefined,
    warn: Warn,
): Promise<Problem[]> {
    if (drives.folders.length === 0) {
        return [];
    }
    if (host === undefined) {
        await warn(
            "drivePaths are on another host, so this program can't check that they exist, are empty and are on separate devices",
        );
    }
    return checkDriveFolders(drives, await engine.info(), await engine.volumes(), await engine.folderMounts(), host);
}
