import { fieldsOf, type Answer, type NodeRequests } from "./nodeRequests";

/** Durability of a bucket that has no mode of its own: that of the process. */
const STRICT = "strict";

/**
 * Durability modes of buckets, in a store that has them: whether an upload is on the disks before it is acknowledged.
 *
 * @see RustFS, rustfs/src/admin/handlers/durability.rs.
 */
export class BucketDurability {
    /** @param path Path of the admin API, to which a bucket's name is added. */
    constructor(
        private readonly requests: Pick<NodeRequests, "get" | "send">,
        private readonly path: string,
    ) {}

    /** A bucket's own mode. Undefined if it has that of the process. */
    async read(bucket: string): Promise<string | undefined> {
        const [answer] = await this.requests.get([this.path + bucket]);
        return modeIn(answer);
    }

    /** Gives a bucket a mode of its own; undefined takes that away. It holds at once. */
    async write(bucket: string, mode: string | undefined): Promise<void> {
        const path = this.path + bucket;
        modeIn(
            await (mode === undefined
                ? this.requests.send("DELETE", path)
                : this.requests.send("PUT", path, JSON.stringify({ mode }))),
        );
    }

    /** Names of the buckets whose mode lets an acknowledged upload be lost if the power fails. */
    async weak(): Promise<string[]> {
        const [list] = await this.requests.get(["/"]);
        if (list?.status !== 200) {
            throw new Error(`the store answers a request for its buckets with ${list?.status ?? 0}`);
        }
        const buckets = fieldsOf(list.body, "Name");
        const answers = await this.requests.get(buckets.map((bucket) => this.path + bucket));
        // One may have been deleted meanwhile.
        const found = buckets.map((bucket, index) => ({ bucket, answer: answers[index] }));
        return found
            .filter(({ answer }) => answer?.status !== 404 && (modeIn(answer) ?? STRICT) !== STRICT)
            .map(({ bucket }) => bucket);
    }
}

function modeIn(answer: Answer | undefined): string | undefined {
    const { status = 0, body = "", path = "" } = answer ?? {};
    if (status !== 200) {
        throw new Error(`the store answers ${path} with ${status}: ${body.trim().slice(0, 300)}`);
    }
    return (JSON.parse(body) as { mode?: string | null }).mode ?? undefined;
}
