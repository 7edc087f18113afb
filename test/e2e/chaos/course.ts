import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosTarget } from "./chaosTarget";
import type { Disturbance } from "./disturbance";
import { Load } from "./load";
import type { ObjectLedger } from "./objectLedger";
import { POPULATIONS, type Finding, type OperationRecord, type Population } from "./operations";
import { troubledLines } from "./proxyLog";
import { verifyObjects } from "./verification";

const SECOND = 1000;

/** How long the load runs before the disturbance, and after everything is whole again, in seconds. */
export interface Quiet {
    before: number;
    after: number;
}

const QUIET: Quiet = { before: 5, after: 8 };

/** How long requests have to succeed until it counts as served again. */
const SERVED_FOR = 3 * SECOND;

/** What a disturbance did to the clients. Times in seconds. */
export interface ChaosResult {
    store: string;
    name: string;
    requests: { [Name in Population]: number };
    failed: { [Name in Population]: number };
    /** How often each failure came, by its population, operation and text. */
    failures: { [text: string]: number };
    /** What was read, and must not have been, once for each object. */
    wrongBytes: string[];
    /** What was listed, or not, against what was acknowledged, once for each object. */
    wrongLists: string[];
    /** What of these was wrong still when all was over. */
    wrongAfterwards: Finding[];
    /** The longest that one operation took which succeeded. */
    longestStall: number;
    /** What that one was. */
    longestOperation: string;
    /** The longest that no operation on the S3 API ended with success, of any client. */
    longestGap: number;
    /** From the disturbance's beginning to the end of the last operation that failed; 0 where none did. */
    servedAfter: number;
    /** From the end of the cause until containers and servers were whole; nothing where they never were. */
    wholeAfter?: number;
    /** What went wrong with the disturbance itself, or with getting whole. */
    trouble?: string;
    /** What the proxy's log says of requests that failed, and of servers that came and went. */
    proxyLines: string[];
}

/** Runs a load, disturbs it, waits until everything is whole again, and reads back all that was acknowledged. */
export async function runCourse(
    target: ChaosTarget,
    ledger: ObjectLedger,
    disturbance: Disturbance,
    quiet = QUIET,
): Promise<ChaosResult> {
    await target.untilWhole(120);
    const prefix = disturbance.name.replaceAll(/[^a-z0-9]+/gi, "-");
    const load = Load.start(target, ledger, prefix);
    await sleep(quiet.before * SECOND);
    const begin = Date.now();
    let wholeAfter: number | undefined;
    const trouble = await disturbance
        .run(target)
        .then(async () => {
            const end = Date.now();
            await target.untilWhole(disturbance.wholeWithin ?? 90);
            wholeAfter = (Date.now() - end) / SECOND;
            await untilServed(load);
            await sleep(quiet.after * SECOND);
        })
        .then(
            () => undefined,
            (error: unknown) => String(error),
        );
    const records = await load.stop();
    const lasting = await verifyObjects(target, ledger, `${prefix}/`);
    const findings = [...records.flatMap(({ wrong = [] }) => wrong), ...lasting];
    return {
        store: target.store.name,
        name: disturbance.name,
        ...measure(records, begin),
        wrongBytes: textsOf(findings, "read"),
        wrongLists: textsOf(findings, "list"),
        wrongAfterwards: lasting,
        wholeAfter,
        trouble,
        proxyLines: await troubledLines(target, begin),
    };
}

function textsOf(findings: Finding[], by: Finding["by"]): string[] {
    return [...new Map(findings.filter((one) => one.by === by).map(({ key, text }) => [key, text])).values()];
}

async function untilServed(load: Load): Promise<void> {
    const end = Date.now() + 60 * SECOND;
    while (!load.isServed(SERVED_FOR)) {
        if (Date.now() > end) {
            throw new Error("everything is whole, yet requests fail a minute later");
        }
        await sleep(SECOND / 4);
    }
}

type Measures = Omit<ChaosResult, "store" | "name" | "wrongBytes" | "wrongLists" | "wrongAfterwards" | "proxyLines">;

function measure(records: OperationRecord[], begin: number): Measures {
    const failed = records.filter(({ failure }) => failure !== undefined);
    const succeeded = records.filter(({ failure }) => failure === undefined);
    const [longest] = [...succeeded].sort((one, other) => durationOf(other) - durationOf(one));
    const ends = succeeded
        .filter(({ kind }) => kind !== "console")
        .map(({ end }) => end)
        .sort((one, other) => one - other);
    const failures: { [text: string]: number } = {};
    for (const { population, kind, failure } of failed) {
        const text = `${population} ${kind}: ${failure}`;
        failures[text] = (failures[text] ?? 0) + 1;
    }
    return {
        requests: countByPopulation(records),
        failed: countByPopulation(failed),
        failures,
        longestStall: longest === undefined ? 0 : durationOf(longest) / SECOND,
        longestOperation: longest === undefined ? "none" : `${longest.population} ${longest.kind}`,
        longestGap: Math.max(0, ...ends.slice(1).map((end, place) => end - (ends[place] ?? end))) / SECOND,
        servedAfter: Math.max(0, ...failed.map(({ end }) => end - begin)) / SECOND,
    };
}

function durationOf({ start, end }: OperationRecord): number {
    return end - start;
}

function countByPopulation(records: OperationRecord[]): { [Name in Population]: number } {
    const counts = POPULATIONS.map((name) => [name, records.filter(({ population }) => population === name).length]);
    return Object.fromEntries(counts) as { [Name in Population]: number };
}
