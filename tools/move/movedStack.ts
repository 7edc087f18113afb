import { defaultOf } from "../../components/args/schema";
import type Docker from "dockerode";
import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import { rustfsProfile } from "../../components/store/profiles/rustfs";
import { LABELS } from "../../components/naming/labels";
import { hostsOfStack } from "../stack/stackHosts";
import { adoptStackEngine, namedEngine } from "../stack/namedEngine";
import { enginesOfHosts, type StackEngine } from "../stack/stackEngines";
import { StepError } from "../cli/step";
import { askPulumi, onStack, readConfig, type Workspace } from "../pulumi/workspace";
import type { ClientNetworks } from "./forwardedClients";
import { NodeStore, type RootKeys } from "./nodeStore";
import type { MovedProxy } from "./proxies";

/** A deployed stack, as a move between two of them uses it. */
export interface MovedStack {
    stack: string;
    clusterName: string;
    profile: string;
    s3Host: string;
    consoleHost: string;
    httpsPort: number;
    keys: RootKeys;
    /** Certificate of the CA that clients must trust. Empty for a certificate of the user's own. */
    caCertificate: string;
    /** IPv4 addresses of its proxies, as far as its config says. */
    addresses: string[];
    /** Address at which its proxies publish their ports: of one of its hosts, or 0.0.0.0 for all. */
    publishAddress: string;
    /** Addresses from which its hosts connect to others, as far as they are known. */
    hostAddresses: string[];
    networks: ClientNetworks;
    /** Name of the move in its config. Undefined if there is none. */
    moveName: string | undefined;
    /** Whether its config says that all clients are moved to another stack. */
    isMoveDone: boolean;
    /** Whether all of its nodes have one clock. */
    isOnOneHost: boolean;
    /** The engines of all of its hosts. */
    engines: Pick<Docker, "info">[];
    /** Engine and address of a healthy node. */
    node: { docker: Docker; container: string; address: string; network: string };
    store: NodeStore;
    proxies: MovedProxy[];
}

/**
 * Reads a deployed stack, and finds its parts on its engines.
 *
 * @throws {StepError} if it isn't deployed, has no healthy node, or lacks a proxy.
 */
export async function readMovedStack(workspace: Workspace, stack: string): Promise<MovedStack> {
    const ofStack = onStack(workspace, stack);
    const config = await readConfig(ofStack);
    const text = await askPulumi(ofStack, ["stack", "output", "--json", "--show-secrets"]);
    const outputs = JSON.parse(text) as { accessKey?: string; secretKey?: string; caCertificate?: string };
    if (outputs.accessKey === undefined || outputs.secretKey === undefined) {
        throw new StepError(`the stack ${stack} isn't deployed: npm run up -- --stack ${stack} deploys it`);
    }
    const secret = (key: string) => askPulumi(ofStack, ["config", "get", key]);
    const hosts = await hostsOfStack(config, secret, stack);
    const engines = hosts === undefined ? [await engineOf(config, secret)] : (await enginesOfHosts(hosts)).engines;
    const clusterName = config("storeName") ?? `object-store-${stack}`;
    const list = (key: string) => JSON.parse(config(key) ?? "[]") as string[];
    const frontEndHosts = list("frontEndHosts");
    const move = JSON.parse(config("move") ?? "null") as { name?: string; done?: boolean } | null;
    const served = hosts?.filter(({ name }) => frontEndHosts.length === 0 || frontEndHosts.includes(name)).slice(0, 6);
    const published = config("publishAddress") ?? "0.0.0.0";
    const keys = { accessKey: outputs.accessKey, secretKey: outputs.secretKey };
    const node = await healthyNode(engines, clusterName);
    return {
        stack,
        clusterName,
        profile: config("profile") ?? rustfsProfile.name,
        s3Host: config("s3Host") ?? defaultOf("ObjectStoreArgs", "s3Host"),
        consoleHost: config("consoleHost") ?? defaultOf("ObjectStoreArgs", "consoleHost"),
        httpsPort: Number(config("httpsPort") ?? "443"),
        keys,
        caCertificate: outputs.caCertificate ?? "",
        addresses:
            served?.map(({ address }) => address) ??
            (/^(0\.0\.0\.0|127\..*|.*:.*)$/.test(published) ? [] : [published]),
        publishAddress: published,
        hostAddresses: hosts?.map(({ address }) => address) ?? (await addressesOf(config("docker:host"))),
        networks: {
            adminNetworks: list("adminNetworks"),
            consoleNetworks: list("consoleNetworks"),
            trustedProxies: list("trustedProxies"),
        },
        moveName: move === null ? undefined : (move.name ?? "move"),
        isMoveDone: move?.done === true,
        isOnOneHost: hosts === undefined,
        engines: engines.map(({ docker }) => docker),
        node,
        store: new NodeStore(node.docker, node.container, keys),
        proxies: await proxiesOf(
            engines,
            served?.map(({ name }) => `${clusterName}-${name}-proxy`) ?? [`${clusterName}-proxy`],
        ),
    };
}

/** Whether an address with a port leads to a stack's own proxies. */
export function leadsTo(
    { publishAddress, hostAddresses, httpsPort }: Pick<MovedStack, "publishAddress" | "hostAddresses" | "httpsPort">,
    address: string,
    port: number,
): boolean {
    const isPublished = publishAddress === "0.0.0.0" ? hostAddresses.includes(address) : publishAddress === address;
    return isPublished && port === httpsPort;
}

/** The engine of a stack without hosts. Another stack of the same command may have another one. */
async function engineOf(
    config: Parameters<typeof adoptStackEngine>[0],
    secret: (key: string) => Promise<string>,
): Promise<StackEngine> {
    const before = { ...process.env };
    try {
        // No CLI runs with this environment.
        await adoptStackEngine(config, secret, {});
        return { docker: await namedEngine(), command: "docker" };
    } finally {
        process.env = before;
    }
}

/** Addresses of the host of an engine. */
async function addressesOf(dockerHost = process.env["DOCKER_HOST"] ?? ""): Promise<string[]> {
    if (/^(ssh|tcp|https?):/.test(dockerHost)) {
        const found = await lookup(new URL(dockerHost).hostname, { all: true }).catch(() => []);
        return found.map(({ address }) => address);
    }
    return Object.values(networkInterfaces()).flatMap((interfaces) =>
        (interfaces ?? []).filter(({ internal }) => !internal).map(({ address }) => address),
    );
}

async function healthyNode(engines: readonly StackEngine[], clusterName: string): Promise<MovedStack["node"]> {
    for (const { docker } of engines) {
        const label = [`${LABELS.cluster}=${clusterName}`, LABELS.node];
        for (const { Names: names, Status: status, NetworkSettings: settings } of await docker.listContainers({
            filters: { label, health: ["healthy"] },
        })) {
            const network = `${clusterName}-nodes`;
            const address = settings.Networks[network]?.IPAddress;
            if (address !== undefined && /healthy/.test(status)) {
                return { docker, container: (names[0] ?? "").slice(1), address, network };
            }
        }
    }
    throw new StepError(`no node of ${clusterName} is healthy: npm run status shows why`);
}

async function proxiesOf(engines: readonly StackEngine[], names: string[]): Promise<MovedProxy[]> {
    const lists = engines.map(async ({ docker }) =>
        (await docker.listContainers({ filters: { label: [LABELS.proxy] } })).map((container) => ({
            docker,
            container: (container.Names[0] ?? "").slice(1),
        })),
    );
    const found = (await Promise.all(lists)).flat();
    return names.map((name) => {
        const proxy = found.find(({ container }) => container === name);
        if (proxy === undefined) {
            throw new StepError(`the proxy ${name} doesn't run, so its clients can't be moved: start it first`);
        }
        return proxy;
    });
}
