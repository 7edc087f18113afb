import type { DockerHost } from "./dockerHost";
import { testImages } from "./testRun";

/**
 * The address by which containers with egress reach this host. A container is asked for Docker's own `host-gateway`: at the
 * engine's very first start its default network doesn't name a gateway, so `docker network inspect` doesn't have it.
 *
 * @throws {Error} where the engine knows no `host-gateway`.
 */
export async function hostGateway(host: DockerHost): Promise<string> {
    const hosts = await host.runOnNetwork(testImages().clients, "bridge", ["cat", "/etc/hosts"], {
        ExtraHosts: ["the-host:host-gateway"],
    });
    const [, address] = /([\d.]+)\sthe-host$/m.exec(hosts) ?? [];
    if (address === undefined) {
        throw new Error(`the engine has no host-gateway:\n${hosts}`);
    }
    return address;
}
