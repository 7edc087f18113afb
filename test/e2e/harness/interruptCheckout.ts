import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stringify } from "yaml";
import type { PendingOperation } from "../../../tools/pulumi/stackState";
import { makeCheckoutFolder, type CheckoutFolder } from "./checkoutFolder";
import type { DeploymentConfig, DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { freeClusterName } from "./freeResources";
import { InterruptEngineDoor } from "./interruptEngineDoor";
import { stackDefaults } from "./stackDefaults";

/** The result of a command. */
export interface Ending {
    /** Exit code; undefined if it was killed. */
    code: number | null;
    /** Its whole output. */
    output: string;
}

/** A running command. */
export interface RunningCommand {
    pid: number;
    ended: Promise<Ending>;
    /** Passes on each line of its output as soon as it is printed. */
    onLine: (take: (line: string) => void) => void;
}

/** A checkout with its own local backend. Its updates reach the engine through an engine door. */
export class InterruptCheckout {
    private config: DeploymentConfig = {};

    private constructor(
        private readonly folder: CheckoutFolder,
        readonly door: InterruptEngineDoor,
        /** Prefix of its names on the engine. */
        readonly clusterName: string,
    ) {}

    /** Creates a checkout with the stack config for one node of MinIO. */
    static async create(config: DeploymentConfig = {}): Promise<InterruptCheckout> {
        const folder = makeCheckoutFolder();
        const clusterName = await freeClusterName();
        const checkout = new InterruptCheckout(folder, await InterruptEngineDoor.open(folder.folder), clusterName);
        checkout.configure({ ...(await stackDefaults(clusterName)), ...config });
        return checkout;
    }

    /**
     * Its stack. No other checkout on the engine has a stack of that name, because data is identified by its stack's
     * name.
     */
    get stack(): string {
        return this.clusterName;
    }

    /** Sets values of stack config. */
    configure(config: DeploymentConfig): void {
        this.config = { ...this.config, ...config };
        const entries = Object.entries(this.config).map(([key, value]) => [`object-store:${key}`, value]);
        writeFileSync(
            this.file(`Pulumi.${this.stack}.yaml`),
            stringify({ config: Object.fromEntries(entries) as object }),
        );
    }

    /** Starts the command that `npm run up`, `npm run down` or `npm run pulumi` runs. */
    start(tool: "up" | "down" | "migrate" | "pulumi", ...args: string[]): RunningCommand {
        const child = spawn(this.file("node_modules/.bin/tsx"), [`tools/commands/${tool}.ts`, ...args], {
            cwd: this.file("."),
            stdio: ["ignore", "pipe", "pipe"],
            env: {
                ...process.env,
                PULUMI_HOME: this.folder.pulumiHome,
                PULUMI_BACKEND_URL: undefined,
                DOCKER_HOST: this.door.host,
            },
        });
        return {
            pid: child.pid ?? 0,
            ended: endingOf(child),
            onLine: (take) => createInterface({ input: child.stdout }).on("line", take),
        };
    }

    /** Starts `npm run up`. */
    startUp(): RunningCommand {
        return this.start("up", "--stack", this.stack);
    }

    /** Runs `npm run up`, which must succeed. */
    async up(): Promise<void> {
        expectSuccess(await this.startUp().ended);
    }

    /** Runs `npm run up`, which must fail. Returns its output. */
    async upFailing(): Promise<string> {
        const { code, output } = await this.startUp().ended;
        expect({ code, output }).toEqual({ code: 1, output });
        return output;
    }

    /** Starts `npm run up`, and pauses it at a step, which it must reach, until it is released. */
    upTo(step: string): Promise<{ running: RunningCommand; goOn: () => void }> {
        return this.pauseAt(step, () => this.startUp());
    }

    /** Starts a command, and pauses it at a step, which it must reach, until it is released. */
    async pauseAt(step: string, start: () => RunningCommand): Promise<{ running: RunningCommand; goOn: () => void }> {
        let goOn: () => void = () => undefined;
        const running = start();
        const reached = new Promise<void>((resolve) => {
            this.door.gate = async (moment) => {
                if (moment === step) {
                    this.door.gate = () => false;
                    await new Promise<void>((release) => {
                        goOn = release;
                        resolve();
                    });
                }
                return false;
            };
        });
        const missed = running.ended.then(({ code, output }) => {
            throw new Error(`it ended with ${code} and never came to "${step}":\n${output}`);
        });
        await Promise.race([reached, missed]);
        return { running, goOn };
    }

    async outputs(): Promise<DeploymentOutputs> {
        const ending = await this.start("pulumi", "stack", "output", "--json", "--show-secrets").ended;
        expectSuccess(ending);
        return JSON.parse(ending.output) as DeploymentOutputs;
    }

    /** The pending operations in the backend's state. */
    pending(): string[] {
        const { checkpoint } = JSON.parse(readFileSync(this.stateFile, "utf8")) as {
            checkpoint: { latest: { pending_operations?: PendingOperation[] } };
        };
        return (checkpoint.latest.pending_operations ?? []).map(({ type, resource }) => `${type} ${resource.urn}`);
    }

    /** The state, as stored in the backend. */
    get stateFile(): string {
        return this.file(`.local/state/.pulumi/stacks/object-store/${this.stack}.json`);
    }

    /** Folder of the stack's locks. */
    get lockFolder(): string {
        return this.file(`.local/state/.pulumi/locks/organization/object-store/${this.stack}`);
    }

    /** Removes everything, including the data. */
    async remove(): Promise<void> {
        this.door.close();
        await new DockerHost().removeEverythingOf(this.clusterName);
        rmSync(this.folder.folder, { recursive: true, force: true });
    }

    private file(path: string): string {
        return join(this.folder.project, path);
    }
}

/** Fails with the output of a command, unless it succeeded. */
export function expectSuccess({ code, output }: Ending): void {
    if (code !== 0) {
        throw new Error(`it ended with ${code}:\n${output}`);
    }
}

function endingOf(child: ChildProcess): Promise<Ending> {
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    return new Promise((resolve, reject) => {
        child.on("error", reject);
        // Processes that it started may outlive it, and keep its output pipes open.
        child.on("exit", (code) => (code === null ? resolve({ code, output }) : undefined));
        child.on("close", (code) => resolve({ code, output }));
    });
}
