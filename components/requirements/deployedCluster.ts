import { CURRENT, MARK_FILE, OF_VERSION, SECRETS_PATH, VERSION_FILE } from "../naming/containerFiles";
import { connectEngine } from "../docker/connectEngine";
import type { DockerEngine } from "../docker/engine";
import { presentHosts, type Host } from "../docker/hosts";
import type { ListedContainer, ListedVolume } from "../docker/model";
import { LABELS } from "../naming/labels";
import { localHost } from "../docker/localHost";
import { readEnvironmentFile } from "../store/environmentFile";
import type { ServiceProfile } from "../store/serviceProfile";
import type { NodeSpec } from "../store/topology";
import { formatFilesFor } from "../store/profiles/all";
import { readMark, type MigrationMark } from "./migrationMark";
import { kindOf, type NetworkKind } from "./networkKind";
import { volumeReader, type VolumeReader } from "../docker/volumeReader";
import { changesNothing } from "../pulumi/pulumiCommand";

/** An existing data volume. */
export interface DeployedDrive {
    /** Name of the host that has it. Undefined in a cluster on one host. */
    host?: string;
    volume: string;
    labels: { [label: string]: string };
    /** Folder of the host that it is bound to. Undefined for a volume in Docker's own data folder. */
    hostPath: string | undefined;
}

/** A node as it exists on the engine. */
export interface DeployedNode {
    name: string;
    /** Its container. Undefined if only its volumes are left. */
    container: ListedContainer | undefined;
    /** The engine's names of the image that its container runs. */
    imageNames: string[];
    /** Names of the variables in its container that aren't secret. Default: unknown. */
    openVariables?: string[];
    /** Whether its secrets can't be read without changing something, and so are unknown. */
    unread: boolean;
    /** The secret variables that it was prepared with. Undefined if it was never prepared, or if they are unread. */
    secrets: { [name: string]: string } | undefined;
    /**
     * The secret variables that its container was started with. They differ from `secrets` if an update ended after writing
     * new ones and before replacing the container. Undefined if unknown.
     */
    runningSecrets: { [name: string]: string } | undefined;
}

/** The existing parts of a cluster, independent of the stack's state. */
export interface DeployedCluster {
    nodes: DeployedNode[];
    /** Data volumes under the cluster's name. */
    drives: DeployedDrive[];
    /** Data volumes that the same component of the same stack has created under other cluster names. */
    formerDrives: DeployedDrive[];
    /** Data volumes of all other clusters on the engine. */
    otherDrives: DeployedDrive[];
    /**
     * Names of volumes with labels of other stacks or clusters that are in this stack's state: the stack had another name
     * when it created them.
     */
    volumesInState: string[];
    /** Names of volumes without a cluster label. A volume that was created by hand, for a backup, is as good. */
    otherVolumes: string[];
    /** Subnet of its node network. */
    subnet: string | undefined;
    /** Kind of its node network. Undefined if there is no such network. */
    networkKind?: NetworkKind;
    /** Id of the requested image. Undefined if the engine doesn't have it. */
    imageId: string | undefined;
    /** What is recorded of a migration between two stores. Undefined if the cluster was never migrated, or if that is unread. */
    mark?: MigrationMark;
    /** Whether the store has ever been formed. False if containers exist and no drive has the format file. */
    formed: boolean;
}

/** The part of a cluster that exists on one of its hosts. `formed` is undefined if no container there shows it. */
export type DeployedPart = Omit<DeployedCluster, "formed"> & { formed: boolean | undefined };

/** A cluster from its parts on its hosts, by the hosts' names. */
export function wholeCluster(parts: ReadonlyMap<string | undefined, DeployedPart>): DeployedCluster {
    const all = [...parts.values()];
    const formed = all.flatMap((part) => part.formed ?? []);
    return {
        nodes: all.flatMap(({ nodes }) => nodes),
        drives: [...parts].flatMap(([host, { drives }]) => drives.map((drive) => ({ ...drive, host }))),
        formerDrives: all.flatMap(({ formerDrives }) => formerDrives),
        otherDrives: all.flatMap(({ otherDrives }) => otherDrives),
        volumesInState: all.flatMap(({ volumesInState }) => volumesInState),
        otherVolumes: all.flatMap(({ otherVolumes }) => otherVolumes),
        subnet: all.find(({ subnet }) => subnet !== undefined)?.subnet,
        networkKind: all.find(({ networkKind }) => networkKind !== undefined)?.networkKind,
        imageId: all.find(({ imageId }) => imageId !== undefined)?.imageId,
        mark: all.find(({ mark }) => mark !== undefined)?.mark,
        formed: formed.length === 0 || formed.includes(true),
    };
}

/** The values by which a cluster is found. */
export interface DeployedClusterArgs {
    clusterName: string;
    stackName: string;
    componentName: string;
    networkName: string;
    profile: ServiceProfile;
    nodes: NodeSpec[];
    /** The requested image. Undefined while it isn't known. */
    image?: string;
}

/** Reads from the engines of its hosts, except those that are away, which parts of a cluster exist. */
export async function readDeployedCluster(
    hosts: readonly Host[],
    cluster: DeployedClusterArgs,
): Promise<DeployedCluster> {
    const parts = presentHosts(hosts).map(async ({ name, dockerHost }): Promise<[string | undefined, DeployedPart]> => [
        name,
        await readDeployedPart(await connectEngine(dockerHost), cluster),
    ]);
    return wholeCluster(new Map(await Promise.all(parts)));
}

/**
 * Reads from one engine which parts of a cluster exist. In a preview it creates no container for that, so the secrets of a
 * node without a container may stay unread.
 */
export async function readDeployedPart(engine: DockerEngine, cluster: DeployedClusterArgs): Promise<DeployedPart> {
    const host = engine.local ? localHost : undefined;
    const reader = volumeReader(engine, host, cluster.clusterName, !changesNothing());
    const { clusterName, stackName, componentName, networkName } = cluster;
    const [all, own, ofStack, containers, networks] = await Promise.all([
        engine.volumes(),
        engine.volumes(LABELS.cluster, clusterName),
        engine.volumes(LABELS.stack, stackName),
        engine.containers(LABELS.cluster, clusterName),
        engine.networks(),
    ]);
    const prepared = own.map(({ labels }) => labels[LABELS.node] ?? "");
    const imageNames = onceForEach((id: string) => engine.imageNames(id));
    const nodeNetwork = networks.find(({ name }) => name === networkName);
    const names = [...new Set([...prepared, ...containers.map(({ labels }) => labels[LABELS.node] ?? "")])];
    return {
        nodes: await Promise.all(
            names
                .filter((name) => name.startsWith(`${clusterName}-pool`))
                .sort()
                .map((name) =>
                    readNode(
                        engine,
                        reader,
                        name,
                        containers,
                        own.some((volume) => volume.name === `${name}-secrets`),
                        imageNames,
                    ),
                ),
        ),
        drives: drivesAmong(own, all),
        formerDrives: drivesAmong(ofStack, all).filter(
            ({ labels }) => labels[LABELS.component] === componentName && labels[LABELS.cluster] !== clusterName,
        ),
        otherDrives: drivesAmong(
            all.filter(({ labels }) => ![undefined, clusterName].includes(labels[LABELS.cluster])),
            all,
        ),
        volumesInState: [],
        otherVolumes: all.filter(({ labels }) => labels[LABELS.cluster] === undefined).map(({ name }) => name),
        imageId: cluster.image === undefined ? undefined : await engine.imageId(cluster.image),
        subnet: nodeNetwork?.subnet,
        networkKind: nodeNetwork === undefined ? undefined : kindOf(nodeNetwork),
        formed: await wasFormed(
            engine,
            cluster.nodes.filter((place) => containers.some(({ name }) => name === place.name)),
            formatFilesFor(cluster.profile),
        ),
        mark: await markOf(engine, reader, `${clusterName}-pool1-node1`, containers, own),
    };
}

/**
 * Checks through the existing containers for a file that the store, or one that it can be migrated from, writes on each drive when it
 * is first formed. Undefined if there are no containers.
 */
async function wasFormed(
    engine: Pick<DockerEngine, "hasFile">,
    places: NodeSpec[],
    formatFiles: string[],
): Promise<boolean | undefined> {
    const looks = places.flatMap(({ name, drives: [drive] }) =>
        drive === undefined
            ? []
            : formatFiles.map((file) => () => engine.hasFile(name, `${drive.mountPath}/${file}`).catch(() => true)),
    );
    const [first, ...rest] = looks;
    if (first === undefined) {
        return undefined;
    }
    // Nearly always the first node's drive shows it: one query in place of two for each node.
    return (await first()) || (await Promise.all(rest.map((look) => look()))).includes(true);
}

/** A question that is asked once for each subject. */
function onceForEach<Answer>(ask: (subject: string) => Promise<Answer>): (subject: string) => Promise<Answer> {
    const asked = new Map<string, Promise<Answer>>();
    return (subject) => {
        const answer = asked.get(subject) ?? ask(subject);
        asked.set(subject, answer);
        return answer;
    };
}

async function readNode(
    engine: DockerEngine,
    reader: VolumeReader,
    name: string,
    containers: ListedContainer[],
    hasSecretsVolume: boolean,
    imageNames: (id: string) => Promise<string[]>,
): Promise<DeployedNode> {
    const container = containers.find((listed) => listed.name === name);
    const found =
        container !== undefined
            ? await secretsOf(engine, name, CURRENT)
            : hasSecretsVolume
              ? await reader.read(
                    `${name}-secrets`,
                    SECRETS_FILES.map((file) => `${CURRENT}/${file}`),
                )
              : [];
    const [text, version] = found ?? [];
    const secrets = text === undefined ? undefined : readEnvironmentFile(text);
    return {
        name,
        container,
        imageNames: container === undefined ? [] : await imageNames(container.imageId),
        openVariables: container === undefined ? [] : await engine.variableNames(container.id),
        unread: found === undefined,
        secrets,
        runningSecrets:
            container?.labels[LABELS.secretsVersion] === version ? secrets : await formerSecrets(engine, container),
    };
}

/** What the first node's volume of secrets has about a migration. */
async function markOf(
    engine: DockerEngine,
    reader: VolumeReader,
    node: string,
    containers: ListedContainer[],
    own: ListedVolume[],
): Promise<MigrationMark | undefined> {
    if (containers.some(({ name }) => name === node)) {
        return readMark(await engine.readFile(node, `${SECRETS_PATH}/${MARK_FILE}`));
    }
    const volume = `${node}-secrets`;
    const found = own.some(({ name }) => name === volume) ? await reader.read(volume, [MARK_FILE]) : undefined;
    return readMark(found?.[0]);
}

/** A node's files with its secrets and their version. */
const SECRETS_FILES = ["environment", VERSION_FILE];

async function secretsOf(engine: DockerEngine, container: string, link: string): Promise<(string | undefined)[]> {
    const files = await engine.readFolder(container, `${SECRETS_PATH}/${link}`);
    return SECRETS_FILES.map((file) => files.get(file));
}

/** Former secrets that the container was started with, if they are kept. */
async function formerSecrets(
    engine: DockerEngine,
    container: ListedContainer | undefined,
): Promise<{ [name: string]: string } | undefined> {
    const version = container?.labels[LABELS.secretsVersion];
    if (container === undefined || version === undefined) {
        return undefined;
    }
    const [text] = await secretsOf(engine, container.name, OF_VERSION + version);
    return text === undefined ? undefined : readEnvironmentFile(text);
}

/**
 * Data volumes, identified by their own labels. Volumes that existed before their node are identified by the labels of its
 * secrets volume.
 */
function drivesAmong(volumes: ListedVolume[], all: ListedVolume[]): DeployedDrive[] {
    return volumes.flatMap(({ name, labels, hostPath }) => {
        const { [LABELS.volumes]: existing, ...ofNode } = labels;
        if (existing !== undefined) {
            return existing.split(",").flatMap((volume, index) => {
                const there = all.find((other) => other.name === volume);
                const node = /-node(\d+)$/.exec(labels[LABELS.node] ?? "")?.[1] ?? "";
                const placed = { ...ofNode, [LABELS.node]: node, [LABELS.drive]: String(index + 1) };
                return there === undefined ? [] : [{ volume, labels: placed, hostPath: there.hostPath }];
            });
        }
        return labels[LABELS.drive] === undefined ? [] : [{ volume: name, labels, hostPath }];
    });
}
