import { demand, type StoreRequests } from "./nodeStore";

/** An object in a listing. */
export interface ListedObject {
    /** The key, one character for each byte of its UTF-8 form. */
    key: string;
    size: number;
    etag: string;
    /** Milliseconds since 1970. */
    modified: number;
}

/** Names of all buckets, in order. */
export async function bucketsOf(store: StoreRequests): Promise<string[]> {
    const { body } = await demand(store, { method: "GET", path: "/" });
    return texts(body.toString(), "Name").sort();
}

/** The objects of a bucket, in the order of their keys. */
export async function* objectsOf(store: StoreRequests, bucket: string): AsyncGenerator<ListedObject> {
    let token: string | undefined;
    do {
        const next = token === undefined ? "" : `continuation-token=${encodeURIComponent(token)}&`;
        const path = `/${bucket}?${next}encoding-type=url&list-type=2&max-keys=1000`;
        const page = (await demand(store, { method: "GET", path })).body.toString();
        for (const entry of texts(page, "Contents")) {
            const [key = ""] = texts(entry, "Key");
            const [etag = ""] = texts(entry, "ETag");
            yield {
                key: bytesOf(plain(key)),
                size: Number(texts(entry, "Size")[0]),
                etag: plain(etag).replaceAll('"', ""),
                modified: Date.parse(texts(entry, "LastModified")[0] ?? ""),
            };
        }
        token = /<IsTruncated>true</.test(page) ? plain(texts(page, "NextContinuationToken")[0] ?? "") : undefined;
    } while (token !== undefined);
}

/** The path of an object in a request. */
export function pathOf(bucket: string, key: string): string {
    const encoded = Array.from(key).map((byte) =>
        /[A-Za-z0-9/_.~-]/.test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    );
    return `/${bucket}/${encoded.join("")}`;
}

/** A key as people read it. */
export function shownKey(key: string): string {
    return JSON.stringify(Buffer.from(key, "latin1").toString());
}

/** A pair of objects with the same key; one is missing if only one store has the key. */
export interface Pair {
    bucket: string;
    from?: ListedObject;
    to?: ListedObject;
}

/** Every key that at least one of two stores has. Reads both listings once, and keeps a page of each. */
export async function* pairsOf(from: StoreRequests, to: StoreRequests): AsyncGenerator<Pair> {
    const there = await bucketsOf(to);
    for (const bucket of await bucketsOf(from)) {
        const [ones, others] = [objectsOf(from, bucket), there.includes(bucket) ? objectsOf(to, bucket) : none()];
        let [one, other] = [await ones.next(), await others.next()];
        while (one.done !== true || other.done !== true) {
            const [left, right] = [
                one.done === true ? undefined : one.value,
                other.done === true ? undefined : other.value,
            ];
            const first = right === undefined || (left !== undefined && left.key <= right.key) ? left : undefined;
            const second = left === undefined || (right !== undefined && right.key <= left.key) ? right : undefined;
            yield { bucket, from: first, to: second };
            if (first !== undefined) {
                one = await ones.next();
            }
            if (second !== undefined) {
                other = await others.next();
            }
        }
    }
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* none(): AsyncGenerator<ListedObject> {
    yield* [];
}

/** The contents of each element with a name, in XML of a store. */
function texts(xml: string, name: string): string[] {
    return [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, "g"))].map(([, text = ""]) => text);
}

const ENTITIES: { [entity: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The text of an element without its entities. */
function plain(text: string): string {
    return text.replaceAll(/&(#x?)?([0-9a-zA-Z]+);/g, (_, numeric: string | undefined, name: string) =>
        numeric === undefined
            ? (ENTITIES[name] ?? "")
            : String.fromCodePoint(parseInt(name, numeric === "#x" ? 16 : 10)),
    );
}

/** A key that is encoded for URLs, one character for each byte. */
function bytesOf(encoded: string): string {
    const bytes = Buffer.from(encoded.replaceAll("+", " ")).toString("latin1");
    return bytes.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
