import { addressAt } from "../../../components/naming/ipv4Network";
import type { Deployment } from "./deployment";
import { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";

/** What a client may share with the proxy: the network that clients come by, or that of the nodes. */
export type ProxyNetwork = "public" | "nodes";

const HTTPS_PORT = 8443;

/** A client with an address of its own: a container beside the proxy, which it reaches without the host between. */
export class NetworkClient {
    private readonly host = new DockerHost();

    private constructor(
        private readonly name: string,
        readonly address: string,
        /** The proxy's address on the same network. */
        readonly proxyAddress: string,
    ) {}

    /** Starts one whose address is at a place in the network; the gateway is at 1, the proxy follows. */
    static async start({ clusterName }: Deployment, network: ProxyNetwork, place: number): Promise<NetworkClient> {
        const host = new DockerHost();
        const networkName = `${clusterName}-${network}`;
        const address = addressAt(await subnetOf(host, networkName), place);
        const { NetworkSettings: settings } = await host.inspect(`${clusterName}-proxy`);
        const proxyAddress = settings.Networks[networkName]?.IPAddress ?? "";
        const client = new NetworkClient(`${clusterName}-client-${network}-${place}`, address, proxyAddress);
        const container = await host.docker.createContainer({
            name: client.name,
            Image: testImages().clients,
            Cmd: ["sleep", "infinity"],
            HostConfig: { NetworkMode: networkName },
            NetworkingConfig: { EndpointsConfig: { [networkName]: { IPAMConfig: { IPv4Address: address } } } },
        });
        await container.start();
        return client;
    }

    /** Runs a program, and gives what it prints. */
    run(...command: string[]): Promise<string> {
        return this.host.exec(this.name, command);
    }

    /** The body that the proxy answers with at a URL, and what curl is told to write besides. */
    curl(url: string, ...options: string[]): Promise<string> {
        const connectTo = ["--connect-to", `::${this.proxyAddress}:${HTTPS_PORT}`];
        return this.run("curl", "--silent", "--show-error", "--insecure", ...connectTo, ...options, url);
    }

    /** The status that the proxy answers with at a URL. */
    async status(url: string): Promise<number> {
        return Number(await this.curl(url, "--output", "/dev/null", "--write-out", "%{http_code}"));
    }

    async remove(): Promise<void> {
        await this.host.docker.getContainer(this.name).remove({ force: true, v: true });
    }
}

/** The subnet of a network of the deployment. */
export async function subnetOf(host: DockerHost, network: string): Promise<string> {
    const { IPAM: ipam } = (await host.docker.getNetwork(network).inspect()) as {
        IPAM: { Config: { Subnet: string }[] };
    };
    return ipam.Config[0]?.Subnet ?? "";
}
