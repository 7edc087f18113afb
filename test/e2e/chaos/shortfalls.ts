import type { ChaosResult, SlowOperation } from "./course";
import { LOCK_EXPIRY, type Expectations } from "./disturbance";
import type { ObjectLedger } from "./objectLedger";

/** Expectations of a disturbance that a result doesn't meet; empty if it passes. */
export function shortfallsOf(expected: Expectations, result: ChaosResult, ledger: ObjectLedger): string[] {
    return [...wrongContent(expected, result, ledger), ...troubles(result), ...limitsExceeded(expected, result)];
}

function wrongContent(
    { staleMeanwhile = [], deletesUndone = [] }: Expectations,
    result: ChaosResult,
    ledger: ObjectLedger,
): string[] {
    const afterwards = result.wrongAfterwards.filter(
        ({ key }) => !(deletesUndone.includes(result.store) && ledger.acceptUndoneDelete(key)),
    );
    const meanwhile = staleMeanwhile.includes(result.store) ? [] : [...result.wrongBytes, ...result.wrongLists];
    return [
        ...afterwards.map(({ text }) => `wrong afterwards: ${text}`),
        ...meanwhile.map((text) => `wrong meanwhile: ${text}`),
    ];
}

function troubles({ trouble }: ChaosResult): string[] {
    return trouble === undefined ? [] : [trouble];
}

function limitsExceeded(expected: Expectations, result: ChaosResult): string[] {
    const stall = slowestWithoutLocks(expected, result);
    const stalled = stall === undefined ? "" : ` (${stall.population} ${stall.kind})`;
    const limits: [string, number, number | undefined][] = [
        ["failed with retries", result.failed.retrying, expected.failedWithRetries],
        ["failed without retries", result.failed.single, expected.failedWithoutRetries],
        ["seconds until none failed", result.servedAfter, expected.servedWithin],
        ["seconds from the end of the cause until none failed", result.servedAfterCause, expected.servedWithinOfCause],
        ["seconds without any success", result.longestGap, expected.longestGap],
        [`seconds for one operation${stalled}`, stall?.seconds ?? 0, expected.longestStall],
    ];
    return limits.flatMap(([what, value, limit]) =>
        limit === undefined || value <= limit ? [] : [`${value} ${what}, at most ${limit} allowed`],
    );
}

/** The slowest operation that no lock of a process that is gone can explain. */
function slowestWithoutLocks(
    { longestStall = 0, waitForLocks = 0 }: Expectations,
    { store, slowest }: ChaosResult,
): SlowOperation | undefined {
    const unlockedBy = longestStall + (LOCK_EXPIRY[store] ?? 0);
    return slowest.find(
        ({ seconds, kind }, index) =>
            index >= waitForLocks || seconds > unlockedBy || kind === "console" || kind === "list",
    );
}
