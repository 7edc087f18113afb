import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualHosts } from "../../../tools/playground/virtualHosts";
import { BUILT_IMAGES } from "../../../tools/images/builtImages";
import { rcloneImage } from "../../../tools/move/objectCopy";
import { namedEngine } from "../../../tools/stack/namedEngine";
import { Checkout } from "../harness/checkout";
import type { DeploymentConfig, DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { freeClusterName } from "../harness/freeResources";
import { startRelay } from "../harness/relay";
import { stackDefaults } from "../harness/stackDefaults";
import type { Store } from "../harness/stores";
import { testImages } from "../harness/testRun";
import { outputsOf, type MovePlace } from "./movePlace";

/** The old store on the first virtual host, the new one on the others. */
export class OwnHosts implements MovePlace {
    private readonly relays: Server[] = [];

    private constructor(
        readonly checkout: Checkout,
        readonly to: string,
        private readonly hosts: VirtualHosts,
        private readonly folder: string,
        private readonly ports: { [stack: string]: number },
    ) {}

    static async create(store: Store, hostCount: number, layout: DeploymentConfig): Promise<OwnHosts> {
        const folder = mkdtempSync(join(tmpdir(), "hosts-"));
        const prefix = `hosts-${randomBytes(3).toString("hex")}`;
        const hosts = await VirtualHosts.create({ count: hostCount + 1, prefix, folder });
        try {
            await rcloneImage(await namedEngine());
            await hosts.load([testImages().haproxy, store.config["image"] ?? "", BUILT_IMAGES.rclone.reference]);
            const [first, ...others] = hosts.hosts;
            const [one, two] = [await stackDefaults("one"), await stackDefaults("two")];
            const checkout = await Checkout.make({
                ...store.config,
                "docker:host": first?.dockerHost ?? "",
                publishAddress: "0.0.0.0",
                httpPort: one["httpPort"] ?? "",
                httpsPort: one["httpsPort"] ?? "",
            });
            const to = await freeClusterName();
            checkout.writeStackFile(to, {
                ...two,
                ...store.config,
                storeName: to,
                publishAddress: "0.0.0.0",
                hosts: JSON.stringify(others),
                // The kernel may lack ESP, without which nothing arrives on an encrypted overlay.
                unencryptedOverlay: "true",
                ...layout,
            });
            const ports = { [checkout.stack]: Number(one["httpsPort"]), [to]: Number(two["httpsPort"]) };
            return new OwnHosts(checkout, to, hosts, folder, ports);
        } catch (error) {
            await hosts.remove();
            throw error;
        }
    }

    get from(): string {
        return this.checkout.stack;
    }

    get host(): DockerHost {
        return this.engineAt(0);
    }

    get nextHost(): DockerHost {
        return this.engineAt(1);
    }

    private engineAt(index: number): DockerHost {
        return new DockerHost(this.hosts.hosts[index]?.dockerHost.replace("unix://", ""));
    }

    async prepare(): Promise<void> {
        await this.checkout.runBeside(`npm run hosts -- join --stack ${this.to}`).done();
    }

    async open(stack: string): Promise<DeploymentOutputs> {
        const port = this.ports[stack] ?? 0;
        const socket = join(this.folder, `${stack}.sock`);
        await this.hosts.relay(socket, port);
        this.relays.push(await startRelay({ host: "127.0.0.1", port }, { path: socket }));
        return outputsOf(this.checkout, stack);
    }

    async remove(): Promise<void> {
        this.relays.forEach((relay) => relay.close());
        await this.hosts.remove();
        await this.checkout.remove();
    }
}
