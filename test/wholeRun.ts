/** One part of `npm test`: a command, which fails or doesn't. */
export interface Part {
    name: string;
    /** Program and arguments. */
    command: string[];
    /** Name of a part that has to have passed; else `otherwise` is run, or nothing. */
    needs?: string;
    /** Program and arguments that take the place of `command`, where what it needs has failed. */
    otherwise?: string[];
}

/** What a run of Jest says of itself; closingLineReporter.js writes it. */
export interface JestRecord {
    passed: number;
    failed: number;
    files: FileRecord[];
}

/** One test file: what it cost, and what failed in it. */
export interface FileRecord {
    /** From the project's own folder. */
    file: string;
    seconds: number;
    /** Full names of the tests that failed. */
    failures: string[];
}

/** How one command ended. */
export interface Ending {
    /** Its exit code. */
    code: number;
    seconds: number;
    /** Of a run of Jest that came to its end. */
    record?: JestRecord;
}

/** What became of a part. */
export interface Outcome {
    part: string;
    /** `partly` is what ran in its place, since what it needs had failed, and passed. */
    state: "passed" | "partly" | "failed" | "not run";
    seconds: number;
    record?: JestRecord;
}

/**
 * Runs one part after the other. One that fails doesn't keep the next ones from running, but for those that need it.
 *
 * @param run Runs a command to its end.
 * @param isInterrupted Whether no other part is to be begun.
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

/** Whether all of it was run, and passed. */
export function allPassed(outcomes: Outcome[]): boolean {
    return outcomes.every(({ state }) => state === "passed");
}

/**
 * What is printed at the end: what each part and each test file cost, what failed, and last the plain line that says how many
 * tests passed and failed. A part that failed without a failed test, or wasn't run, counts as one that failed.
 */
export function reportOf(outcomes: Outcome[]): string {
    const files = outcomes
        .flatMap(({ record }) => record?.files ?? [])
        .sort((one, other) => other.seconds - one.seconds || one.file.localeCompare(other.file));
    const failed = [
        ...outcomes.filter(({ state }) => state !== "passed").map(({ part, state }) => `${part}: ${state}`),
        ...files.flatMap(({ file, failures }) => failures.map((failure) => `${file}: ${failure}`)),
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
