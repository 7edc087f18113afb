import { createInterface } from "node:readline/promises";
import { StepError } from "../machine/step";

/** Where the user is asked. */
export interface Terminal {
    /** Whether somebody can answer there. */
    interactive: boolean;
    /** Asks, and gives the line that was typed; nothing where the input ended. */
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
 * Refuses at once what would have to be confirmed where nobody can.
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
 * Has the user type a stack's name.
 *
 * @throws {StepError} where anything else is typed.
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
