import { stripVTControlCharacters } from "node:util";
import { reasonIn } from "./failureReason";

/** One part of `npm test`: a command, which fails or doesn't. */
export interface Part {
    name: string;
    /** Whether it may run beside the other checks: it needs a processor, and prints little. Default: false. */
    isCheck?: boolean;
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
    /** Its project of Jest. */
    project?: string;
    passed: number;
    failed: number;
    seconds: number;
    failures: FailureRecord[];
}

/** A test that failed. */
export interface FailureRecord {
    /** Its full name. */
    test: string;
    /** The whole message, without colours. */
    message: string;
}

/** Result of one command. */
export interface Ending {
    /** Its exit code. */
    code: number;
    seconds: number;
    /** Set if a Jest run came to its end. */
    record?: JestRecord;
    /** What it printed, unless that went to the terminal. */
    output?: string;
}

/** Result of a part. */
export interface Outcome {
    part: string;
    /** Program and arguments. */
    command: string[];
    /** `partly` means that `otherwise` ran and passed, because the required part had failed. */
    state: "passed" | "partly" | "failed" | "not run";
    seconds: number;
    record?: JestRecord;
    output?: string;
}

/** Length of an output's end in which the reason of a failure is looked for. */
const TAIL_LENGTH = 6000;

/** How many checks run at the same time: each keeps one processor busy. */
const CHECKS_AT_ONCE = 2;

/**
 * Runs the checks, two at a time, and then one part after the other. A failed part doesn't prevent the next ones, except those that require it.
 *
 * @param run Runs a command until it ends.
 * @param isInterrupted Whether no other part may start.
 */
export async function runParts(
    parts: Part[],
    run: (name: string, command: string[], isCheck: boolean) => Promise<Ending>,
    isInterrupted: () => boolean,
): Promise<Outcome[]> {
    const runOne = async (part: Part, former: Outcome[]): Promise<Outcome> => {
        const { name, command, needs, otherwise } = part;
        const isReady = former.every((one) => one.part !== needs || one.state === "passed");
        const chosen = isReady ? command : otherwise;
        if (chosen === undefined || isInterrupted()) {
            return { part: name, command, state: "not run", seconds: 0 };
        }
        const { code, ...ending } = await run(name, chosen, part.isCheck === true);
        return { part: name, command, state: code !== 0 ? "failed" : isReady ? "passed" : "partly", ...ending };
    };
    const outcomes = await eachOf(
        parts.filter(({ isCheck }) => isCheck === true),
        CHECKS_AT_ONCE,
        (check) => runOne(check, []),
    );
    for (const part of parts.filter(({ isCheck }) => isCheck !== true)) {
        outcomes.push(await runOne(part, outcomes));
    }
    return outcomes;
}

/** Does something for each item, for some of them at the same time. Returns the results in the items' order. */
export async function eachOf<Item, Result>(
    items: readonly Item[],
    atOnce: number,
    work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
    const results = new Map<number, Result>();
    let next = 0;
    const worker = async () => {
        for (let index = next++; index < items.length; index = next++) {
            results.set(index, await work(items[index] as Item));
        }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return items.map((_, index) => results.get(index) as Result);
}

/** Whether every part ran and passed. */
export function allPassed(outcomes: Outcome[]): boolean {
    return outcomes.every(({ state }) => state === "passed");
}

/**
 * The text at the end: duration of each test file and each part, failures with what says why and the command that runs each
 * of them alone, since the middle of a long log may be cut out, and last the plain line with the numbers of passed and failed
 * tests. A part that failed without a failed test, or didn't run, counts as one failed test.
 */
export function reportOf(outcomes: Outcome[]): string {
    const files = outcomes
        .flatMap(({ record }) => record?.files ?? [])
        .sort((one, other) => other.seconds - one.seconds || one.file.localeCompare(other.file));
    const failed = [...outcomes.flatMap(failedPart), ...files.flatMap(failedTests)];
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

/** Lines about a part that hasn't passed. */
function failedPart({ part, state, command, record, output = "" }: Outcome): string[] {
    if (state === "passed") {
        return [];
    }
    const lines = [`${part}: ${state}`];
    if (state === "failed" && record === undefined) {
        const reason = reasonIn(stripVTControlCharacters(output.slice(-TAIL_LENGTH)));
        const alone = [...(command[0] === "npm" ? [] : ["npx"]), ...command].join(" ");
        lines.push(...indented(reason), `  alone: ${alone}`);
    }
    return lines;
}

/** Lines about the failed tests of a file. */
function failedTests({ file, project, failures }: FileRecord): string[] {
    const alone = `npx jest ${file}${project === undefined ? "" : ` --selectProjects ${project}`}`;
    const tests = failures.flatMap(({ test, message }) => [`${file}: ${test}`, ...indented(reasonIn(message))]);
    return failures.length === 0 ? [] : [...tests, `  alone: ${alone}`];
}

function indented(lines: string[]): string[] {
    return lines.map((text) => `    ${text}`);
}

function line(seconds: number, text: string): string {
    return `${seconds.toFixed(1).padStart(10)} s  ${text}`;
}
