import { randomBytes, randomInt } from "node:crypto";
import { createServer } from "node:net";
import { DockerEngine } from "../../../components/engine/dockerEngine";
import { networkForName, networksOverlap } from "../../../components/naming/ipv4Network";
import { runPrefix } from "./testRun";

/**
 * A name whose default networks overlap no other network on the engine.
 *
 * @param suffixes Suffixes that the programs deployed under that name add to it.
 */
export async function freeClusterName(suffixes = [""]): Promise<string> {
    const taken = await takenSubnets();
    for (;;) {
        const name = `${runPrefix()}-${randomBytes(3).toString("hex")}`;
        const clusters = suffixes.map((suffix) => `${name}${suffix}`);
        if (areFree(clusters.flatMap(defaultNetworks), taken)) {
            return name;
        }
    }
}

/** A network that overlaps neither these networks nor another one on the engine. */
export async function freeSubnet(besides: string[] = []): Promise<string> {
    const taken = [...besides, ...(await takenSubnets())];
    for (;;) {
        const subnet = networkForName(randomBytes(8).toString("hex"));
        if (areFree([subnet], taken)) {
            return subnet;
        }
    }
}

/** Two ports that are free on every address of this host, below the range for outgoing connections. */
export async function freePorts(): Promise<[number, number]> {
    const found = new Set<number>();
    while (found.size < 2) {
        const port = randomInt(20_000, 32_000);
        if (await isFree(port)) {
            found.add(port);
        }
    }
    return [...found] as [number, number];
}

/** The default networks of a cluster and of its front end. */
function defaultNetworks(clusterName: string): string[] {
    return [networkForName(clusterName), networkForName(`${clusterName}-public`)];
}

async function takenSubnets(): Promise<string[]> {
    return (await (await DockerEngine.connect()).networks()).map(({ subnet }) => subnet);
}

function areFree(subnets: string[], taken: string[]): boolean {
    return subnets.every((subnet, place) =>
        [...taken, ...subnets.slice(0, place)].every((other) => !networksOverlap(subnet, other)),
    );
}

function isFree(port: number): Promise<boolean> {
    return new Promise((resolve) => {
        const server = createServer();
        server.once("error", () => resolve(false));
        server.listen(port, "0.0.0.0", () => server.close(() => resolve(true)));
    });
}
