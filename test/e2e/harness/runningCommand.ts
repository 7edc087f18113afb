import { spawn, type ChildProcess } from "node:child_process";
import { failedCommand } from "./failedCommand";

/** Command lines that run beside the test. */
export class RunningCommand {
    private readonly child: ChildProcess;
    private output = "";
    private readonly ended: Promise<number | null>;

    constructor(
        private readonly command: string,
        options: { cwd: string; env: NodeJS.ProcessEnv },
    ) {
        // A process group of its own, so that all of it can be killed.
        this.child = spawn("bash", ["-ec", command], { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
        const take = (part: Buffer) => (this.output += part.toString());
        this.child.stdout?.on("data", take);
        this.child.stderr?.on("data", take);
        this.ended = new Promise((resolve, reject) => {
            this.child.once("error", reject).once("close", resolve);
        });
    }

    /** Waits for its end, and returns its output. @throws {Error} with the output, if it fails. */
    async done(): Promise<string> {
        const status = await this.ended;
        if (status !== 0) {
            throw failedCommand(this.command, status, this.output);
        }
        return this.output;
    }

    /** Sends a signal to all of its processes, and waits for their end. */
    async kill(signal: NodeJS.Signals): Promise<string> {
        process.kill(-(this.child.pid ?? 0), signal);
        await this.ended;
        return this.output;
    }

    /** The output so far. */
    get soFar(): string {
        return this.output;
    }
}
