import { pairsOf, shownKey } from "./bucketListing";
import { withMargin, type Move } from "./copySteps";
import { runRclone } from "./objectCopy";
import { say } from "../cli/step";

/** The result of a comparison. */
export interface Comparison {
    same: number;
    /** Objects that have changed since the last copy. */
    changed: number;
    /** Objects that are missing in the other store, or differ. */
    wrong: string[];
}

/**
 * Compares all objects by their checksums; those without a comparable one, byte by byte.
 *
 * @throws {StepError} that names those whose bytes differ.
 */
export async function compareStores(move: Move, run = runRclone): Promise<Comparison> {
    let compared = await compareListings(move);
    for (;;) {
        const { unclear, ...result } = compared;
        if (unclear.length === 0) {
            return result;
        }
        say(`${unclear.length} objects were uploaded in parts, and have no comparable checksum: comparing their bytes`);
        try {
            await run(move, { action: "compare", objects: unclear });
            return { ...result, same: result.same + unclear.length };
        } catch (error) {
            // Clients may have changed some of them meanwhile.
            compared = await compareListings(move);
            if (compared.unclear.length >= unclear.length) {
                throw error;
            }
        }
    }
}

/** Compares what both listings say, with the objects for which that says nothing, as `bucket/key`. */
async function compareListings({ near, far, record }: Move): Promise<Comparison & { unclear: string[] }> {
    const since = Date.parse(withMargin(near, record.copiedSince) ?? "");
    const result = { same: 0, changed: 0, wrong: [] as string[], unclear: [] as string[] };
    for await (const { bucket, from: one, to: other } of pairsOf(near.store, far.store)) {
        const shown = `${bucket}/${shownKey((one ?? other)?.key ?? "")}`;
        if (one === undefined || one.modified >= since) {
            result.changed++;
        } else if (other === undefined || one.size !== other.size) {
            result.wrong.push(other === undefined ? `${shown} is missing` : `${shown} has another size`);
        } else if (one.etag === other.etag) {
            result.same++;
        } else if (isMd5(one.etag) && isMd5(other.etag)) {
            result.wrong.push(`${shown} has another checksum`);
        } else {
            result.unclear.push(`${bucket}/${Buffer.from(one.key, "latin1").toString()}`);
        }
    }
    return result;
}

/** Whether an ETag is the MD5 of the object. That of an upload in parts isn't. */
function isMd5(etag: string): boolean {
    return /^[0-9a-f]{32}$/i.test(etag);
}
