import { randomBytes, randomInt } from "node:crypto";
import { createServer } from "node:net";
import { DockerEngine } from "../../../components/docker/engine";
import { networkForName, networksOverlap } from "../../../components/naming/ipv4Network";
import { runPrefix } from "./testRun";

const MOST_WORKERS = 8;

/**
 * A name whose default networks overlap no other network on the engine.
 *
 * @param suffixes Suffixes that the programs deployed under that name add to it.
 */
export async function freeClusterName(suffixes = [""]): Promise<string> {
    const taken = await takenSubnets();
    for (;;) {
        const name = `${runPrefix()}-${randomBytes(3).toString("hex")}`;
        const networks = suffixes.flatMap((suffix) => defaultNetworks(`${name}${suffix}`));
        if (networks.every(isNetworkOfWorker) && areFree(networks, taken)) {
            return name;
        }
    }
}

/** A network that overlaps neither these networks nor another one on the engine. */
export async function freeSubnet(besides: string[] = []): Promise<string> {
    const taken = [...besides, ...(await takenSubnets())];
    for (;;) {
        const subnet = networkForName(randomBytes(8).toString("hex"));
        if (isNetworkOfWorker(subnet) && areFree([subnet], taken)) {
            return subnet;
        }
    }
}

/** Two ports that are free on every address of this host, below the range for outgoing connections. */
export async function freePorts(): Promise<[number, number]> {
    const found = new Set<number>();
    while (found.size < 2) {
        const port = randomInt(20_000, 32_000);
        if (isOfWorker(port) && (await isFree(port))) {
            found.add(port);
        }
    }
    return [...found] as [number, number];
}

/**
 * Whether this worker of Jest may take a port or network with this number. Workers run at the same time, and a stack
 * takes its ports and networks some time after they were found free: no two workers share a number.
 */
function isOfWorker(number: number): boolean {
    return number % MOST_WORKERS === Number(process.env["JEST_WORKER_ID"] ?? 0) % MOST_WORKERS;
}

function isNetworkOfWorker(subnet: string): boolean {
    return isOfWorker(Number(subnet.split(".")[2]));
}

/** The default networks of a cluster and of its proxy. */
function defaultNetworks(clusterName: string): string[] {
    return [networkForName(clusterName), networkForName(`${clusterName}-public`)];
}

async function takenSubnets(): Promise<string[]> {
    return (await (await DockerEngine.connect()).networks()).map(({ subnet }) => subnet);
}

function areFree(subnets: string[], taken: string[]): boolean {
    return subnets.every((subnet, index) =>
        [...taken, ...subnets.slice(0, index)].every((other) => !networksOverlap(subnet, other)),
    );
}

function isFree(port: number): Promise<boolean> {
    return new Promise((resolve) => {
        const server = createServer();
        server.once("error", () => resolve(false));
        server.listen(port, "0.0.0.0", () => server.close(() => resolve(true)));
    });
}
