import { request } from "node:http";
import { answer, type Route } from "./exchange";
import type { ObjectFiles } from "./objectFiles";
import { readBody } from "./payload";
import { peersOf, type Drive } from "./volumes";

const REPLICA_PATH = "/service/rpc/replica";
const HEADERS_HEADER = "x-replica-headers";
const TIMEOUT_MILLISECONDS = 2000;

/** A change of a bucket or an object. */
export interface Change {
    method: "PUT" | "DELETE";
    bucket: string;
    /** Empty if the bucket itself is changed. */
    rawKey: string;
    content?: Buffer;
    /** Headers that are returned with the object. */
    headers?: { [name: string]: string };
}

/** Sends a change to every other node. A node that doesn't answer misses it. */
export type Replicate = (change: Change) => Promise<void>;

/** Node-to-node traffic over the S3 listener (service contract, section 1): each node has every object. */
export function replicateTo(drives: Drive[], hostname: string): Replicate {
    const peers = peersOf(drives, hostname);
    return async (change) => {
        await Promise.all(peers.map(({ host, port }) => send(change, host, port)));
    };
}

/** Applies the changes that other nodes send. */
export function replicaRoute(files: ObjectFiles): Route {
    return async (exchange) => {
        const { request: incoming, target } = exchange;
        const [, bucket, rawKey = ""] =
            /^\/service\/rpc\/replica\/([a-z0-9][a-z0-9.-]*)\/?(.*)$/s.exec(target.path) ?? [];
        if (bucket === undefined || (incoming.method !== "PUT" && incoming.method !== "DELETE")) {
            return false;
        }
        const content = await readBody(incoming);
        const headers = JSON.parse(String(incoming.headers[HEADERS_HEADER] ?? "{}")) as { [name: string]: string };
        applyChange(files, { method: incoming.method, bucket, rawKey, content, headers });
        answer(exchange, "rpc", { status: 200, headers: { "x-internal": "1" } });
        return true;
    };
}

/** Applies a change on this node. */
export function applyChange(files: ObjectFiles, { method, bucket, rawKey, content, headers }: Change): void {
    if (method === "DELETE") {
        if (rawKey === "") {
            files.removeBucket(bucket);
        } else {
            files.remove(bucket, rawKey);
        }
        return;
    }
    files.makeBucket(bucket);
    if (rawKey !== "") {
        files.write(bucket, rawKey, content ?? Buffer.alloc(0), headers ?? {});
    }
}

function send(change: Change, host: string, port: number | undefined): Promise<void> {
    const { method, bucket, rawKey, content = Buffer.alloc(0), headers = {} } = change;
    return new Promise((resolve) => {
        const outgoing = request(
            {
                host,
                port,
                method,
                path: `${REPLICA_PATH}/${bucket}/${rawKey}`,
                headers: { [HEADERS_HEADER]: JSON.stringify(headers), "content-length": content.length },
                timeout: TIMEOUT_MILLISECONDS,
            },
            (incoming) => incoming.resume().on("close", resolve),
        );
        outgoing.on("timeout", () => outgoing.destroy());
        outgoing.on("error", () => resolve());
        outgoing.end(content);
    });
}
