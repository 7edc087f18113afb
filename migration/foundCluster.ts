import type Docker from "dockerode";
import type { DockerEngine } from "../components/docker/engine";
import type { HostEngines } from "../components/docker/hosts";
import type { ListedContainer } from "../components/docker/model";
import { CURRENT, MARK_FILE, SECRETS_PATH } from "../components/naming/containerFiles";
import { LABELS } from "../components/naming/labels";
import { readMark, type MigrationMark } from "../components/requirements/migrationMark";
import { findProfile, profileNames } from "../components/store/profiles/all";
import { readEnvironmentFile } from "../components/store/environmentFile";
import type { ServiceProfile } from "../components/store/serviceProfile";
import type { NodeSpec } from "../components/store/topology";
import { drivesOf, secretsVolumeOf, type OwnContainer } from "./ownContainer";
import { TrialContainers, type TrialClient } from "./trialContainers";

/** A node with a container. */
export interface FoundNode {
    place: NodeSpec;
    own: OwnContainer;
    container: ListedContainer;
    /** The store that its container runs. */
    profile: ServiceProfile;
    /** Its secret variables. */
    secrets: { [name: string]: string };
    /** All files that its store reads at its start, by name. */
    files: ReadonlyMap<string, string>;
}

/** A deployed cluster, as its containers show it. */
export interface FoundCluster {
    name: string;
    /** Project and stack, joined by a slash. */
    stackName: string;
    networkName: string;
    /** The nodes that have a container, in the order of their names. */
    nodes: readonly FoundNode[];
    /** Names of the nodes that have no container. */
    missing: readonly string[];
    /** What is recorded of a migration. Undefined if the cluster was never migrated. */
    mark: MigrationMark | undefined;
    engines: HostEngines<DockerEngine>;
    trialsOn: (host: string | undefined) => TrialContainers;
}

/** The engine of a host, and a client of it. */
export interface MigrationHost {
    /** Undefined for the only host of a deployment that names none. */
    name?: string;
    engine: DockerEngine;
    docker: Docker;
}

/**
 * Finds a cluster by its containers.
 *
 * @throws {Error} if there is none, or it can't be read.
 */
export async function findCluster(
    name: string,
    hosts: readonly MigrationHost[],
    engines: HostEngines<DockerEngine>,
): Promise<FoundCluster> {
    const trials = new Map(
        hosts.map((host) => [host.name, new TrialContainers(host.docker as unknown as TrialClient)]),
    );
    const trialsOn = (host: string | undefined) => trials.get(host) as TrialContainers;
    const listed = await engines.containers(LABELS.cluster, name);
    const found = await Promise.all(
        hosts.map(async (host) => {
            const owns = await trialsOn(host.name).nodes(name);
            return Promise.all(owns.map((own) => readNode(own, host, listed)));
        }),
    );
    const nodes = found.flat().sort((one, other) => byNumber(one.place.name, other.place.name));
    const [first] = nodes;
    if (first === undefined) {
        throw new Error(
            `${name}: no node of this cluster has a container here. Run \`npm run up\` with the profile that it had, then this command again`,
        );
    }
    return {
        name,
        stackName: first.own.Config.Labels[LABELS.stack] ?? "",
        networkName: networkOf(first),
        nodes: nodes.map((node, index) => ({ ...node, place: { ...node.place, serverName: `node${index + 1}` } })),
        missing: peersOf(first.own, name).filter((peer) => !nodes.some(({ place }) => place.name === peer)),
        mark: await markOf(nodes, engines, name),
        engines,
        trialsOn,
    };
}

async function readNode(
    own: OwnContainer,
    { name: host, engine }: MigrationHost,
    listed: ListedContainer[],
): Promise<FoundNode> {
    const name = own.Name.replace(/^\//, "");
    const variables = own.Config.Env.map((entry) => entry.slice(0, entry.indexOf("=")));
    const profile = profileNames
        .flatMap((one) => findProfile(one) ?? [])
        .find(({ variables: { volumes } }) => variables.includes(volumes));
    const container = listed.find((one) => one.name === name);
    if (profile === undefined || container === undefined) {
        throw new Error(`${name}: it runs neither of ${profileNames.join(", ")}, so it can't be migrated`);
    }
    const files = await engine.readFolder(name, `${SECRETS_PATH}/${CURRENT}`);
    return {
        place: {
            name,
            serverName: name,
            host,
            address: addressOf(own, name),
            drives: drivesOf(own).map((drive) => ({ ...drive, labels: {} })),
        },
        own,
        container,
        profile,
        files,
        secrets: readEnvironmentFile(files.get("environment") ?? ""),
    };
}

/** Names of all nodes, which each node has in its hosts file. */
function peersOf({ HostConfig: { ExtraHosts: hosts } }: OwnContainer, cluster: string): string[] {
    const names = (hosts ?? []).map((text) => text.slice(0, text.indexOf(":")));
    return names.filter((name) => name.startsWith(`${cluster}-pool`));
}

/** The node's fixed address, which all nodes have in their hosts file. */
function addressOf({ HostConfig: { ExtraHosts: hosts } }: OwnContainer, name: string): string {
    const entry = (hosts ?? []).find((text) => text.startsWith(`${name}:`));
    return entry?.slice(name.length + 1) ?? "";
}

/** The network on which the node has its fixed address. */
function networkOf({ own, place }: FoundNode): string {
    const networks = Object.entries(own.NetworkSettings.Networks);
    const found = networks.find(([, { IPAMConfig: fixed }]) => fixed?.IPv4Address === place.address);
    return found?.[0] ?? networks[0]?.[0] ?? "";
}

/** The mark, which the first node has. */
async function markOf(
    nodes: readonly FoundNode[],
    engines: HostEngines<DockerEngine>,
    cluster: string,
): Promise<MigrationMark | undefined> {
    const first = nodes.find(({ place }) => place.name === `${cluster}-pool1-node1`);
    if (first === undefined) {
        throw new Error(
            `${cluster}-pool1-node1 has no container, and what is recorded of a migration is beside it. Run \`npm run up\` with the ` +
                "profile that the cluster has, then this command again",
        );
    }
    return readMark(await engines.on(first.place.host).readFile(first.place.name, `${SECRETS_PATH}/${MARK_FILE}`));
}

/** Records a migration, or that there is none. */
export async function writeMark({ name, nodes: [first], trialsOn }: FoundCluster, text: string): Promise<void> {
    if (first !== undefined) {
        await trialsOn(first.place.host).change(name, {
            node: first.place.name,
            image: first.own.Image,
            drives: [],
            mark: { volume: secretsVolumeOf(first.own) ?? "", text },
        });
    }
}

function byNumber(one: string, other: string): number {
    return one.localeCompare(other, "en", { numeric: true });
}
