import type { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";

/**
 * The address by which containers with egress reach this host. A container looks up Docker's own `host-gateway`: at the
 * very first start of the engine its default network has no gateway entry, so `docker network inspect` doesn't show it.
 *
 * @throws {Error} if the engine has no `host-gateway`.
 */
export async function hostGateway(host: DockerHost): Promise<string> {
    const hosts = await host.runOnNetwork(testImages().clients, "bridge", ["cat", "/etc/hosts"], {
        ExtraHosts: ["the-host:host-gateway"],
    });
    const [, address] = /([\d.]+)\sthe-host$/m.exec(hosts) ?? [];
    if (address === undefined) {
        throw new Error(`the Docker daemon has no host-gateway:\n${hosts}`);
    }
    return address;
}
