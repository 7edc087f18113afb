import { createHash } from "node:crypto";
import type { StoreAnswer, StoreRequest } from "../../../tools/move/nodeStore";

/** A percent-encoded path, one character for each byte. */
function bytesOf(path: string): string {
    return path.replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

interface VirtualObject {
    content: string;
    headers: { [name: string]: string };
}

/** A store in memory: its buckets, their settings, and its objects. */
export class VirtualStore {
    private readonly buckets = new Map<string, Map<string, VirtualObject>>();
    readonly settings = new Map<string, string>();
    readonly requests: string[] = [];
    /** A request that is refused, and the status of its answer. */
    refused: string | undefined;
    refusal = 405;

    constructor(private readonly pageSize = 1000) {}

    put(bucket: string, key: string, content: string, headers: { [name: string]: string } = {}): void {
        const objects = this.buckets.get(bucket) ?? new Map<string, VirtualObject>();
        this.buckets.set(bucket, objects.set(Buffer.from(key).toString("latin1"), { content, headers }));
    }

    keys(bucket: string): string[] {
        return [...(this.buckets.get(bucket)?.keys() ?? [])].sort();
    }

    headers(bucket: string, key: string): { [name: string]: string } | undefined {
        return this.buckets.get(bucket)?.get(key)?.headers;
    }

    get names(): string[] {
        return [...this.buckets.keys()].sort();
    }

    send({ method, path, headers = {}, body = Buffer.alloc(0) }: StoreRequest): Promise<StoreAnswer> {
        this.requests.push(`${method} ${path}`);
        if (`${method} ${path}` === this.refused) {
            return Promise.resolve({ status: this.refusal, headers: {}, body: Buffer.from("no") });
        }
        const [, bucket = "", key = "", query = ""] = /^\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/.exec(path) ?? [];
        return Promise.resolve(this.answer(method, decodeURI(bucket), bytesOf(key), query, headers, body));
    }

    private answer(
        method: string,
        bucket: string,
        key: string,
        query: string,
        headers: { [name: string]: string },
        body: Buffer,
    ): StoreAnswer {
        const done = (text: string, more: { [name: string]: string } = {}, status = 200) => ({
            status,
            headers: more,
            body: Buffer.from(text),
        });
        if (bucket === "") {
            return done(`<R>${this.names.map((name) => `<Bucket><Name>${name}</Name></Bucket>`).join("")}</R>`);
        }
        const objects = this.buckets.get(bucket) ?? new Map<string, VirtualObject>();
        if (query.includes("list-type=2")) {
            return done(this.page(objects, /continuation-token=([^&]*)/.exec(query)?.[1]));
        }
        if (query !== "") {
            const setting = `${bucket}?${query}`;
            if (method === "PUT") {
                this.settings.set(setting, body.toString());
            } else if (method === "DELETE") {
                this.settings.delete(setting);
                return done("", {}, 204);
            }
            const found = this.settings.get(setting);
            return found === undefined ? done("", {}, 404) : done(found);
        }
        if (method === "PUT") {
            this.buckets.set(bucket, objects);
            if (key !== "") {
                objects.set(key, { content: body.toString(), headers });
            }
            return done("");
        }
        if (method === "DELETE" && key === "") {
            this.buckets.delete(bucket);
            return done("", {}, 204);
        }
        if (method === "DELETE") {
            objects.delete(key);
            return done("", {}, 204);
        }
        const object = objects.get(key);
        return object === undefined ? done("", {}, 404) : done(object.content, object.headers);
    }

    private page(objects: Map<string, VirtualObject>, token?: string): string {
        const keys = [...objects.keys()].sort();
        const begin = token === undefined ? 0 : Number(token);
        const listed = keys.slice(begin, begin + this.pageSize).map((key) => {
            const encoded = Array.from(key).map((byte) =>
                byte === " "
                    ? "+"
                    : /[A-Za-z0-9/]/.test(byte)
                      ? byte
                      : `%${Buffer.from(byte, "latin1").toString("hex")}`,
            );
            const content = objects.get(key)?.content ?? "";
            // As that of an upload in parts.
            const isInParts = objects.get(key)?.headers["x-amz-meta-parts"] === "yes";
            const etag = createHash("md5").update(content).digest("hex") + (isInParts ? `-${content.length}` : "");
            return (
                `<Contents><Key>${encoded.join("")}</Key><ETag>&quot;${etag}&quot;</ETag>` +
                `<Size>${content.length}</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`
            );
        });
        const more = begin + this.pageSize < keys.length;
        const next = more ? `<NextContinuationToken>${begin + this.pageSize}</NextContinuationToken>` : "";
        return `<R>${listed.join("")}<IsTruncated>${more}</IsTruncated>${next}</R>`;
    }
}
