/** A step can't be done, for a reason that the user can correct. */
export class StepError extends Error {}

/** A command was typed in a way that it doesn't take. Nothing was done. */
export class UsageError extends StepError {}

/** Exit code after a {@link UsageError}. */
const USAGE_CODE = 2;

const HEARTBEAT_SECONDS = 10;

let lastProgress = "";

/** Records the progress of the current step; printed at intervals while it runs. */
export function progress(text: string): void {
    lastProgress = text.trim();
}

let print = (text: string) => console.log(text);

/** Prints steps on standard error from now on, for a command whose standard output is somebody else's. */
export function sayOnStandardError(): void {
    print = (text) => console.error(text);
}

/** Prints a line below the current step. */
export function say(text: string): void {
    print(text.replace(/^/gm, "    "));
}

/** Runs one visible step. Prints its name, its progress, its result, and its duration. */
export async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    print(`\n==> ${name}`);
    const start = Date.now();
    const seconds = () => Math.round((Date.now() - start) / 100) / 10;
    progress("");
    const heartbeat = setInterval(() => {
        if (lastProgress === "") {
            return;
        }
        const columns = Math.max(40, (process.stdout.isTTY ? process.stdout.columns : 120) - 20);
        say(`… ${Math.round(seconds())} s ${lastProgress.slice(0, columns)}`.trimEnd());
    }, HEARTBEAT_SECONDS * 1000);
    try {
        const result = await work();
        say(`(${seconds()} s)`);
        return result;
    } finally {
        clearInterval(heartbeat);
    }
}

/**
 * Runs a command's main function. A reason that the user can correct is printed without a stack trace.
 *
 * @param failureCode Exit code if it fails. Default: 1.
 */
export async function main(work: () => Promise<number>, failureCode = 1): Promise<void> {
    // Stays if the program ends while it waits for something that never comes.
    process.exitCode = failureCode;
    try {
        process.exitCode = await work();
    } catch (error) {
        process.exitCode = error instanceof UsageError ? USAGE_CODE : failureCode;
        console.error(
            `\n${error instanceof Error && error.name === "Error" ? `error: ${error.message}` : String(error)}`,
        );
        if (process.env["DEBUG"] !== undefined) {
            console.error(error);
        }
    }
}
