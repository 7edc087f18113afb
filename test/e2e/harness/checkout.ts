import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { makeCheckoutFolder, type CheckoutFolder } from "./checkoutFolder";
import type { DeploymentConfig, DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { failedCommand } from "./failedCommand";
import { freeClusterName } from "./freeResources";
import { RunningCommand } from "./runningCommand";
import { stackDefaults } from "./stackDefaults";

/** Longest time for one command line. */
const COMMAND_SECONDS = 400;

/** The project as a user clones it, with its own stack file, local backend and Pulumi home. */
export class Checkout {
    private constructor(
        private readonly folder: CheckoutFolder,
        /** Prefix of the stack's names on the engine. */
        readonly clusterName: string,
    ) {}

    /**
     * Its stack. No other checkout on the engine has a stack of that name, because data is identified by its stack's
     * name.
     */
    get stack(): string {
        return this.clusterName;
    }

    /**
     * Clones the project with its current files, and writes a stack file with MinIO's images, unless the config says
     * otherwise.
     */
    static async make(config: DeploymentConfig = {}): Promise<Checkout> {
        const checkout = new Checkout(makeCheckoutFolder(), await freeClusterName());
        checkout.writeStackFile(checkout.stack, { ...(await stackDefaults(checkout.clusterName)), ...config });
        return checkout;
    }

    /** Runs a command line in the project's folder, as a user types it. Returns its output. */
    shell(command: string, variables: { [name: string]: string } = {}): string {
        const { status, output } = this.run(command, variables);
        if (status !== 0) {
            throw failedCommand(command, status, output);
        }
        return output;
    }

    /** Starts command lines in the project's folder, so that others can run meanwhile. */
    runBeside(command: string, variables: { [name: string]: string } = {}): RunningCommand {
        return new RunningCommand(command, { cwd: this.path, env: this.environment(variables) });
    }

    /** Writes the file of one more stack of this project. */
    writeStackFile(stack: string, config: DeploymentConfig): void {
        const entries = Object.entries(config).map(([key, value]) => [
            key.includes(":") ? key : `object-store:${key}`,
            value,
        ]);
        writeFileSync(
            join(this.path, `Pulumi.${stack}.yaml`),
            stringify({ config: Object.fromEntries(entries) as object }),
        );
    }

    /** Runs a command line that must fail. Returns its output. */
    shellFailing(command: string, variables: { [name: string]: string } = {}): string {
        const { status, output } = this.run(command, variables);
        if (status === 0) {
            throw new Error(`${command} succeeded, which it must not:\n${output}`);
        }
        return output;
    }

    /** Starts a command in the project's folder and doesn't wait for it. A signal reaches the command itself. */
    start(command: string, variables: { [name: string]: string } = {}): ChildProcessWithoutNullStreams {
        return spawn("bash", ["-c", `exec ${command}`], {
            cwd: this.path,
            env: this.environment(variables),
            stdio: "pipe",
        });
    }

    /** Runs `npm run up` with this stack file. */
    up(): void {
        this.shell(`npm run up -- --stack ${this.stack}`);
    }

    /** Outputs of the stack, including the secret ones. */
    outputs(): DeploymentOutputs {
        return JSON.parse(
            this.shell("npm run --silent pulumi -- stack output --json --show-secrets"),
        ) as DeploymentOutputs;
    }

    /**
     * Deletes everything that the machine stores about the stack, as on a new machine: state, passphrase and selected
     * stack.
     */
    forget(): void {
        rmSync(join(this.path, ".local"), { recursive: true });
        rmSync(join(this.pulumiHome, "workspaces"), { recursive: true });
    }

    /** Removes everything, also on the engine. */
    async remove(): Promise<void> {
        await new DockerHost().removeEverythingOf(this.clusterName);
        rmSync(this.folder.folder, { recursive: true, force: true });
    }

    /** The project's folder. */
    get path(): string {
        return this.folder.project;
    }

    private get pulumiHome(): string {
        return this.folder.pulumiHome;
    }

    /** No user is logged in there, so that the local backend is used. */
    private environment(variables: { [name: string]: string }): NodeJS.ProcessEnv {
        return { ...process.env, PULUMI_HOME: this.pulumiHome, PULUMI_BACKEND_URL: undefined, ...variables };
    }

    private run(command: string, variables: { [name: string]: string }): { status: number | null; output: string } {
        const { status, stdout, stderr, error } = spawnSync("bash", ["-c", command], {
            // From a socket, which is what a pipe of Node.js is, bash would read ~/.bashrc, and its PATH.
            stdio: ["ignore", "pipe", "pipe"],
            cwd: this.path,
            env: this.environment(variables),
            encoding: "utf8",
            timeout: COMMAND_SECONDS * 1000,
        });
        if (error !== undefined) {
            throw error;
        }
        return { status, output: status === 0 ? stdout : stdout + stderr };
    }
}
