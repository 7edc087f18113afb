import { ListBucketsCommand } from "@aws-sdk/client-s3";
import type Docker from "dockerode";
import { join } from "node:path";
import type { Server } from "node:net";
import { Checkout } from "./checkout";
import { s3ClientFor } from "./clients";
import { addConfigLines } from "./documentConfig";
import type { DeploymentConfig, DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { freeClusterName } from "./freeResources";
import { startRelay } from "./relay";
import { waitUntil } from "./wait";
import { stackDefaults } from "./stackDefaults";
import { testImages } from "./testRun";
import { BUILT_IMAGES } from "../../../tools/images/builtImages";
import { outputsOf } from "../move/movePlace";

/** Two stacks of one checkout whose nodes reach the other stack's proxy by its hostname. */
export class ReplicatedStacks {
    private readonly relays: Server[] = [];

    private constructor(
        readonly host: DockerHost,
        readonly checkout: Checkout,
        readonly one: string,
        readonly two: string,
        private readonly configs: { [stack: string]: DeploymentConfig },
    ) {}

    /** @param config Stack config of both. @param lines Lines of a document for both stack files. */
    static async create(config: DeploymentConfig, lines: string): Promise<ReplicatedStacks> {
        const host = new DockerHost();
        const checkout = await Checkout.make();
        const [one, two] = [checkout.stack, await freeClusterName()];
        // Both publish their ports on an address of this machine that containers reach.
        const network = `${one}-outside`;
        await host.docker.createNetwork({ Name: network });
        const { IPAM: addresses } = (await host.docker.getNetwork(network).inspect()) as {
            IPAM: { Config: { Gateway: string }[] };
        };
        const publishAddress = addresses.Config[0]?.Gateway ?? "";
        const configs: { [stack: string]: DeploymentConfig } = {};
        for (const stack of [one, two]) {
            const defaults = await stackDefaults(stack);
            configs[stack] = {
                ...defaults,
                ...config,
                s3Host: `s3.${stack}.test`,
                consoleHost: `console.${stack}.test`,
                clientImage: BUILT_IMAGES.mc.reference,
                publishAddress,
            };
            checkout.writeStackFile(stack, configs[stack]);
            addConfigLines(join(checkout.path, `Pulumi.${stack}.yaml`), lines);
        }
        return new ReplicatedStacks(host, checkout, one, two, configs);
    }

    /** Lets the nodes and the clients of this process reach both proxies. Both are deployed. */
    async connect(): Promise<{ one: DeploymentOutputs; two: DeploymentOutputs }> {
        await this.nameOnEgress(this.one, this.two);
        await this.nameOnEgress(this.two, this.one);
        for (const stack of [this.one, this.two]) {
            const { port, address } = this.proxy(stack);
            this.relays.push(await startRelay({ host: "127.0.0.1", port }, { host: address, port }));
        }
        return { one: outputsOf(this.checkout, this.one), two: outputsOf(this.checkout, this.two) };
    }

    /** What DNS does elsewhere: the other stack's hostname, as the nodes of a stack see it. */
    private async nameOnEgress(stack: string, other: string): Promise<void> {
        const { port, address, s3Host } = this.proxy(other);
        const network = `${stack}-egress`;
        const configuration = [
            "defaults",
            "mode tcp",
            "timeout connect 5s",
            "timeout client 5m",
            "timeout server 5m",
            "listen other",
            `bind :${port}`,
            `server other ${address}:${port}`,
            "",
        ].join("\n");
        const container = await this.host.docker.createContainer({
            name: `${stack}-route`,
            Image: testImages().haproxy,
            Entrypoint: ["/bin/sh", "-c"],
            Cmd: ['printf %s "$CONFIGURATION" > /tmp/haproxy.cfg && exec haproxy -W -db -f /tmp/haproxy.cfg'],
            Env: [`CONFIGURATION=${configuration}`],
            HostConfig: { NetworkMode: network },
            NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [s3Host] } } },
        });
        await container.start();
    }

    /** Stops a stack's containers, as a machine that is lost. */
    async stop(stack: string): Promise<void> {
        await Promise.all(this.containersOf(stack).map((container) => container.stop({ t: 0 })));
    }

    /** Removes the drive of a stack of one node, and the containers that use it, as a machine whose disk is lost. */
    async loseDrive(stack: string): Promise<void> {
        const [node = ""] = outputsOf(this.checkout, stack).nodeNames;
        for (const name of [node, `${node}-prepare`]) {
            await this.host.docker.getContainer(name).remove({ force: true });
        }
        await this.host.docker.getVolume(`${node}-drive1`).remove();
    }

    /** Starts them again, and waits until the proxy serves. */
    async start(stack: string): Promise<void> {
        await Promise.all(this.containersOf(stack).map((container) => container.start()));
        const client = s3ClientFor(outputsOf(this.checkout, stack));
        await waitUntil(`${stack} serves`, () =>
            client.send(new ListBucketsCommand({})).then(
                () => true,
                () => false,
            ),
        );
        client.destroy();
    }

    private containersOf(stack: string): Docker.Container[] {
        const { nodeNames } = outputsOf(this.checkout, stack);
        return [`${stack}-proxy`, ...nodeNames].map((name) => this.host.docker.getContainer(name));
    }

    private proxy(stack: string): { port: number; address: string; s3Host: string } {
        const { httpsPort, publishAddress: address = "", s3Host = "" } = this.configs[stack] ?? {};
        return { port: Number(httpsPort), address, s3Host };
    }

    async remove(): Promise<void> {
        this.relays.forEach((relay) => relay.close());
        await this.host.removeEverythingOf(this.two);
        await this.checkout.remove();
    }
}
