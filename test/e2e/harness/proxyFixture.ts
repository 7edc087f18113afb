import type { Deployment, DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";
import { overHttp1, type Route } from "./wire";
import { waitUntil } from "./wait";

/** What each of the fixture's proxies does with requests, as lines of HAProxy's configuration. */
const PROXIES = {
    /** Nothing: it passes bytes on without parsing HTTP. */
    unchanged: ["mode tcp"],
    pathDecoded: ["mode http", "http-request set-path %[path,url_dec]"],
    prefixStripped: ["mode http", "http-request replace-path /prefix(/.*) \\1"],
    slashesMerged: ["mode http", "http-request set-path \"%[path,regsub('//+','/','g')]\""],
    hostRewritten: ["mode http", "http-request set-header Host store.internal"],
};

export type FixtureProxy = keyof typeof PROXIES;

const NAMES = Object.keys(PROXIES) as FixtureProxy[];
const S3_PORT = 9000;

/**
 * Other proxies in front of a deployment's first node, all in one container next to the deployment's own proxy. Each
 * one is reached through a port of this host's loopback address.
 */
export class ProxyFixture {
    private constructor(
        private readonly containerId: string,
        /** The port of this host that is forwarded to each of them. */
        private readonly ports: Map<FixtureProxy, number>,
    ) {}

    static async start(deployment: Deployment, { nodeNames: [node = ""] }: DeploymentOutputs): Promise<ProxyFixture> {
        const { docker } = new DockerHost();
        const ports = NAMES.map((name) => `${portOf(name)}/tcp`);
        const container = await docker.createContainer({
            name: `${deployment.clusterName}-other-proxies`,
            Image: testImages().haproxy,
            Entrypoint: ["/bin/sh", "-c"],
            Cmd: ['printf %s "$CONFIGURATION" > /tmp/haproxy.cfg && exec haproxy -W -db -f /tmp/haproxy.cfg'],
            Env: [`CONFIGURATION=${configuration(node)}`],
            ExposedPorts: Object.fromEntries(ports.map((port) => [port, {}])),
            HostConfig: {
                PortBindings: Object.fromEntries(ports.map((port) => [port, [{ HostIp: "127.0.0.1", HostPort: "" }]])),
            },
        });
        // An internal network such as the node network can't publish ports, so the container is also on the default
        // network.
        await docker.getNetwork(`${deployment.clusterName}-nodes`).connect({ Container: container.id });
        await container.start();
        const { NetworkSettings: settings } = await container.inspect();
        const hostPort = (name: FixtureProxy) => Number(settings.Ports[`${portOf(name)}/tcp`]?.[0]?.HostPort);
        const fixture = new ProxyFixture(container.id, new Map(NAMES.map((name) => [name, hostPort(name)])));
        await fixture.waitForAnswer();
        return fixture;
    }

    /** The route through one of the proxies. */
    through(name: FixtureProxy): Route {
        return overHttp1({ port: this.ports.get(name) ?? 0 });
    }

    async remove(): Promise<void> {
        await new DockerHost().docker.getContainer(this.containerId).remove({ force: true, v: true });
    }

    private async waitForAnswer(): Promise<void> {
        const request = { method: "GET", target: "/", headers: { Host: "localhost" }, body: Buffer.alloc(0) };
        await waitUntil("the other proxies answer", () =>
            this.through("unchanged")(request).then(
                () => true,
                () => false,
            ),
        );
    }
}

/** The port on which a proxy listens in the container. */
function portOf(name: FixtureProxy): number {
    return 8001 + NAMES.indexOf(name);
}

function configuration(node: string): string {
    const timeouts = ["timeout connect 5s", "timeout client 1m", "timeout server 1m"];
    const listeners = NAMES.map((name) =>
        section(`listen ${name}`, [`bind :${portOf(name)}`, ...PROXIES[name], `server node ${node}:${S3_PORT}`]),
    );
    return [section("defaults", timeouts), ...listeners].join("");
}

function section(head: string, lines: string[]): string {
    return [head, ...lines.map((line) => `    ${line}`), ""].join("\n");
}
