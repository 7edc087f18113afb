import {
    failedAnswer,
    fieldsOf,
    isFailure,
    NodeRequests,
    type Answer,
    type RunInNode,
} from "../components/storeClient/nodeRequests";
import type { Clock } from "../components/docker/poll";
import type { ServiceProfile } from "../components/store/serviceProfile";
import { BUCKET_SETTINGS } from "./supported";

/** Objects of a bucket: a text with ETag and length for each key, or for each version and delete marker. */
export interface ListedObjects {
    entries: Map<string, string>;
    /** Last key of the listing, if there are more. Its versions may be incomplete. */
    upTo: string | undefined;
}

/** What a bucket has, as far as it is compared. */
export interface BucketContent {
    /** Names of its settings. */
    settings: string[];
    /** Its first objects. */
    objects: ListedObjects;
    /** Its first versions and delete markers. */
    versions: ListedObjects;
}

/** What a store has, as far as it is compared. */
export interface StoreContent {
    buckets: Map<string, BucketContent>;
    /** A text with status, ETag, length and digest of some objects that were read, by their paths. */
    samples: Map<string, string>;
}

/** Number of objects of a bucket that are read. */
const SAMPLES_OF_BUCKET = 10;

/** Number of objects that are read in all. */
const SAMPLES = 200;

/** Number of bytes that are read of each of them. */
const SAMPLE_BYTES = 32 * 1024 * 1024;

/** Time for which requests are sent again that a store couldn't answer, in seconds from the first: its nodes have just started. */
const RETRY_SECONDS = 60;

/** The store doesn't implement what is asked for: the same request gets the same answer. */
const NOT_IMPLEMENTED = 501;

/** Statuses after which nothing is known of an object: no answer, or a store that is too busy. */
const SAYS_NOTHING = [0, 503];

/** Time before they are sent again, in milliseconds. */
const RETRY_INTERVAL = 2000;

/** Asks a store, through a node's container, what it has. */
export class StoreQuestions {
    private readonly requests: NodeRequests;
    /** Time until which requests are sent again, once one had no answer. */
    private retryUntil: number | undefined;

    constructor(
        run: RunInNode,
        private readonly profile: ServiceProfile,
        private readonly clock: Clock,
    ) {
        this.requests = new NodeRequests(run, profile);
    }

    /**
     * Buckets, their settings and first objects, and a sample of objects.
     *
     * @param mayBeUnreadable Whether there may be objects that the store can't read. Without that, each has to be answered for.
     * @param samples Paths of the objects that are read: those of the store that this one is compared with. Default: some of each bucket.
     */
    async content(mayBeUnreadable: boolean, samples?: readonly string[]): Promise<StoreContent> {
        const settings = await this.settings();
        const names = [...settings.keys()];
        const objects = await this.listings(names, "encoding-type=url&list-type=2");
        const versions = await this.listings(names, "encoding-type=url&versions=");
        const buckets = new Map(
            names.map((name) => [
                name,
                {
                    settings: settings.get(name) ?? [],
                    objects: objects.get(name) ?? NOTHING,
                    versions: versions.get(name) ?? NOTHING,
                },
            ]),
        );
        return { buckets, samples: await this.read(samples ?? samplesOf(buckets), mayBeUnreadable) };
    }

    /** Names of all buckets. */
    async buckets(): Promise<string[]> {
        const [list] = await this.ask(["/"]);
        return fieldsOf(list?.body ?? "", "Name");
    }

    /** Names of the settings that each bucket has. */
    async settings(): Promise<Map<string, string[]>> {
        const names = await this.buckets();
        const found = new Map(names.map((name): [string, string[]] => [name, []]));
        const questions = names.flatMap((bucket) =>
            BUCKET_SETTINGS.map((setting) => ({ bucket, ...setting, path: `/${bucket}?${setting.query}=` })),
        );
        const answers = await this.ask(
            questions.map(({ path }) => path),
            // A bucket without a setting has no answer.
            () => true,
        );
        questions.forEach(({ bucket, query, shows }, index) => {
            const { status, body = "" } = answers[index] ?? {};
            if (status === 200 && (shows?.test(body) ?? true)) {
                found.get(bucket)?.push(query);
            }
        });
        return found;
    }

    /**
     * Reads objects. Their paths must not have queries.
     *
     * @throws {Error} if the store doesn't say whether an object can be read, and it has to.
     */
    async read(paths: readonly string[], mayBeUnreadable = false): Promise<Map<string, string>> {
        const lines = await this.untilServed(paths, (some) => this.requests.digests(some, SAMPLE_BYTES), statusOfRead);
        const unknown = paths.findIndex((_, index) => SAYS_NOTHING.includes(statusOfRead(lines[index] ?? "")));
        if (unknown >= 0 && !mayBeUnreadable) {
            const answer = (lines[unknown] ?? "").slice(0, 300);
            throw new Error(
                `${this.profile.name} doesn't say whether ${paths[unknown]} can be read. It answers: ${answer}`,
            );
        }
        return new Map(paths.map((path, index) => [path, describeRead(lines[index] ?? "")]));
    }

    private async listings(names: string[], query: string): Promise<Map<string, ListedObjects>> {
        const answers = await this.ask(names.map((name) => `/${name}?${query}`));
        return new Map(names.map((name, index) => [name, objectsIn(answers[index]?.body ?? "")]));
    }

    /** @param accepts Whether a status is no failure. Default: only 200. */
    private async ask(paths: string[], accepts = (status: number): boolean => status === 200): Promise<Answer[]> {
        const answers = await this.untilServed(
            paths,
            (some) => this.requests.get(some),
            ({ status }) => status,
        );
        const failed = answers.find(({ status }) => isFailure(status) || !accepts(status));
        if (failed !== undefined) {
            throw new Error(
                [`${this.profile.name} ${failedAnswer(failed)}`, failed.body.slice(0, 300)].filter(Boolean).join(": "),
            );
        }
        return answers;
    }

    /**
     * The answers to requests, in their order. Those that the store couldn't answer are sent again: once, and for a minute from the
     * first such answer to any question.
     */
    private async untilServed<Kind>(
        paths: readonly string[],
        send: (paths: readonly string[]) => Promise<Kind[]>,
        statusOf: (answer: Kind) => number,
    ): Promise<Kind[]> {
        const answers = await send(paths);
        for (let times = 0; ; times++) {
            const failed = answers.flatMap((answer, index) => (mayChange(statusOf(answer)) ? index : []));
            this.retryUntil ??= failed.length === 0 ? undefined : this.clock.now() + RETRY_SECONDS * 1000;
            if (failed.length === 0 || (times > 0 && this.clock.now() >= (this.retryUntil ?? 0))) {
                return answers;
            }
            await this.clock.sleep(RETRY_INTERVAL);
            const again = await send(failed.flatMap((index) => paths[index] ?? []));
            again.forEach((answer, index) => answers.splice(failed[index] ?? 0, 1, answer));
        }
    }
}

const NOTHING: ListedObjects = { entries: new Map(), upTo: undefined };

/** Objects, versions and delete markers in a listing with URL-encoded keys. */
export function objectsIn(listing: string): ListedObjects {
    const found = [...listing.matchAll(/<(Contents|Version|DeleteMarker)>(.*?)<\/\1>/gs)].map(([, kind, text = ""]) => {
        const [key = ""] = fieldsOf(text, "Key");
        const [etag = ""] = fieldsOf(text, "ETag");
        const [size = ""] = fieldsOf(text, "Size");
        const [version = ""] = fieldsOf(text, "VersionId");
        const [latest = ""] = fieldsOf(text, "IsLatest");
        const of = kind === "Contents" ? "" : ` version ${version}`;
        const value = kind === "DeleteMarker" ? "delete marker" : `${etag.replace(/"/g, "")} ${size} bytes`;
        return { key: decoded(key), name: decoded(key) + of, value: latest === "true" ? `${value}, latest` : value };
    });
    return {
        entries: new Map(found.map(({ name, value }) => [name, value])),
        upTo: /<IsTruncated>true</.test(listing) ? found.at(-1)?.key : undefined,
    };
}

/** Some objects of every bucket that aren't empty, evenly over each listing. */
export function samplesOf(buckets: ReadonlyMap<string, BucketContent>): string[] {
    const all = [...buckets].map(([bucket, { objects }]) => {
        const keys = [...objects.entries]
            .filter(([key, value]) => !value.includes(" 0 bytes") && !/(^|\/)\.\.?(\/|$)/.test(key))
            .map(([key]) => key);
        const count = Math.min(keys.length, SAMPLES_OF_BUCKET);
        return Array.from({ length: count }, (_, index) => {
            const key = keys[Math.round((index * (keys.length - 1)) / Math.max(1, count - 1))] ?? "";
            return `/${bucket}/${key.split("/").map(encoded).join("/")}`;
        });
    });
    // First one of each bucket, so that none is left out.
    const rounds = Array.from({ length: SAMPLES_OF_BUCKET }, (_, round) => all.flatMap((paths) => paths[round] ?? []));
    return rounds.flat().slice(0, SAMPLES);
}

/** A URL-encoded key. Some stores encode a space as a plus sign. */
function decoded(key: string): string {
    return decodeURIComponent(key.replaceAll("+", " "));
}

/** A part of a path, as a signature encodes it. */
function encoded(part: string): string {
    return encodeURIComponent(part).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
}

/** `206 "etag" length range … digest`, where a whole object may also have 200 and no range. */
function describeRead(line: string): string {
    const [status = "", etag = "", length = "", ...rest] = line.trim().split(/\s+/);
    if (status !== "200" && status !== "206") {
        return `status ${statusOfRead(line)}`;
    }
    const total = rest.slice(0, -1).join(" ").split("/")[1] ?? length;
    return `readable, ETag ${etag.replace(/"/g, "")}, ${total} bytes, sha256 ${rest.at(-1)?.slice(0, 16) ?? "none"}`;
}

/** The status in a line about an object. 0 where curl's complaint comes first: there was no answer, or not all of it. */
function statusOfRead(line: string): number {
    return Number(/^\d{3}(?=\s)/.exec(line)?.[0] ?? 0);
}

/** Whether the store couldn't answer, and may once it is asked again. */
function mayChange(status: number): boolean {
    return isFailure(status) && status !== NOT_IMPLEMENTED;
}
