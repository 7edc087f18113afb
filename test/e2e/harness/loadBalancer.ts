import { addressAt } from "../../../components/naming/ipv4Network";
import type { Deployment } from "./deployment";
import { DockerHost } from "./dockerHost";
import { subnetOf } from "./networkClient";
import { testImages } from "./testRun";

/** The deployment's ports in its proxy's container. */
const [HTTP, HTTPS] = [8080, 8443];

/** What each listener does, as lines of HAProxy's configuration. The first ones accept plain HTTP, the others TLS. */
const LISTENERS = {
    /** Adds the client's address to `X-Forwarded-For`. */
    forwarding: (proxy: string) => [
        "mode http",
        "option forwardfor",
        `server proxy ${proxy}:${HTTPS} ssl verify none alpn h2,http/1.1`,
    ],
    /** Names no client. */
    silent: (proxy: string) => ["mode http", `server proxy ${proxy}:${HTTPS} ssl verify none alpn http/1.1`],
    version1: (proxy: string) => ["mode tcp", `server proxy ${proxy}:${HTTPS} send-proxy`],
    /** Sends its own health checks with the PROXY protocol's LOCAL command, and forwards nothing while they fail. */
    version2: (proxy: string) => [
        "mode tcp",
        `server proxy ${proxy}:${HTTPS} send-proxy-v2 check check-send-proxy check-ssl verify none inter 500ms`,
    ],
    plainPort: (proxy: string) => ["mode tcp", `server proxy ${proxy}:${HTTP} send-proxy-v2`],
};

export type Listener = keyof typeof LISTENERS;

/** A second HAProxy, in front of a deployment's own one: a container on the public network. */
export class LoadBalancer {
    private constructor(
        private readonly containerId: string,
        readonly address: string,
    ) {}

    /** Starts one whose address has this position in the public network. */
    static async start({ clusterName }: Deployment, index: number): Promise<LoadBalancer> {
        const host = new DockerHost();
        const networkName = `${clusterName}-public`;
        const address = addressAt(await subnetOf(host, networkName), index);
        const { NetworkSettings: settings } = await host.inspect(`${clusterName}-proxy`);
        const proxyAddress = settings.Networks[networkName]?.IPAddress ?? "";
        const container = await host.docker.createContainer({
            name: `${clusterName}-load-balancer`,
            Image: testImages().haproxy,
            Entrypoint: ["/bin/sh", "-c"],
            Cmd: ['printf %s "$CONFIGURATION" > /tmp/haproxy.cfg && exec haproxy -W -db -f /tmp/haproxy.cfg'],
            Env: [`CONFIGURATION=${configuration(proxyAddress)}`],
            HostConfig: { NetworkMode: networkName },
            NetworkingConfig: { EndpointsConfig: { [networkName]: { IPAMConfig: { IPv4Address: address } } } },
        });
        await container.start();
        return new LoadBalancer(container.id, address);
    }

    /** The option with which curl connects to a listener, whatever the URL. */
    through(listener: Listener): string[] {
        return ["--connect-to", `::${this.address}:${LoadBalancer.portOf(listener)}`];
    }

    /** The port of a listener. */
    static portOf(listener: Listener): number {
        return 8001 + Object.keys(LISTENERS).indexOf(listener);
    }

    async remove(): Promise<void> {
        await new DockerHost().docker.getContainer(this.containerId).remove({ force: true, v: true });
    }
}

function configuration(proxyAddress: string): string {
    const timeouts = ["defaults", "timeout connect 5s", "timeout client 1m", "timeout server 1m"];
    const listeners = (Object.keys(LISTENERS) as Listener[]).flatMap((name) => [
        `listen ${name}`,
        `bind :${LoadBalancer.portOf(name)}`,
        ...LISTENERS[name](proxyAddress),
    ]);
    return [...timeouts, ...listeners, ""].join("\n");
}
