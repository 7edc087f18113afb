import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { VirtualHosts } from "../../../tools/playground/virtualHosts";
import { Checkout } from "../harness/checkout";
import { startRelay } from "../harness/relay";
import type { Store } from "../harness/stores";
import { testImages } from "../harness/testRun";

/** A store over several hosts that the commands of a checkout have deployed. Clients reach it at the port of its config. */
export interface CheckoutOnHosts {
    hosts: VirtualHosts;
    /** Folder of the hosts. */
    folder: string;
    checkout: Checkout;
    /** Loads the store's images on a host that lacks them. */
    loadImages(host: string): Promise<void>;
    remove(): Promise<void>;
}

/**
 * Makes hosts, and deploys a store on the first of them, one node each.
 *
 * @param machines Number of hosts; those that the store isn't on wait to replace one of them.
 */
export async function deployCheckoutOnHosts(
    store: Store,
    { nodes, machines }: { nodes: number; machines: number },
): Promise<CheckoutOnHosts> {
    const folder = mkdtempSync(join(tmpdir(), "hosts-"));
    const hosts = await VirtualHosts.create({ count: machines, prefix: `hosts-${process.pid}`, folder });
    const images = [testImages().haproxy, store.config["image"] ?? ""];
    await hosts.load(images);
    const checkout = await Checkout.make({
        ...store.config,
        nodeCount: String(nodes),
        unencryptedOverlay: "true",
        publishAddress: "0.0.0.0",
    });
    const file = join(checkout.path, `Pulumi.${checkout.stack}.yaml`);
    const content = parse(readFileSync(file, "utf8")) as { config: { [key: string]: unknown } };
    content.config["object-store:hosts"] = hosts.hosts.slice(0, nodes);
    writeFileSync(file, stringify(content));
    checkout.shell(`npm run pulumi -- stack select --create ${checkout.stack}`);
    checkout.shell(`npm run hosts -- join --stack ${checkout.stack}`);
    checkout.up();
    const outside = await openToClients(hosts, folder, Number(content.config["object-store:httpsPort"]));
    const remove = async () => {
        outside.close();
        await hosts.remove();
        await checkout.remove();
    };
    return { hosts, folder, checkout, loadImages: (host) => hosts.load(images, [host]), remove };
}

async function openToClients(hosts: VirtualHosts, folder: string, port: number): Promise<Server> {
    const socket = join(folder, "client.sock");
    await hosts.relay(socket, port);
    return startRelay({ host: "127.0.0.1", port }, { path: socket });
}
