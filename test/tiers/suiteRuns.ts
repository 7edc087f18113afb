import { eachOf, type Ending, type Outcome } from "../wholeRun";
import type { Suite } from "./tiers";

/** How the suites are run; tests pass something else. */
export interface Runner {
    /** Runs `npm run prepare-tests` with these options. Returns its exit code. */
    prepare(options: string[]): Promise<number>;
    /** Runs a suite until it ends. */
    run(suite: Suite): Promise<Ending>;
    /** Keeps what has ended. */
    record(suite: Suite, outcome: Outcome): void;
    /** Whether no other suite may start. */
    isInterrupted(): boolean;
}

/**
 * Runs suites: those that need less first. Those that have to be alone run one after the other, behind those that needn't.
 * Whatever fails, the others run, except those whose needs can't be prepared.
 */
export async function runSuites(suites: readonly Suite[], atOnce: number, runner: Runner): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const group of groupsOf(suites)) {
        const isReady = !runner.isInterrupted() && (await runner.prepare(group[0]?.prepare ?? [])) === 0;
        const runOne = async (suite: Suite) => {
            if (!isReady || runner.isInterrupted()) {
                outcomes.push({ part: suite.name, command: suite.command, state: "not run", seconds: 0 });
                return;
            }
            const { code, ...ending } = await runner.run(suite);
            const state = code === 0 ? "passed" : "failed";
            const outcome: Outcome = { part: suite.name, command: suite.command, state, ...ending };
            outcomes.push(outcome);
            // An interrupted suite has failed for no reason of its own.
            if (code === 0 || !runner.isInterrupted()) {
                runner.record(suite, outcome);
            }
        };
        await eachOf(
            group.filter(({ alone }) => !alone),
            atOnce,
            runOne,
        );
        await eachOf(
            group.filter(({ alone }) => alone),
            1,
            runOne,
        );
    }
    return outcomes;
}

/** Numbers of passed and failed tests. A suite without a record of its tests counts as one. */
export function countsOf({ state, record }: Outcome): { passed: number; failed: number } {
    const hasPassed = state === "passed";
    return record === undefined
        ? { passed: hasPassed ? 1 : 0, failed: hasPassed ? 0 : 1 }
        : { passed: record.passed, failed: Math.max(record.failed, hasPassed ? 0 : 1) };
}

/** Suites by what they need, those that need less first. */
function groupsOf(suites: readonly Suite[]): Suite[][] {
    const groups = new Map<string, Suite[]>();
    for (const suite of suites) {
        const key = suite.prepare.join(" ");
        groups.set(key, [...(groups.get(key) ?? []), suite]);
    }
    return [...groups.entries()].sort(([one], [other]) => one.length - other.length).map(([, group]) => group);
}
