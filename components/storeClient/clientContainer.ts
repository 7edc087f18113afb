import type Docker from "dockerode";
import { randomBytes } from "node:crypto";
import { script } from "../docker/script";
import { LABELS } from "../naming/labels";
import { S3_PORT } from "../store/topology";
import type { StoreTarget } from "./storeTarget";

/** Name of the store in the client's arguments: `store/BUCKET`. */
export const STORE_ALIAS = "store";

/** Root keys of a store. */
export interface RootKeys {
    accessKey: string;
    secretKey: string;
}

/** Another store that the client's arguments name, with the keys for it. */
export interface OtherStore extends RootKeys {
    /** Its URL, without credentials and path. */
    url: string;
}

/**
 * The client's configuration as one line, in the format of its file `config.json`.
 *
 * @param others Stores besides this one, by their names in the client's arguments. Default: none.
 */
export function clientConfiguration(
    { address }: StoreTarget,
    keys: RootKeys,
    others: { [alias: string]: OtherStore } = {},
): string {
    const stores = { ...others, [STORE_ALIAS]: { url: `http://${address}:${S3_PORT}`, ...keys } };
    const aliases = Object.entries(stores).map(([alias, store]) => [alias, { ...store, api: "S3v4", path: "on" }]);
    return JSON.stringify({ version: "10", aliases: Object.fromEntries(aliases) as object });
}

/** Folder in memory that only the client can read. */
const MEMORY = "/run/client";

const USER = 65534;

/**
 * Arguments of a container on the node network in which the client runs. They contain no secret: the first line of its
 * standard input is the client's configuration.
 *
 * @param command What it runs afterwards.
 */
export function clientContainer(
    { network }: StoreTarget,
    image: string,
    command: string[],
): Docker.ContainerCreateOptions {
    return {
        // It begins as the names of all containers of the cluster do.
        name: `${network.replace(/-nodes$/, "")}-admin-${randomBytes(4).toString("hex")}`,
        // If this program is killed before it is started, the next session removes it.
        Labels: { [LABELS.client]: network },
        Image: image,
        Entrypoint: ["/bin/sh", "-c", script(__dirname, "runClient.sh"), "client"],
        Cmd: command,
        Env: [`MC_CONFIG_DIR=${MEMORY}`],
        User: `${USER}:${USER}`,
        WorkingDir: MEMORY,
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        OpenStdin: true,
        StdinOnce: true,
        HostConfig: {
            NetworkMode: network,
            AutoRemove: true,
            ReadonlyRootfs: true,
            CapDrop: ["ALL"],
            SecurityOpt: ["no-new-privileges"],
            Tmpfs: { [MEMORY]: `rw,nosuid,nodev,noexec,size=64m,mode=0700,uid=${USER},gid=${USER}` },
            // Its output may contain new keys.
            LogConfig: { Type: "none", Config: {} },
        },
    };
}
