import { Checkout } from "../harness/checkout";
import type { DeploymentConfig, DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { freeClusterName } from "../harness/freeResources";
import { startRelay } from "../harness/relay";
import { stackDefaults } from "../harness/stackDefaults";
import type { Store } from "../harness/stores";
import { outputsOf, type MovePlace } from "./movePlace";
import type { Server } from "node:net";

/** Two stacks on this machine's engine, for a move to another layout. */
export class SameEngine implements MovePlace {
    readonly host = new DockerHost();
    readonly nextHost = this.host;
    private relay: Server | undefined;

    private constructor(
        readonly checkout: Checkout,
        readonly to: string,
        private readonly config: DeploymentConfig,
    ) {}

    static async create(store: Store, layout: DeploymentConfig): Promise<SameEngine> {
        const checkout = await Checkout.make(store.config);
        const to = await freeClusterName();
        const host = new DockerHost();
        // The second store's ports are on an address of this machine that containers reach too.
        const network = `${checkout.clusterName}-outside`;
        await host.docker.createNetwork({ Name: network });
        const { IPAM: addresses } = (await host.docker.getNetwork(network).inspect()) as {
            IPAM: { Config: { Gateway: string }[] };
        };
        const config = {
            ...(await stackDefaults(to)),
            ...store.config,
            publishAddress: addresses.Config[0]?.Gateway ?? "",
            ...layout,
        };
        checkout.writeStackFile(to, config);
        return new SameEngine(checkout, to, config);
    }

    get from(): string {
        return this.checkout.stack;
    }

    prepare(): Promise<void> {
        return Promise.resolve();
    }

    async open(stack: string): Promise<DeploymentOutputs> {
        if (stack === this.to && this.relay === undefined) {
            const port = Number(this.config["httpsPort"]);
            this.relay = await startRelay(
                { host: "127.0.0.1", port },
                { host: this.config["publishAddress"] ?? "", port },
            );
        }
        return outputsOf(this.checkout, stack);
    }

    async remove(): Promise<void> {
        this.relay?.close();
        await this.host.removeEverythingOf(this.to);
        await this.checkout.remove();
    }
}
