import { setTimeout as sleep } from "node:timers/promises";
import type { Disturbance } from "./disturbance";
import { Load, type LoadTarget } from "./load";
import type { ObjectLedger } from "./objectLedger";
import { POPULATIONS, type Finding, type OperationKind, type OperationRecord, type Population } from "./operations";
import { verifyObjects } from "./verification";

const SECOND = 1000;

/** Seconds of load before the disturbance, and after everything is healthy again. */
export interface Quiet {
    before: number;
    after: number;
}

/** A deployment under load, and how its state is found. */
export interface CourseTarget extends LoadTarget {
    /** Waits until every container and every server is healthy. */
    untilWhole(seconds: number): Promise<void>;
    /** Lines of the proxies' logs since a time that explain a failed request or a server's state change. */
    troubledLines(since: number): Promise<string[]>;
}

const QUIET: Quiet = { before: 5, after: 8 };

/** Seconds for which requests have to succeed until the service counts as restored. */
const SERVED_FOR = 3 * SECOND;

/** Number of the slowest operations that a result names. */
const SLOWEST = 5;

/** A successful operation, and how long it took. */
export interface SlowOperation {
    seconds: number;
    population: Population;
    kind: OperationKind;
}

/** The effect of a disturbance on the clients. Times are in seconds. */
export interface ChaosResult {
    store: string;
    name: string;
    requests: { [Name in Population]: number };
    failed: { [Name in Population]: number };
    /** Number of failures, by population, operation and message. */
    failures: { [text: string]: number };
    /** Wrong content that was read, once for each object. */
    wrongBytes: string[];
    /** Wrong listings, compared with the acknowledged objects, once for each object. */
    wrongLists: string[];
    /** Wrong results that were still there at the end. */
    wrongAfterwards: Finding[];
    /** The slowest successful operations, the slowest first. */
    slowest: SlowOperation[];
    /** Longest time in which no S3 operation of any client succeeded. */
    longestGap: number;
    /** From the start of the disturbance to the end of the last failed operation; 0 without failures. */
    servedAfter: number;
    /** From the end of the cause to the end of the last failed operation; 0 if none failed after it. */
    servedAfterCause: number;
    /** From the end of the cause until all containers and servers were healthy; undefined if they never were. */
    wholeAfter?: number;
    /** Errors of the disturbance itself, or of the recovery. */
    trouble?: string;
    /** Lines of the proxy's log about failed requests and about servers that went down or up. */
    proxyLines: string[];
}

/**
 * Runs a load, disturbs the deployment, waits until everything is healthy again, and reads back all acknowledged
 * objects.
 */
export async function runCourse<Target extends CourseTarget>(
    target: Target,
    ledger: ObjectLedger,
    disturbance: Disturbance<Target>,
    quiet = QUIET,
): Promise<ChaosResult> {
    await target.untilWhole(120);
    const prefix = disturbance.name.replaceAll(/[^a-z0-9]+/gi, "-");
    const load = Load.start(target, ledger, prefix);
    await sleep(quiet.before * SECOND);
    const begin = Date.now();
    let wholeAfter: number | undefined;
    let causeEnd = Infinity;
    const trouble = await disturbance
        .run(target)
        .then(async () => {
            causeEnd = Date.now();
            await target.untilWhole(disturbance.wholeWithin ?? 90);
            wholeAfter = (Date.now() - causeEnd) / SECOND;
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
        ...measure(records, begin, causeEnd),
        wrongBytes: textsOf(findings, "read"),
        wrongLists: textsOf(findings, "list"),
        wrongAfterwards: lasting,
        wholeAfter,
        trouble,
        proxyLines: await target.troubledLines(begin),
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

function measure(records: OperationRecord[], begin: number, causeEnd: number): Measures {
    const failed = records.filter(({ failure }) => failure !== undefined);
    const succeeded = records.filter(({ failure }) => failure === undefined);
    const bySlowness = [...succeeded].sort((one, other) => durationOf(other) - durationOf(one));
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
        slowest: bySlowness.slice(0, SLOWEST).map((operation) => ({
            seconds: durationOf(operation) / SECOND,
            population: operation.population,
            kind: operation.kind,
        })),
        longestGap: Math.max(0, ...ends.slice(1).map((end, index) => end - (ends[index] ?? end))) / SECOND,
        servedAfter: Math.max(0, ...failed.map(({ end }) => end - begin)) / SECOND,
        servedAfterCause: Math.max(0, ...failed.map(({ end }) => end - causeEnd)) / SECOND,
    };
}

function durationOf({ start, end }: OperationRecord): number {
    return end - start;
}

function countByPopulation(records: OperationRecord[]): { [Name in Population]: number } {
    const counts = POPULATIONS.map((name) => [name, records.filter(({ population }) => population === name).length]);
    return Object.fromEntries(counts) as { [Name in Population]: number };
}
