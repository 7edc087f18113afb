import type { Server } from "node:net";
import { addressAt, gatewayOf } from "../../../components/naming/ipv4Network";
import { DockerHost } from "./dockerHost";
import { freeSubnet } from "./freeResources";
import { startRelay } from "./relay";

/** Where a test CA runs, and how this process reaches it there. */
export interface PebbleSite {
    /** The engine that runs its containers. */
    host: DockerHost;
    /** Address of that host that its clients reach. */
    address: string;
    /** Another address, on whose port 80 nothing listens. */
    elsewhere: string;
    /** How this process reaches one of its ports: options of an HTTP request. */
    reach(port: number): Promise<{ host: string; port: number } | { socketPath: string }>;
    /** Lets clients reach a port at another one of the same address, until the server is closed. Default: they can't. */
    forward?(from: number, to: number): Promise<Server>;
    remove(): Promise<void>;
}

/** The engine that the tests deploy to: an address of this machine that containers reach, a network's gateway. */
export async function onThisMachine(name: string): Promise<PebbleSite> {
    const host = new DockerHost();
    const subnet = await freeSubnet();
    const otherSubnet = await freeSubnet([subnet]);
    const makeNetwork = (place: string, network: string) =>
        host.docker.createNetwork({
            Name: `${name}-${place}`,
            Driver: "bridge",
            IPAM: { Driver: "default", Config: [{ Subnet: network, Gateway: addressAt(network, 1) }] },
        });
    await makeNetwork("here", subnet);
    await makeNetwork("elsewhere", otherSubnet);
    const address = gatewayOf(subnet);
    return {
        host,
        address,
        elsewhere: gatewayOf(otherSubnet),
        reach: (port) => Promise.resolve({ host: address, port }),
        forward: (from, to) => startRelay({ host: address, port: from }, { host: address, port: to }),
        remove: async () => {
            await host.removeEverythingOf(name);
        },
    };
}
