import { addressAt } from "../../../components/naming/ipv4Network";
import type { Deployment } from "./deployment";
import { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";

/** Network that a client shares with the proxy: the public network, or the node network. */
export type ProxyNetwork = "public" | "nodes";

const HTTPS_PORT = 8443;

/** A client with its own address: a container on a network of the proxy, which it reaches without the host in between. */
export class NetworkClient {
    private readonly host = new DockerHost();

    private constructor(
        private readonly name: string,
        readonly address: string,
        /** The proxy's address on the same network. */
        readonly proxyAddress: string,
    ) {}

    /**
     * Starts a client whose address has this position in the network. The gateway has position 1, followed by the
     * proxy.
     */
    static async start({ clusterName }: Deployment, network: ProxyNetwork, index: number): Promise<NetworkClient> {
        const host = new DockerHost();
        const networkName = `${clusterName}-${network}`;
        const address = addressAt(await subnetOf(host, networkName), index);
        const { NetworkSettings: settings } = await host.inspect(`${clusterName}-proxy`);
        const proxyAddress = settings.Networks[networkName]?.IPAddress ?? "";
        const client = new NetworkClient(`${clusterName}-client-${network}-${index}`, address, proxyAddress);
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

    /** Runs a program and returns its output. */
    run(...command: string[]): Promise<string> {
        return this.host.exec(this.name, command);
    }

    /** The body of the proxy's response to a URL, followed by what curl writes in addition. */
    curl(url: string, ...options: string[]): Promise<string> {
        const connectTo = ["--connect-to", `::${this.proxyAddress}:${HTTPS_PORT}`];
        return this.run("curl", "--silent", "--show-error", "--insecure", ...connectTo, ...options, url);
    }

    /** The status of the proxy's response to a URL. */
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
