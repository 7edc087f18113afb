import type { DockerEngine, ListedContainer } from "./dockerEngine";
import { readEnvironmentFile } from "./nodeEnvironment";
import { LABEL_PREFIX, type NodePlace } from "./topology";
import { CURRENT } from "./volumeFiles";

/** Folder in a node's container where its secrets are mounted. */
export const SECRETS_PATH = "/run/store";

/** Labels by which what is deployed is found again, with or without the stack's state. */
export const LABELS = {
    cluster: `${LABEL_PREFIX}.cluster`,
    node: `${LABEL_PREFIX}.node`,
    pool: `${LABEL_PREFIX}.pool`,
    profile: `${LABEL_PREFIX}.profile`,
    nodesInPool: `${LABEL_PREFIX}.nodes-in-pool`,
    drivesPerNode: `${LABEL_PREFIX}.drives-per-node`,
    /** Project and stack, joined by a slash. */
    stack: `${LABEL_PREFIX}.stack`,
    /** Name of the component in its program. */
    component: `${LABEL_PREFIX}.component`,
    /** Digest of a container's inputs. */
    inputs: `${LABEL_PREFIX}.inputs`,
    /** Digest of what a node has alike with its peers. */
    alike: `${LABEL_PREFIX}.alike`,
    frontEnd: `${LABEL_PREFIX}.front-end`,
} as const;

/** A data volume that is there. */
export interface DeployedDrive {
    volume: string;
    labels: { [label: string]: string };
}

/** A node as the engine has it. */
export interface DeployedNode {
    name: string;
    /** Its container; none where only its volumes are left. */
    container: ListedContainer | undefined;
    /** The secret variables that it was prepared with; none where it never was. */
    secrets: { [name: string]: string } | undefined;
}

/** What is there of a cluster, whatever the stack's state says. */
export interface DeployedCluster {
    nodes: DeployedNode[];
    /** Data volumes under the cluster's name. */
    drives: DeployedDrive[];
    /** Data volumes that the same component of the same stack has made under other names. */
    formerDrives: DeployedDrive[];
    /** Addresses of its node network. */
    subnet: string | undefined;
}

/** Asks the engine what is there of a cluster. */
export async function readDeployedCluster(
    engine: DockerEngine,
    cluster: { clusterName: string; stackName: string; componentName: string; networkName: string },
): Promise<DeployedCluster> {
    const { clusterName, stackName, componentName, networkName } = cluster;
    const [own, ofStack, containers, networks] = await Promise.all([
        engine.volumeLabels(LABELS.cluster, clusterName),
        engine.volumeLabels(LABELS.stack, stackName),
        engine.containers(LABELS.cluster, clusterName),
        engine.subnets(),
    ]);
    const prepared = Object.values(own).map((labels) => labels[LABELS.node] ?? "");
    const names = [...new Set([...prepared, ...containers.map(({ labels }) => labels[LABELS.node] ?? "")])];
    return {
        nodes: await Promise.all(
            names
                .filter((name) => name.startsWith(`${clusterName}-pool`))
                .sort()
                .map((name) => readNode(engine, name, containers, `${name}-secrets` in own)),
        ),
        drives: drivesAmong(own),
        formerDrives: drivesAmong(ofStack).filter(
            ({ labels }) => labels[LABELS.component] === componentName && labels[LABELS.cluster] !== clusterName,
        ),
        subnet: networks.find(({ network }) => network === networkName)?.subnet,
    };
}

/** Whether any of a cluster's drives holds what its store writes when the cluster is first formed. */
export async function holdsData(engine: DockerEngine, places: NodePlace[], formatFile: string): Promise<boolean> {
    const looks = places.flatMap(({ name, drives: [drive] }) =>
        drive === undefined ? [] : [engine.hasFile(name, `${drive.mountPath}/${formatFile}`).catch(() => true)],
    );
    return (await Promise.all(looks)).includes(true);
}

async function readNode(
    engine: DockerEngine,
    name: string,
    containers: ListedContainer[],
    hasSecretsVolume: boolean,
): Promise<DeployedNode> {
    const container = containers.find((listed) => listed.name === name);
    const file = `${CURRENT}/environment`;
    const text =
        container !== undefined
            ? await engine.readFile(name, `${SECRETS_PATH}/${file}`)
            : hasSecretsVolume
              ? await engine.lookInto({ "/volume": `${name}-secrets` }, (id) => engine.readFile(id, `/volume/${file}`))
              : undefined;
    return { name, container, secrets: text === undefined ? undefined : readEnvironmentFile(text) };
}

function drivesAmong(volumes: { [volume: string]: { [label: string]: string } }): DeployedDrive[] {
    return Object.entries(volumes)
        .filter(([, labels]) => labels[LABELS.pool] !== undefined)
        .map(([volume, labels]) => ({ volume, labels }));
}
