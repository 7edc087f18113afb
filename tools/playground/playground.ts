import { createHash } from "node:crypto";
import type { StoreHost } from "../../components/args/hostArgs";
import { PROJECT } from "../paths";

/** Each checkout has a playground of its own. */
const ID = createHash("sha256").update(PROJECT).digest("hex").slice(0, 6);

/** Name of the playground's stack. */
export const PLAYGROUND_STACK = "playground";

/** Begins the names of its network namespaces. */
export const PLAYGROUND_PREFIX = `playground-${ID}`;

/** Folder of its hosts. The path is short, because the engines' sockets are in it, and a path of a socket has a limit. */
export const PLAYGROUND_FOLDER = `/var/lib/object-store-playground-${ID}`;

/** Names of its hosts, in their order. */
export const HOST_NAMES = ["a", "b", "c", "d", "e", "f"];

/** With fewer hosts, no layout survives the loss of one. */
export const FEWEST_HOSTS = 3;

export const MOST_HOSTS = HOST_NAMES.length;

/** Whether hosts are those of this checkout's playground. Their ports are forwarded from this machine's loopback address. */
export function arePlaygroundHosts(hosts: readonly StoreHost[]): boolean {
    return hosts.every(({ dockerHost }) => dockerHost.startsWith(`unix://${PLAYGROUND_FOLDER}/`));
}
