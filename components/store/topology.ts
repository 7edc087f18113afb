import { addressAt } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";

/** One drive of a node: a named volume, mounted below /data (service contract, section 1). */
export interface DrivePlace {
    /** Name of the Docker volume. */
    volumeName: string;
    /** Where the store finds it in the container. */
    mountPath: string;
    /** Folder of the host that the volume stands on; without it, the volume lies in Docker's own data folder. */
    hostPath?: string;
    /** Whether the volume was there before the node: it is never made or deleted, only used. Default: false. */
    existing?: boolean;
    /** What the volume belongs to, as labels: these outlive the stack's state. */
    labels: { [name: string]: string };
}

/** One node of a cluster: its names and its place on the node network, fixed for the cluster's life. */
export interface NodePlace {
    /** Name of the container and of the node on the node network: `<cluster>-pool1-node1`. */
    name: string;
    /** Name in the proxy's configuration, and value of the console's cookie in a cluster: `node1`, `node2` … */
    serverName: string;
    /** Fixed address on the node network. */
    address: string;
    /** The node's drives, in the store's order. */
    drives: DrivePlace[];
}

/** The shape of a cluster, from which everything deployed follows. */
export interface Topology {
    /** Every node, pool by pool. */
    nodes: NodePlace[];
    /** The store's own description of its drives: paths, or URLs with `{1...4}` ranges, pools joined by a space. */
    volumes: string;
}

/**
 * A pool: nodes that came to the cluster together. The store lays data out over the drives of one pool, so a pool stays
 * as it was made; a cluster grows by another pool at the end of the list.
 */
export interface Pool {
    /** Nodes, 1 to 64; in a cluster of several pools at least 2. */
    nodeCount: number;
    /** Drives of each node, 1 to 64. Default: 1. */
    drivesPerNode?: number;
    /** Folders of the host that drives stand on, one list for each node. Default: none, the volumes lie in Docker's own data folder. */
    drivePaths?: string[][];
    /**
     * Docker volumes that are there already and hold the drives, one list for each node: those of another deployment, or of a
     * volume driver of your own. Their files belong to the store's user, and they are never deleted. Excludes `drivePaths`.
     * Default: none, each drive gets a volume of its own.
     */
    volumeNames?: string[][];
}

/** A cluster as the program asks for it. */
export interface TopologyArgs {
    clusterName: string;
    profileName: string;
    pools: Pool[];
    subnet: string;
    /** Further labels of the data volumes. */
    labels: { [name: string]: string };
}

/** Addresses of a node network below this one are Docker's (its gateway) and the proxies'. */
const FIRST_NODE_PLACE = 10;

/** Places in a node network that are kept for proxies: nobody else gets one without asking for it. */
const PROXY_PLACES = [2, 3, 4, 5, 6, 7];

/** How many proxies a node network keeps an address for. */
export const PROXY_COUNT = PROXY_PLACES.length;

/** The addresses of a node network that are kept for proxies. */
export function proxyAddresses(subnet: string): string[] {
    return PROXY_PLACES.map((place) => addressAt(subnet, place));
}

/** The S3 listener's port in the container (service contract, section 1). */
export const S3_PORT = 9000;

/** The console listener's port in the container (service contract, section 1). */
export const CONSOLE_PORT = 9001;

/** How many nodes fit in the lower half of a network, where addresses are fixed. */
export function nodeCapacity(networkSize: number): number {
    return networkSize / 2 - FIRST_NODE_PLACE;
}

/** Lays out the cluster, pool by pool. Nodes are counted through all pools, so that one at the end changes no other. */
export function layOut(args: TopologyArgs): Topology {
    const [first] = args.pools;
    const alone = args.pools.length === 1 && first?.nodeCount === 1;
    return {
        nodes: args.pools.flatMap((pool, place) => nodesOf(args, pool, place)),
        volumes: alone
            ? drivePattern(first)
            : args.pools
                  .map((pool, place) => {
                      const host = `${poolName(args.clusterName, place)}-node${range(pool.nodeCount)}`;
                      return `http://${host}:${S3_PORT}${drivePattern(pool)}`;
                  })
                  .join(" "),
    };
}

function nodesOf(args: TopologyArgs, pool: Pool, place: number): NodePlace[] {
    const { clusterName, pools } = args;
    const before = pools.slice(0, place).reduce((sum, { nodeCount }) => sum + nodeCount, 0);
    const drivesPerNode = pool.drivesPerNode ?? 1;
    return countFromOne(pool.nodeCount).map((node) => {
        const name = `${poolName(clusterName, place)}-node${node}`;
        return {
            name,
            serverName: `node${before + node}`,
            address: addressAt(args.subnet, FIRST_NODE_PLACE + before + node - 1),
            drives: countFromOne(drivesPerNode).map((drive) => ({
                volumeName: pool.volumeNames?.[node - 1]?.[drive - 1] ?? `${name}-drive${drive}`,
                mountPath: `/data/drive${drive}`,
                hostPath: pool.drivePaths?.[node - 1]?.[drive - 1],
                ...(pool.volumeNames === undefined ? {} : { existing: true }),
                labels: {
                    ...args.labels,
                    [LABELS.cluster]: clusterName,
                    [LABELS.profile]: args.profileName,
                    [LABELS.pool]: String(place + 1),
                    [LABELS.node]: String(node),
                    [LABELS.drive]: String(drive),
                    [LABELS.nodesInPool]: String(pool.nodeCount),
                    [LABELS.drivesPerNode]: String(drivesPerNode),
                },
            })),
        };
    });
}

function poolName(clusterName: string, place: number): string {
    return `${clusterName}-pool${place + 1}`;
}

function drivePattern({ drivesPerNode = 1 }: Pool): string {
    return `/data/drive${range(drivesPerNode)}`;
}

function range(count: number): string {
    return count === 1 ? "1" : `{1...${count}}`;
}

/**
 * Whether a store can form erasure sets of equal size from these drives: all drives are divided into sets of
 * `minimum` to `maximum` drives, and each set takes equally many drives of each node that it touches.
 * One drive alone is no set, and always allowed.
 */
export function formsErasureSets(nodeCount: number, drivesPerNode: number, minimum: number, maximum: number): boolean {
    const drives = nodeCount * drivesPerNode;
    return (
        drives === 1 ||
        countFromOne(maximum).some(
            (size) => size >= minimum && drives % size === 0 && (size % nodeCount === 0 || nodeCount % size === 0),
        )
    );
}

function countFromOne(count: number): number[] {
    return Array.from({ length: count }, (_, index) => index + 1);
}
