import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { composeContainers } from "./composeFile";
import type { ContainerShape, Place } from "./containerShape";
import type { ImageFacts, Recorded } from "../../fakes/recordedFacts";
import { runContainer } from "./runLine";

/** A compose file or a command line as people publish it, and what `npm run adopt` makes of it. */
export interface PublishedCase extends Partial<Omit<Recorded, "formats" | "images">> {
    title: string;
    compose?: string;
    run?: string;
    /** Names of containers that are given by --container. Default: all of the compose project, or the one of the line. */
    containers?: string[];
    /** Drives that are named in place of containers. */
    named?: { store: string; volumes?: string[]; paths?: string[]; keys?: string };
    /** Names of drives of each pool, in the order of the layout. */
    layout?: string[][];
    /** Texts of format files that differ from those of the layout. */
    formats?: { [drive: string]: string };
    given?: { image?: string; s3Host?: string; consoleHost?: string };
    /** Names of images in images.yaml whose facts count for what the text names. */
    images?: { [reference: string]: string };
    /** Whether the image makes a volume without a name for /data. */
    anonymous?: boolean;
    /** Whether all folders are on one device. Default: each is on its own. */
    oneDevice?: boolean;
    /** What comes out: the stack's config, whole. */
    stack?: { [key: string]: unknown };
    secretEnvironment?: { [name: string]: string };
    /** Parts of what is said. */
    notes?: string[];
    /** Or parts of the reasons for a refusal, all of them. */
    refused?: string[];
}

const FOLDER = join(__dirname, "published");

/** All cases, by the name of their file. */
export function publishedCases(file: string): PublishedCase[] {
    return parse(readFileSync(join(FOLDER, file), "utf8")) as PublishedCase[];
}

/** The containers of a case. */
export function shapesOf({ compose, run }: PublishedCase, place: Place): ContainerShape[] {
    return [
        ...(compose === undefined ? [] : composeContainers(compose, place)),
        ...(run === undefined ? [] : [runContainer(run, place)]),
    ];
}

/** What an engine knows while the store of a case runs. */
export function recordedOf(one: PublishedCase, shapes: readonly ContainerShape[]): Recorded {
    const facts = parse(readFileSync(join(FOLDER, "images.yaml"), "utf8"), { merge: true }) as {
        [name: string]: Partial<ImageFacts>;
    };
    const images = shapes.map(({ image }): [string, ImageFacts] => {
        const known = facts[one.images?.[image] ?? image] ?? {};
        const empty = { environment: {}, tags: [image], digests: [], version: "", help: "", missing: [], program: "" };
        return [image, { ...empty, ...known }];
    });
    return {
        images: Object.fromEntries(images),
        processes: one.processes ?? {},
        stopped: one.stopped ?? [],
        formats: { ...layoutFiles(one.layout ?? []), ...one.formats },
        volumes: one.volumes ?? [],
        keys: one.keys ?? ["minioadmin", "minioadmin"],
        region: one.region ?? "us-east-1",
        health: one.health ?? {},
        files: one.files ?? {},
        origin: one.origin ?? "http://127.0.0.1:9000",
    };
}

/** Format files of pools with these drives, as both stores write them. */
export function layoutFiles(pools: readonly string[][]): { [drive: string]: string } {
    const files = pools.map((drives, pool) => {
        const ids = drives.map(
            (_, index) => `00000000-0000-4000-8000-0000000${pool}00${String(index).padStart(2, "0")}`,
        );
        const entries = drives.map((drive, index) => {
            const xl = { version: "3", this: ids[index], sets: [ids], distributionAlgo: "SIPMOD+PARITY" };
            const format = { version: "1", format: drives.length === 1 ? "xl-single" : "xl", id: "the-deployment", xl };
            return [drive, JSON.stringify(format)];
        });
        return Object.fromEntries(entries) as { [drive: string]: string };
    });
    return Object.assign({}, ...files) as { [drive: string]: string };
}
