import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment, DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";
import { overHttp1, type Route } from "./wire";

/** What each of the fixture's proxies does to requests, as lines of HAProxy's configuration. */
const PROXIES = {
    /** Nothing: it passes bytes on and knows no HTTP. */
    unchanged: ["mode tcp"],
    pathDecoded: ["mode http", "http-request set-path %[path,url_dec]"],
    prefixStripped: ["mode http", "http-request replace-path /prefix(/.*) \\1"],
    slashesMerged: ["mode http", "http-request set-path \"%[path,regsub('//+','/','g')]\""],
    hostRewritten: ["mode http", "http-request set-header Host store.internal"],
};

export type FixtureProxy = keyof typeof PROXIES;

const FIRST_PORT = 8001;
const S3_PORT = 9000;
const START_SECONDS = 20;

/**
 * Other proxies in front of a deployment's first node, in one container beside its own proxy, each reached through a
 * port of this host's loopback address.
 */
export class ProxyFixture {
    private constructor(
        private readonly containerId: string,
        private readonly ports: { [Name in FixtureProxy]: number },
    ) {}

    static async start(deployment: Deployment, { nodeNames: [node = ""] }: DeploymentOutputs): Promise<ProxyFixture> {
        const { docker } = new DockerHost();
        const ports = Object.keys(PROXIES).map((_, index) => `${FIRST_PORT + index}/tcp`);
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
        // Nothing is published from the node network, which is an internal one.
        await docker.getNetwork(`${deployment.clusterName}-nodes`).connect({ Container: container.id });
        await container.start();
        const { NetworkSettings: settings } = await container.inspect();
        const published = ports.map((port) => Number(settings.Ports[port]?.[0]?.HostPort));
        const byName = Object.fromEntries(Object.keys(PROXIES).map((name, index) => [name, published[index]]));
        const fixture = new ProxyFixture(container.id, byName as { [Name in FixtureProxy]: number });
        await fixture.waitForAnswer();
        return fixture;
    }

    /** The way through one of the proxies. */
    through(name: FixtureProxy): Route {
        return overHttp1({ port: this.ports[name] });
    }

    async remove(): Promise<void> {
        await new DockerHost().docker.getContainer(this.containerId).remove({ force: true, v: true });
    }

    private async waitForAnswer(): Promise<void> {
        const request = { method: "GET", target: "/", headers: { Host: "localhost" }, body: Buffer.alloc(0) };
        for (let attempt = 0; attempt < START_SECONDS * 10; attempt++) {
            const answered = await this.through("unchanged")(request).then(
                () => true,
                () => false,
            );
            if (answered) {
                return;
            }
            await sleep(100);
        }
        throw new Error(`the other proxies didn't start within ${START_SECONDS} s`);
    }
}

function configuration(node: string): string {
    const listeners = Object.entries(PROXIES).map(([name, lines], index) => [
        `listen ${name}`,
        ...[`bind :${FIRST_PORT + index}`, ...lines, `server node ${node}:${S3_PORT}`].map((line) => `    ${line}`),
    ]);
    const timeouts = ["connect 5s", "client 1m", "server 1m"].map((timeout) => `    timeout ${timeout}`);
    return [["defaults", ...timeouts], ...listeners].flat().join("\n") + "\n";
}
