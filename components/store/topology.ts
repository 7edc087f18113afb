import { addressAt } from "../naming/ipv4Network";
import { LABELS } from "../naming/labels";

/** One drive of a node: a named volume, mounted below /data (service contract, section 1). */
export interface DriveSpec {
    /** Name of the Docker volume. */
    volumeName: string;
    /** Mount path in the store's container. */
    mountPath: string;
    /** Folder of the host that the volume is bound to. Default: none; the volume is in Docker's own data folder. */
    hostPath?: string;
    /** Whether the volume existed before the node: it is only used, never created or deleted. Default: false. */
    existing?: boolean;
    /** Labels that identify the owner of the volume. They outlive the stack's state. */
    labels: { [name: string]: string };
}

/** One node of a cluster: its names and its place on the node network. Can't be changed later. */
export interface NodeSpec {
    /** Name of the container and of the node on the node network: `<cluster>-pool1-node1`. */
    name: string;
    /** Name in the proxy's configuration, and value of the console's cookie in a cluster: `node1`, `node2` … */
    serverName: string;
    /** Fixed address on the node network. */
    address: string;
    /** Name of the host that it runs on. Undefined in a cluster on one host. */
    host?: string;
    /** The node's drives, in the store's order. */
    drives: DriveSpec[];
}

/** The layout of a cluster, from which everything deployed is derived. */
export interface Topology {
    /** Every node, pool by pool. */
    nodes: NodeSpec[];
    /** The drives in the store's own notation: paths, or URLs with `{1...4}` ranges, pools separated by a space. */
    volumes: string;
}

/**
 * A pool: nodes that were added to the cluster together. The store distributes data over the drives of one pool, so a pool
 * can't be changed later. To grow a cluster, append another pool to the list.
 */
export interface Pool {
    /**
     * Number of nodes; at least 2 in a cluster of several pools.
     *
     * @range 1..64
     */
    nodeCount: number;
    /**
     * Number of drives of each node.
     *
     * @default 1
     * @range 1..64
     */
    drivesPerNode?: number;
    /**
     * Folders of the host that hold the drives, one list for each node.
     *
     * @default none; the volumes are in Docker's own data folder
     */
    drivePaths?: string[][];
    /**
     * Names of existing Docker volumes that hold the drives, one list for each node: volumes of another deployment, or
     * of your own volume driver. Their files must belong to the store's user. They are never deleted. Can't be combined
     * with `drivePaths`.
     *
     * @default none; each drive gets a new volume
     */
    volumeNames?: string[][];
}

/** A cluster as the program requests it. */
export interface TopologyArgs {
    clusterName: string;
    profileName: string;
    pools: Pool[];
    subnet: string;
    /** Names of the hosts of the nodes, one list for each pool. Default: all nodes are on one host. */
    placement?: string[][];
    /** Additional labels of the data volumes. */
    labels: { [name: string]: string };
}

/**
 * Index of the first node's address in the node network. The addresses below it are for Docker (the gateway) and for the
 * proxies.
 */
const FIRST_NODE_PLACE = 10;

/** Indexes of the addresses in a node network that are reserved for proxies: other containers get one only on request. */
const PROXY_PLACES = [2, 3, 4, 5, 6, 7];

/** Number of addresses that a node network reserves for proxies. */
export const PROXY_COUNT = PROXY_PLACES.length;

/** The addresses of a node network that are reserved for proxies. */
export function proxyAddresses(subnet: string): string[] {
    return PROXY_PLACES.map((index) => addressAt(subnet, index));
}

/** The S3 listener's port in the container (service contract, section 1). */
export const S3_PORT = 9000;

/** The console listener's port in the container (service contract, section 1). */
export const CONSOLE_PORT = 9001;

/** Number of nodes that fit in the lower half of a network, which holds the fixed addresses. */
export function nodeCapacity(networkSize: number): number {
    return networkSize / 2 - FIRST_NODE_PLACE;
}

/**
 * Lays out the cluster, pool by pool. Nodes are numbered across all pools, so that a pool added at the end changes no other
 * node.
 */
export function layOut(args: TopologyArgs): Topology {
    const [first] = args.pools;
    const alone = args.pools.length === 1 && first?.nodeCount === 1;
    return {
        nodes: args.pools.flatMap((pool, index) => nodesOf(args, pool, index)),
        volumes: alone
            ? drivePattern(first)
            : args.pools
                  .map((pool, index) => {
                      const host = `${poolName(args.clusterName, index)}-node${range(pool.nodeCount)}`;
                      return `http://${host}:${S3_PORT}${drivePattern(pool)}`;
                  })
                  .join(" "),
    };
}

function nodesOf(args: TopologyArgs, pool: Pool, index: number): NodeSpec[] {
    const { clusterName, pools } = args;
    const before = pools.slice(0, index).reduce((sum, { nodeCount }) => sum + nodeCount, 0);
    const drivesPerNode = pool.drivesPerNode ?? 1;
    return countFromOne(pool.nodeCount).map((node) => {
        const name = `${poolName(clusterName, index)}-node${node}`;
        return {
            name,
            serverName: `node${before + node}`,
            address: addressAt(args.subnet, FIRST_NODE_PLACE + before + node - 1),
            host: args.placement?.[index]?.[node - 1],
            drives: countFromOne(drivesPerNode).map((drive) => ({
                volumeName: pool.volumeNames?.[node - 1]?.[drive - 1] ?? `${name}-drive${drive}`,
                mountPath: `/data/drive${drive}`,
                hostPath: pool.drivePaths?.[node - 1]?.[drive - 1],
                ...(pool.volumeNames === undefined ? {} : { existing: true }),
                labels: {
                    ...args.labels,
                    [LABELS.cluster]: clusterName,
                    [LABELS.profile]: args.profileName,
                    [LABELS.pool]: String(index + 1),
                    [LABELS.node]: String(node),
                    [LABELS.drive]: String(drive),
                    [LABELS.nodesInPool]: String(pool.nodeCount),
                    [LABELS.drivesPerNode]: String(drivesPerNode),
                },
            })),
        };
    });
}

function poolName(clusterName: string, index: number): string {
    return `${clusterName}-pool${index + 1}`;
}

function drivePattern({ drivesPerNode = 1 }: Pool): string {
    return `/data/drive${range(drivesPerNode)}`;
}

function range(count: number): string {
    return count === 1 ? "1" : `{1...${count}}`;
}

/**
 * Whether a store can form erasure sets of equal size from these drives. All drives are divided into sets of `minimum` to
 * `maximum` drives, and each set uses the same number of drives on each node that it includes. A single drive is not a set,
 * and always allowed.
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
