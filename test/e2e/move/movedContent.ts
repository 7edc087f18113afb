import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { troubledLines } from "../chaos/proxyLog";
import type { OperationRecord } from "../chaos/operations";
import { s3ClientFor } from "../harness/clients";
import { LABELS } from "../../../components/naming/labels";
import type { DeploymentOutputs } from "../harness/deployment";
import type { DockerHost } from "../harness/dockerHost";
import { beginUpload } from "../harness/lastingTraffic";

/** Small objects that are there before the move. RustFS over three virtual hosts writes three per second beside much other work. */
export const OBJECTS = 300;

/** Time that each slow upload takes. */
const SLOW_MILLISECONDS = 2000;

/** Unusual keys; rclone itself leaves out those that end with a slash. */
export const KEYS = [
    "a folder/",
    "another/folder/",
    "ünï cödé",
    "u\u0308",
    "\u00fc",
    "‛quoted",
    "plus+ %41 #?&",
    "back\\slash",
];

/** Uploads that take a while, one after the other, by several clients. */
export class SlowUploads {
    private stopped = false;
    private readonly done: Promise<{ key: string; checksum: string }[][]>;

    constructor(outputs: DeploymentOutputs) {
        this.done = Promise.all([1, 2, 3].map((client) => this.work(outputs, client)));
        this.done.catch(() => undefined);
    }

    /** Those that ended. @throws {Error} if one of them failed. */
    async stop(): Promise<{ key: string; checksum: string }[]> {
        this.stopped = true;
        return (await this.done).flat();
    }

    private async work(outputs: DeploymentOutputs, client: number): Promise<{ key: string; checksum: string }[]> {
        const ended: { key: string; checksum: string }[] = [];
        while (!this.stopped) {
            const object = { bucket: "many", key: `slow ${client}/${ended.length}` };
            const end = sleep(SLOW_MILLISECONDS);
            const { key, checksum, status } = await beginUpload(outputs, "http/1.1", object, end);
            expect([key, await status]).toEqual([key, 200]);
            ended.push({ key, checksum });
        }
        return ended;
    }
}

/** An upload in parts, whose ETag is no checksum of its bytes. */
export const PARTS = randomBytes(12 * 1024 * 1024);

export async function fillMany(client: ReturnType<typeof s3ClientFor>): Promise<void> {
    const left = Array.from({ length: OBJECTS }, (_, index) => index).reverse();
    const write = async () => {
        for (let place = left.pop(); place !== undefined; place = left.pop()) {
            await client.send(new PutObjectCommand({ Bucket: "many", Key: keyOf(place), Body: bodyOf(place) }));
        }
    };
    await Promise.all(Array.from({ length: 8 }, write));
    for (const key of KEYS) {
        await client.send(new PutObjectCommand({ Bucket: "many", Key: key, Body: contentFor(key) }));
    }
    const described = { ContentType: "text/x-described", CacheControl: "max-age=7", ContentDisposition: "attachment" };
    await client.send(
        new PutObjectCommand({
            Bucket: "many",
            Key: "described",
            Body: Buffer.alloc(0),
            ...described,
            Metadata: { owner: "somebody" },
        }),
    );
    await new Upload({
        client,
        params: { Bucket: "many", Key: "in parts", Body: PARTS },
        partSize: 5 * 1024 * 1024,
    }).done();
}

/** Waits until an object of the bucket `many` is there. */
export async function untilThere(client: ReturnType<typeof s3ClientFor>, key: string): Promise<string> {
    for (let round = 0; round < 3000; round++) {
        try {
            await client.send(new HeadObjectCommand({ Bucket: "many", Key: key }));
            return "there";
        } catch {
            await sleep(50);
        }
    }
    return "never there";
}

export function keyOf(index: number): string {
    return `${index % 20}/${index}`;
}

export function bodyOf(index: number): string {
    return `object ${index}`;
}

/** Only empty objects may have a key that ends with a slash, on both stores. */
export function contentFor(key: string): Buffer {
    return Buffer.from(key.endsWith("/") ? "" : `content of ${key}`);
}

export function sha256(content: string | Buffer): string {
    return createHash("sha256").update(content).digest("hex");
}

export async function checksumOf(client: ReturnType<typeof s3ClientFor>, bucket: string, key: string): Promise<string> {
    const { Body: body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return sha256(Buffer.from((await body?.transformToByteArray()) ?? []));
}

/** Failed operations, except uploads in parts that the switch came across: their id is the old store's. */
export function failuresIn(records: OperationRecord[]): string[] {
    return records.flatMap(({ population, kind, start, end, failure = "" }) =>
        failure === "" || (kind === "multipart" && failure.includes("NoSuchUpload"))
            ? []
            : [`${population} ${kind}, ${new Date(start).toISOString()} for ${end - start} ms: ${failure}`],
    );
}

/** What the running proxies of an engine logged of failed requests. */
export async function proxyLogs(host: DockerHost, since: number): Promise<string> {
    const proxies = await host.docker.listContainers({ filters: { label: [LABELS.proxy], name: ["proxy"] } });
    const names = proxies.map(({ Names: [name = ""] }) => name.slice(1));
    return (await Promise.all(names.map((name) => troubledLines(host, name, since)))).flat().join("\n");
}

/** Longest time between two successful writes, in seconds. */
export function longestPause(records: OperationRecord[]): number {
    const ends = records
        .filter(({ kind, failure }) => failure === undefined && ["put", "delete", "multipart"].includes(kind))
        .map(({ end }) => end)
        .sort((one, other) => one - other);
    return Math.max(0, ...ends.slice(1).map((end, index) => end - (ends[index] ?? end))) / 1000;
}
