import { createInterface } from "node:readline/promises";
import { StepError } from "./step";

/** How the user is asked. */
export interface Terminal {
    /** Whether a user can answer. */
    interactive: boolean;
    /** Asks, and returns the typed line; undefined at the end of the input. */
    ask: (question: string) => Promise<string | undefined>;
}

/** The terminal of this process. */
export const terminal: Terminal = {
    interactive: process.stdin.isTTY && process.stdout.isTTY,
    ask: async (question) => {
        const lines = createInterface({ input: process.stdin, output: process.stdout });
        try {
            const ended = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
            return await Promise.race([lines.question(question), ended]);
        } finally {
            lines.close();
        }
    },
};

/**
 * Refuses an action early that needs a confirmation, if no user can confirm it.
 *
 * @throws {StepError} without a terminal and without `--yes`.
 */
export function refuseUnasked(what: string, { interactive }: Terminal, yes: boolean): void {
    if (!yes && !interactive) {
        throw new StepError(
            `${what} has to be confirmed, and there is no terminal to ask at: add --yes. Nothing was changed.`,
        );
    }
}

/**
 * Asks the user to type a stack's name.
 *
 * @throws {StepError} if something else is typed.
 */
export async function confirmByName(stack: string, { ask }: Terminal, yes: boolean): Promise<void> {
    if (yes) {
        return;
    }
    const typed = (await ask(`\nType the stack's name, ${stack}, to go on: `))?.trim();
    if (typed !== stack) {
        throw new StepError(`"${typed ?? ""}" is not the stack's name, ${stack}: nothing was changed`);
    }
}
