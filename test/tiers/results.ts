import type { Suite } from "./tiers";

/** Where a suite ran. */
export interface Machine {
    cores: number;
    memoryGib: number;
    /** Version of Docker. */
    engine: string;
}

/** Outcome of one suite: one line of a results file. */
export interface SuiteResult {
    suite: string;
    tier: string;
    /** The commit that it ran on, with nothing changed. */
    commit: string;
    /** Day and time of its end, ISO 8601. */
    date: string;
    passed: number;
    failed: number;
    seconds: number;
    machine: Machine;
}

/** Reads a results file. A last line that an interruption has cut off doesn't count. */
export function resultsIn(text: string): SuiteResult[] {
    return text.split("\n").flatMap((line) => {
        try {
            return [JSON.parse(line) as SuiteResult];
        } catch {
            return [];
        }
    });
}

/** The suites that have not passed yet, by the results of one commit. What fails later counts as failed. */
export function notPassed(suites: readonly Suite[], results: readonly SuiteResult[]): Suite[] {
    const last = new Map(results.map((result) => [result.suite, result]));
    return suites.filter(({ name }) => last.get(name)?.failed !== 0);
}

/** The newest result of each suite that there still is, in the order of the suites. */
export function newestOf(suites: readonly Suite[], results: readonly SuiteResult[]): SuiteResult[] {
    const ordered = [...results].sort((one, other) => one.date.localeCompare(other.date));
    const newest = new Map(ordered.map((result) => [result.suite, result]));
    return suites.flatMap(({ name, tier }) => {
        const result = newest.get(name);
        return result === undefined ? [] : [{ ...result, tier }];
    });
}

/** A Markdown table of results, and the names of the suites without one. */
export function tableOf(suites: readonly Suite[], results: readonly SuiteResult[]): string {
    const newest = newestOf(suites, results);
    const names = newest.map(({ suite }) => suite);
    const others = suites.map(({ name }) => name).filter((name) => !names.includes(name));
    const head = ["tier", "suite", "commit", "date", "passed", "failed", "seconds", "machine"];
    const table = [head, head.map(() => "---"), ...newest.map(cellsOf)].map((cells) => `| ${cells.join(" | ")} |`);
    return [
        ...(newest.length === 0 ? [] : [...table, ""]),
        ...(others.length === 0 ? [] : [`Not recorded: ${others.length} of ${suites.length} suites.`]),
    ].join("\n");
}

function cellsOf({ suite, tier, commit, date, passed, failed, seconds, machine }: SuiteResult): string[] {
    const { cores, memoryGib, engine } = machine;
    const where = `${cores} cores, ${memoryGib} GiB, Docker ${engine}`;
    const counts = [passed, failed, Math.round(seconds)].map(String);
    return [tier, suite, commit.slice(0, 7), date.slice(0, 10), ...counts, where];
}
