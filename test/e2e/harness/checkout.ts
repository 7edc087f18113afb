import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { makeCheckoutFolder, type CheckoutFolder } from "./checkoutFolder";
import type { DeploymentConfig, DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { failedCommand } from "./failedCommand";
import { freeClusterName } from "./freeResources";
import { stackDefaults } from "./stackDefaults";

/** Longest that one command line may take. */
const COMMAND_SECONDS = 400;

/** The project as a user has cloned it, with a stack file, a local backend and a Pulumi home of its own. */
export class Checkout {
    private constructor(
        private readonly folder: CheckoutFolder,
        /** Prefix of the stack's names on the engine. */
        readonly clusterName: string,
    ) {}

    /** Its stack, one that no other checkout on the engine has: data is known by the name of its stack. */
    get stack(): string {
        return this.clusterName;
    }

    /** Clones the project as it stands, and writes a stack file with MinIO's images, unless the config says otherwise. */
    static async make(config: DeploymentConfig = {}): Promise<Checkout> {
        const checkout = new Checkout(makeCheckoutFolder(), await freeClusterName());
        const values = { ...(await stackDefaults(checkout.clusterName)), ...config };
        const entries = Object.entries(values).map(([key, value]) => [`object-store:${key}`, value]);
        writeFileSync(
            join(checkout.path, `Pulumi.${checkout.stack}.yaml`),
            stringify({ config: Object.fromEntries(entries) as object }),
        );
        return checkout;
    }

    /** Runs a command line in the project's folder, as a user types it, and gives what it printed. */
    shell(command: string, variables: { [name: string]: string } = {}): string {
        const { status, output } = this.run(command, variables);
        if (status !== 0) {
            throw failedCommand(command, status, output);
        }
        return output;
    }

    /** Runs a command line that must fail, and gives what it printed. */
    shellFailing(command: string, variables: { [name: string]: string } = {}): string {
        const { status, output } = this.run(command, variables);
        if (status === 0) {
            throw new Error(`${command} succeeded, which it must not:\n${output}`);
        }
        return output;
    }

    /** `npm run up`, of the stack file made for it. */
    up(): void {
        this.shell(`npm run up -- --stack ${this.stack}`);
    }

    /** Outputs of the stack, the secret ones too. */
    outputs(): DeploymentOutputs {
        return JSON.parse(
            this.shell("npm run --silent pulumi -- stack output --json --show-secrets"),
        ) as DeploymentOutputs;
    }

    /** Forgets all that the machine knows of the stack, as a new machine does: state, passphrase, which stack is selected. */
    forget(): void {
        rmSync(join(this.path, ".local"), { recursive: true });
        rmSync(join(this.pulumiHome, "workspaces"), { recursive: true });
    }

    /** Removes everything, on the engine too. */
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

    private run(command: string, variables: { [name: string]: string }): { status: number | null; output: string } {
        const { status, stdout, stderr, error } = spawnSync("bash", ["-c", command], {
            cwd: this.path,
            // Nobody is logged in there, so that the local backend is taken.
            env: { ...process.env, PULUMI_HOME: this.pulumiHome, PULUMI_BACKEND_URL: undefined, ...variables },
            encoding: "utf8",
            timeout: COMMAND_SECONDS * 1000,
        });
        if (error !== undefined) {
            throw error;
        }
        return { status, output: status === 0 ? stdout : stdout + stderr };
    }
}
