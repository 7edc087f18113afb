/** One part of `npm test`: a command, which fails or doesn't. */
export interface Part {
    name: string;
    /** Program and arguments. */
    command: string[];
    /** Name of a part that has to pass first. If it fails, `otherwise` runs instead, or nothing. */
    needs?: string;
    /** Program and arguments that replace `command` if the required part has failed. */
    otherwise?: string[];
}

/** The result of one Jest run; closingLineReporter.js writes it. */
export interface JestRecord {
    passed: number;
    failed: number;
    files: FileRecord[];
}

/** One test file: its duration and its failures. */
export interface FileRecord {
    /** Path from the project's folder. */
    file: string;
    seconds: number;
    failures: FailureRecord[];
}

/** A test that failed. */
export interface FailureRecord {
    /** Its full name. */
    test: string;
    /** First lines of the reason. */
    reason: string[];
}

/** Result of one command. */
export interface Ending {
    /** Its exit code. */
    code: number;
    seconds: number;
    /** Set if a Jest run came to its end. */
    record?: JestRecord;
}

/** Result of a part. */
export interface Outcome {
    part: string;
    /** `partly` means that `otherwise` ran and passed, because the required part had failed. */
    state: "passed" | "partly" | "failed" | "not run";
    seconds: number;
    record?: JestRecord;
}

/**
 * Runs one part after the other. A failed part doesn't prevent the next ones, except those that require it.
 *
 * @param run Runs a command until it ends.
 * @param isInterrupted Whether no other part may start.
 */
export async function runParts(
    parts: Part[],
    run: (name: string, command: string[]) => Promise<Ending>,
    isInterrupted: () => boolean,
): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const { name, command, needs, otherwise } of parts) {
        const isReady = outcomes.every(({ part, state }) => part !== needs || state === "passed");
        const chosen = isReady ? command : otherwise;
        if (chosen === undefined || isInterrupted()) {
            outcomes.push({ part: name, state: "not run", seconds: 0 });
            continue;
        }
        const { code, seconds, record } = await run(name, chosen);
        const state = code !== 0 ? "failed" : isReady ? "passed" : "partly";
        outcomes.push({ part: name, state, seconds, record });
    }
    return outcomes;
}

/** Whether every part ran and passed. */
export function allPassed(outcomes: Outcome[]): boolean {
    return outcomes.every(({ state }) => state === "passed");
}

/**
 * The text at the end: duration of each part and each test file, failures with their first lines, since the middle of a long
 * log may be cut out, and last the plain line with the numbers of passed and failed tests. A part that failed without a
 * failed test, or didn't run, counts as one failed test.
 */
export function reportOf(outcomes: Outcome[]): string {
    const files = outcomes
        .flatMap(({ record }) => record?.files ?? [])
        .sort((one, other) => other.seconds - one.seconds || one.file.localeCompare(other.file));
    const failed = [
        ...outcomes.filter(({ state }) => state !== "passed").map(({ part, state }) => `${part}: ${state}`),
        ...files.flatMap(({ file, failures }) =>
            failures.flatMap(({ test, reason }) => [`${file}: ${test}`, ...reason.map((text) => `    ${text}`)]),
        ),
    ];
    const sum = (count: (outcome: Outcome) => number) => outcomes.reduce((total, each) => total + count(each), 0);
    const failures = (outcome: Outcome) => Math.max(outcome.record?.failed ?? 0, outcome.state === "passed" ? 0 : 1);
    return [
        "",
        "==> Test files, the longest first",
        ...files.map(({ file, seconds }) => line(seconds, file)),
        "",
        "==> Parts",
        ...outcomes.map(({ part, state, seconds }) => line(seconds, `${part}: ${state}`)),
        "",
        ...(failed.length === 0 ? [] : ["==> Failed", ...failed.map((text) => `    ${text}`), ""]),
        `${sum(({ record }) => record?.passed ?? 0)} passed, ${sum(failures)} failed`,
    ].join("\n");
}

function line(seconds: number, text: string): string {
    return `${seconds.toFixed(1).padStart(10)} s  ${text}`;
}
