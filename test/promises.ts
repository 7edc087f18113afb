import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** A test, or a group of tests: the file that Jest runs, and a part of the title. */
export interface Proof {
    file: string;
    name: string;
}

/** A promise of the documents, with the tests that fail if it isn't kept. */
export interface Promised {
    /** What it is about. */
    group: string;
    /** One sentence. */
    promise: string;
    tests: readonly Proof[];
}

type Groups = { [group: string]: { [promise: string]: { [file: string]: string }[] } };

/** What the documents promise, and which tests prove it, as in promises.yaml. */
export const PROMISES: readonly Promised[] = Object.entries(
    parse(readFileSync(join(__dirname, "promises.yaml"), "utf8")) as Groups,
).flatMap(([group, promises]) =>
    Object.entries(promises).map(([promise, tests]) => ({
        group,
        promise,
        tests: tests.flatMap((test) => Object.entries(test).map(([file, name]) => ({ file, name }))),
    })),
);
