import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Metadata of an object. */
export interface ObjectDescription {
    /** Its key as in the request, undecoded: another spelling is another object. */
    rawKey: string;
    size: number;
    /** MD5 of the content, in hexadecimal digits. */
    etag: string;
    /** Time of the write, in milliseconds since the epoch. */
    lastModified: number;
    /** Headers that are returned with it: its content type and the user's metadata. */
    headers: { [name: string]: string };
}

const DESCRIPTION_SUFFIX = ".json";

/** Buckets and objects as files of one drive. */
export class ObjectFiles {
    private readonly folder: string;

    constructor(drive: string) {
        this.folder = join(drive, "buckets");
        mkdirSync(this.folder, { recursive: true });
    }

    buckets(): string[] {
        return readdirSync(this.folder).sort();
    }

    hasBucket(bucket: string): boolean {
        return existsSync(join(this.folder, bucket));
    }

    makeBucket(bucket: string): void {
        mkdirSync(join(this.folder, bucket), { recursive: true });
    }

    removeBucket(bucket: string): void {
        rmSync(join(this.folder, bucket), { recursive: true, force: true });
    }

    write(bucket: string, rawKey: string, content: Buffer, headers: { [name: string]: string }): ObjectDescription {
        const etag = createHash("md5").update(content).digest("hex");
        const description = { rawKey, size: content.length, etag, lastModified: Date.now(), headers };
        const file = this.fileOf(bucket, rawKey);
        writeFileSync(file, content);
        writeFileSync(file + DESCRIPTION_SUFFIX, JSON.stringify(description));
        return description;
    }

    describe(bucket: string, rawKey: string): ObjectDescription | undefined {
        return readDescription(this.fileOf(bucket, rawKey) + DESCRIPTION_SUFFIX);
    }

    content(bucket: string, rawKey: string): Buffer {
        return readFileSync(this.fileOf(bucket, rawKey));
    }

    remove(bucket: string, rawKey: string): void {
        const file = this.fileOf(bucket, rawKey);
        rmSync(file, { force: true });
        rmSync(file + DESCRIPTION_SUFFIX, { force: true });
    }

    list(bucket: string): ObjectDescription[] {
        const folder = join(this.folder, bucket);
        return readdirSync(folder)
            .filter((name) => name.endsWith(DESCRIPTION_SUFFIX))
            .flatMap((name) => readDescription(join(folder, name)) ?? []);
    }

    private fileOf(bucket: string, rawKey: string): string {
        return join(this.folder, bucket, createHash("sha256").update(rawKey).digest("hex"));
    }
}

function readDescription(file: string): ObjectDescription | undefined {
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ObjectDescription) : undefined;
}
