import { addressOfKeepalived } from "../../components/hosts/floatingAddress/keepalivedNames";
import { LABELS } from "../../components/naming/labels";
import { findProfile, profileNames } from "../../components/store/profiles/all";
import { hostOf } from "./stackHosts";
import { lacksConsole } from "../images/builtImages";
import { DOCKER_TYPES, isDataVolume, nameOf, type StateResource } from "../pulumi/stackState";

/** A data volume as mounted by a node. */
export interface ExpectedVolume {
    name: string;
    node: string;
    /** Mount path in the node. */
    path: string;
}

/** A keepalived that may hold a floating address on its host. */
export interface ExpectedKeepalived {
    /** Name of its container. */
    name: string;
    /** The floating address. */
    address: string;
}

/** The resources that a stack should have on its engines after its last update. */
export interface ExpectedDeployment {
    /** Names of the nodes' containers. */
    nodes: string[];
    /** Names of the containers of proxies and of their certificates. */
    frontEnd: string[];
    /** Those of these containers that may hold a floating address. */
    keepalived: ExpectedKeepalived[];
    /** Names of the hosts' watchdogs. */
    watchdogs: string[];
    /** Names of the nodes' networks. */
    nodeNetworks: string[];
    volumes: ExpectedVolume[];
    /** The clusters, by the names of their nodes. */
    clusters: ExpectedCluster[];
    /** Names of the hosts, by the names of the containers on them. Empty for a stack that names no hosts. */
    hosts: ReadonlyMap<string, string>;
    outputs: { s3Endpoint?: string; consoleUrl?: string; certificateNotAfter?: string };
    /** The additional stores. */
    additionalStores: ExpectedStore[];
}

/** A cluster of a deployment: a store. */
export interface ExpectedCluster {
    /** Name of the built-in profile whose variables its nodes have. Undefined for another profile. */
    profile?: string;
    nodes: { name: string; drives: { mountPath: string }[] }[];
}

/** An additional store of a deployment. */
export interface ExpectedStore {
    name: string;
    s3Endpoint?: string;
    /** Undefined if the store's image has no console. */
    consoleUrl?: string;
}

/** The used inputs of a container besides its name and labels. */
interface ContainerInputs {
    volumes?: { volumeName?: string; containerPath?: string }[];
    /** An object instead, if it is encrypted. */
    envs?: unknown;
}

const STACK_TYPE = "pulumi:pulumi:Stack";

/** Reads the expected resources from a stack's state. */
export function expectedDeployment(resources: StateResource[]): ExpectedDeployment {
    const lasting = resources.filter(
        ({ type, inputs }) => type === DOCKER_TYPES.container && inputs?.mustRun !== false,
    );
    const labelled = (label: string) =>
        lasting.filter(({ inputs }) => (inputs?.labels ?? []).some((given) => given.label === label));
    const nodes = labelled(LABELS.node);
    const frontEnd = labelled(LABELS.proxy).sort((one, other) => inOrder(nameOf(one), nameOf(other)));
    const dataVolumes = resources.filter(isDataVolume).map(nameOf);
    const root = resources.find(({ type }) => type === STACK_TYPE) as
        { outputs?: { [name: string]: unknown } } | undefined;
    const output = (name: string) => textOf(root?.outputs?.[name]);
    const stores = Object.entries(root?.outputs?.["additionalStores"] ?? {}) as [string, { [name: string]: unknown }][];
    const withoutConsole = resources.filter(isWithoutConsole).map(({ urn }) => urn);
    const imageOf = (name: string) => (urn: string) => urn.endsWith(`-${name}-image`);
    const isOwn = (urn: string) => !stores.some(([name]) => imageOf(name)(urn));
    const volumes = nodes
        .flatMap((node) =>
            ((node.inputs as ContainerInputs | undefined)?.volumes ?? []).map(({ volumeName, containerPath }) => ({
                name: volumeName ?? "",
                node: nameOf(node),
                path: containerPath ?? "",
            })),
        )
        .filter(({ name }) => dataVolumes.includes(name))
        .sort((one, other) => inOrder(one.name, other.name));
    return {
        nodes: nodes.map(nameOf).sort(inOrder),
        frontEnd: frontEnd.map(nameOf),
        keepalived: frontEnd.flatMap((container) => {
            const { envs } = (container.inputs ?? {}) as ContainerInputs;
            const address = Array.isArray(envs) ? addressOfKeepalived(envs.map(String)) : undefined;
            return address === undefined ? [] : [{ name: nameOf(container), address }];
        }),
        watchdogs: labelled(LABELS.watchdog).map(nameOf).sort(inOrder),
        nodeNetworks: resources
            .filter(({ type, inputs }) => type === DOCKER_TYPES.network && (inputs?.name ?? "").endsWith("-nodes"))
            .map(nameOf),
        volumes,
        clusters: clustersOf(nodes, volumes),
        hosts: new Map(
            lasting.flatMap((container): [string, string][] => {
                const host = hostOf(container);
                return host === undefined ? [] : [[nameOf(container), host]];
            }),
        ),
        outputs: {
            s3Endpoint: output("s3Endpoint"),
            consoleUrl: withoutConsole.some(isOwn) ? undefined : output("consoleUrl"),
            certificateNotAfter: output("certificateNotAfter"),
        },
        additionalStores: stores.map(([name, { s3Endpoint, consoleUrl }]) => ({
            name,
            s3Endpoint: textOf(s3Endpoint),
            consoleUrl: withoutConsole.some(imageOf(name)) ? undefined : textOf(consoleUrl),
        })),
    };
}

/** The nodes of each cluster, with their drives, and with the profile that their variables show. */
function clustersOf(containers: StateResource[], volumes: ExpectedVolume[]): ExpectedCluster[] {
    const clusterOf = ({ inputs }: StateResource) =>
        inputs?.labels?.find(({ label }) => label === LABELS.cluster)?.value;
    const names = [...new Set(containers.map(clusterOf))];
    return names.map((cluster) => {
        const ofCluster = containers.filter((container) => clusterOf(container) === cluster);
        const [first] = ofCluster;
        const { envs } = (first?.inputs ?? {}) as ContainerInputs;
        const variables = Array.isArray(envs) ? envs.map((text) => String(text).split("=")[0]) : [];
        return {
            profile: profileNames.find((name) => variables.includes(findProfile(name)?.variables.volumes)),
            nodes: ofCluster
                .map(nameOf)
                .sort(inOrder)
                .map((name) => ({
                    name,
                    drives: volumes.filter(({ node }) => node === name).map(({ path }) => ({ mountPath: path })),
                })),
        };
    });
}

function textOf(value: unknown): string | undefined {
    return typeof value === "string" ? value : undefined;
}

/** Whether a resource is the image of a store without a console. */
function isWithoutConsole({ type, inputs }: StateResource): boolean {
    return type === DOCKER_TYPES.image && lacksConsole(inputs?.name);
}

/** Sorts `node2` before `node10`. */
function inOrder(one: string, other: string): number {
    return one.localeCompare(other, "en", { numeric: true });
}
