import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import type { Command, Outcome } from "./protocol";

/** A client that runs as long as the test, and executes one command after the other. */
export class ClientProcess {
    private readonly child: ChildProcessWithoutNullStreams;
    private readonly lines: AsyncIterator<string>;
    private errors = "";

    constructor([program = "", ...args]: string[], variables: { [name: string]: string }) {
        this.child = spawn(program, args, { env: { ...process.env, ...variables } });
        this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.errors += text));
        // A client that has ended is noticed by its missing answer.
        this.child.stdin.on("error", () => undefined);
        const answers: Interface = createInterface(this.child.stdout);
        this.lines = answers[Symbol.asyncIterator]();
    }

    /** @throws {Error} with what the client has printed, if it has ended. */
    async execute(command: Command): Promise<Outcome> {
        this.child.stdin.write(`${JSON.stringify(command)}\n`);
        const { value, done } = (await this.lines.next()) as IteratorResult<string, undefined>;
        if (done === true) {
            throw new Error(`the client has ended: ${this.errors.slice(-4000)}`);
        }
        return JSON.parse(value) as Outcome;
    }

    /** Closes the client's connection. */
    async reset(): Promise<void> {
        await this.execute({ operation: "Reset", parameters: {} });
    }

    stop(): Promise<void> {
        return new Promise((resolve) => {
            if (this.child.exitCode !== null || this.child.signalCode !== null) {
                resolve();
                return;
            }
            this.child.once("close", () => resolve());
            this.child.kill("SIGKILL");
        });
    }
}
