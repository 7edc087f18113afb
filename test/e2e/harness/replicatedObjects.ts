import {
    GetObjectCommand,
    ListObjectsV2Command,
    ListObjectVersionsCommand,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const BUCKET = "photos";
const MINUTE = 60_000;

/** Objects whose lag is measured. */
export const MEASURED = 50;

/** Writes an object. Returns its version. */
export async function put(client: S3Client, key: string, content: string | Buffer): Promise<string> {
    const { VersionId: version } = await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: content }));
    return version ?? "";
}

/** Whether a listing has the key. A read isn't a sign of it: a store asks the other one for objects that it doesn't have yet. */
export async function has(client: S3Client, key: string): Promise<boolean> {
    const { Contents: found = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: key }));
    return found.some(({ Key: name }) => name === key);
}

/** Every version and delete marker: key, version, kind, ETag, and whether it is the current one. */
export async function versionsIn(client: S3Client): Promise<[string, string, string, string, boolean][]> {
    const { Versions: versions = [], DeleteMarkers: markers = [] } = await client.send(
        new ListObjectVersionsCommand({ Bucket: BUCKET }),
    );
    return [
        ...markers.map((marker) => ({ ...marker, ETag: "", kind: "delete marker" })),
        ...versions.map((version) => ({ ...version, kind: "version" })),
    ]
        .map(
            ({ Key: key = "", VersionId: id = "", ETag: etag = "", IsLatest: latest = false, kind }) =>
                [key, id, kind, etag, latest] as [string, string, string, string, boolean],
        )
        .sort((left, right) => (left.join() < right.join() ? -1 : 1));
}

/** Milliseconds from the answer to each write until the other side has the object; four writers at a time. */
export async function lagsOf(from: S3Client, to: S3Client, name: string): Promise<number[]> {
    const lags: number[] = [];
    const places = Array.from({ length: MEASURED }, (_, index) => index).values();
    const write = async () => {
        for (const index of places) {
            const key = `lag/${name}/${index}`;
            await put(from, key, randomBytes(10_000));
            const written = Date.now();
            while (!(await has(to, key))) {
                if (Date.now() - written > MINUTE) {
                    throw new Error(`${key} didn't arrive within a minute`);
                }
                await sleep(10);
            }
            lags.push(Date.now() - written);
        }
    };
    await Promise.all(Array.from({ length: 4 }, write));
    return lags.sort((left, right) => left - right);
}

/** The median and the maximum of sorted milliseconds. */
export function summaryOf(lags: number[]): string {
    return `${lags.length} objects, median ${lags[Math.floor(lags.length / 2)]} ms, most ${lags.at(-1)} ms`;
}

export function sha256(content: string | Buffer): string {
    return createHash("sha256").update(content).digest("hex");
}

export async function checksumOf(client: S3Client, key: string, version?: string): Promise<string> {
    const { Body: body } = await client.send(
        new GetObjectCommand({ Bucket: BUCKET, Key: key, ...(version === undefined ? {} : { VersionId: version }) }),
    );
    return sha256(Buffer.from((await body?.transformToByteArray()) ?? []));
}
