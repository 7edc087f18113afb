import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PROJECT } from "../paths";
import { StepError } from "../cli/step";

/** Seconds after which the vendor's site counts as unreachable. */
export const VENDOR_SECONDS = 5;

/** Longest time for one archive, in seconds. */
const ARCHIVE_SECONDS = 600;

/** File with the SHA-256 digests of the vendor's archives, by name. `npm run pin-toolchain` writes it. */
export const DIGESTS_FILE = join(PROJECT, "tools", "toolchain", "digests.json");

/** SHA-256 digests in hexadecimal, by the name of the archive. */
export interface Digests {
    [archive: string]: string | undefined;
}

/** The digests that this version of the project pins. */
export function pinnedDigests(): Digests {
    return JSON.parse(readFileSync(DIGESTS_FILE, "utf8")) as Digests;
}

/** Operating system and processor, in Node.js's terms: `linux-x64`. */
export function thisPlatform(): string {
    return `${platform()}-${arch()}`;
}

/** The vendor's URL of the CLI's archive for a platform. */
export function cliArchive(version: string, on = thisPlatform()): string {
    return `https://github.com/pulumi/pulumi/releases/download/v${version}/pulumi-v${version}-${on}.tar.gz`;
}

/** The vendor's URL of a plugin's archive for a platform. */
export function pluginArchive({ name, version }: { name: string; version: string }, on = thisPlatform()): string {
    const platformOfGo = on.replace(/-x64$/, "-amd64");
    return `https://get.pulumi.com/releases/plugins/pulumi-resource-${name}-v${version}-${platformOfGo}.tar.gz`;
}

/** Whether this version of the project pins the digest of an archive. */
export function isPinned(url: string, digests: Digests): boolean {
    return digests[basename(url)] !== undefined;
}

/**
 * Downloads an archive into a folder, and verifies its pinned digest before any other use.
 *
 * @param folder Folder to which no other user can write.
 * @returns The archive's file.
 * @throws {StepError} if it isn't the pinned one.
 * @throws {Error} if it can't be downloaded.
 */
export async function fetchPinned(url: string, digests: Digests, folder: string): Promise<string> {
    const name = basename(url);
    const file = await download(url, folder);
    const [found, pinned] = [await digestOf(file), digests[name]];
    if (found !== pinned) {
        throw new StepError(
            `${url} is not what this version of the project pins, and was not used: its SHA-256 is ${found}, ` +
                `${DIGESTS_FILE} has ${pinned ?? "none"}. Something between here and there, or the vendor, has changed it.`,
        );
    }
    return file;
}

/** Downloads a file into a folder. */
export async function download(url: string, folder: string): Promise<string> {
    const file = join(folder, basename(url));
    const limit = new AbortController();
    const soon = setTimeout(() => limit.abort(new Error("no answer")), VENDOR_SECONDS * 1000);
    const whole = setTimeout(() => limit.abort(new Error("too slow")), ARCHIVE_SECONDS * 1000);
    try {
        const answer = await fetch(url, { signal: limit.signal });
        clearTimeout(soon);
        if (!answer.ok || answer.body === null) {
            throw new Error(`status ${answer.status}`);
        }
        const body = Readable.fromWeb(answer.body);
        await pipeline(body, createWriteStream(file, { flags: "wx", mode: 0o600 }));
        return file;
    } finally {
        clearTimeout(soon);
        clearTimeout(whole);
    }
}

/** SHA-256 of a file, in hexadecimal. */
export async function digestOf(file: string): Promise<string> {
    const hash = createHash("sha256");
    await pipeline(createReadStream(file), hash);
    return hash.digest("hex");
}
