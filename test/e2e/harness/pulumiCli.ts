import { spawn } from "node:child_process";
import { failedCommand } from "./failedCommand";
import type { CommandOutput } from "./finishedCommand";

/** The changes of an update: the number of resources, by operation. */
export interface Changes {
    [operation: string]: number;
}

/** Operations, by their words in the CLI's summary. */
const OPERATIONS: { [summary: string]: string } = {
    created: "create",
    updated: "update",
    replaced: "replace",
    deleted: "delete",
    unchanged: "same",
};

/**
 * Runs the Pulumi CLI on one stack. The Automation API isn't used for this: after each update it also runs the CLI for
 * outputs and history. These are three more processes, and each derives the stack's key.
 */
export class PulumiCli {
    constructor(
        private readonly folder: string,
        public stackName: string,
        private readonly environment: { [name: string]: string },
    ) {}

    /**
     * Runs a command of the CLI until it ends.
     *
     * @throws {Error} with its whole output, if it fails.
     */
    run(...args: string[]): Promise<CommandOutput> {
        const all = [...args, "--stack", this.stackName, "--non-interactive", "--color", "never"];
        return new Promise((resolve, reject) => {
            const child = spawn("pulumi", all, {
                cwd: this.folder,
                env: { ...process.env, ...this.environment },
                stdio: ["ignore", "pipe", "pipe"],
            });
            const output = { stdout: "", stderr: "" };
            child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
            child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
            child.on("error", reject);
            child.on("close", (code) => {
                if (code === 0) {
                    resolve(output);
                } else {
                    reject(failedCommand(`pulumi ${args.join(" ")}`, code, output.stdout + output.stderr));
                }
            });
        });
    }

    /** Outputs of the program, including secret ones. */
    async outputs(): Promise<{ [name: string]: unknown }> {
        const { stdout } = await this.run("stack", "output", "--json", "--show-secrets");
        return JSON.parse(stdout) as { [name: string]: unknown };
    }
}

/**
 * The changes of an update, read from the summary at the end of its output.
 *
 * @throws {Error} if the summary is missing or has an unknown operation.
 */
export function changesIn(output: string): Changes {
    const summary = /^Resources:\n((?: {4}.*\n)+)/m.exec(output)?.[1];
    if (summary === undefined) {
        throw new Error(`there is no summary of resources:\n${output}`);
    }
    const counts = [...summary.matchAll(/([0-9]+) ([a-z]+)/g)].filter(([, , word]) => !/^changes?$/.test(word ?? ""));
    return Object.fromEntries(
        counts.map(([text, count, word = ""]) => {
            const operation = OPERATIONS[word];
            if (operation === undefined) {
                throw new Error(`"${text}" in a summary of resources is not known`);
            }
            return [operation, Number(count)];
        }),
    );
}
