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

/** How a command ended. */
export interface Ending {
    /** Exit code; nothing where it was killed. */
    code: number | null;
    /** All that it printed. */
    output: string;
}

/** A command under way. */
export interface RunningCommand {
    pid: number;
    ended: Promise<Ending>;
    /** Hands over each line that it prints, as soon as it does. */
    onLine: (take: (line: string) => void) => void;
}

/** A checkout of its own, with a local backend of its own, whose updates reach the engine through a door. */
export class InterruptCheckout {
    private config: DeploymentConfig = {};

    private constructor(
        private readonly folder: CheckoutFolder,
        readonly door: InterruptEngineDoor,
        /** Prefix of its names on the engine. */
        readonly clusterName: string,
    ) {}

    /** Makes a checkout with the stack config for one node of MinIO. */
    static async create(config: DeploymentConfig = {}): Promise<InterruptCheckout> {
        const folder = makeCheckoutFolder();
        const clusterName = await freeClusterName();
        const checkout = new InterruptCheckout(folder, await InterruptEngineDoor.open(folder.folder), clusterName);
        checkout.configure({ ...(await stackDefaults(clusterName)), ...config });
        return checkout;
    }

    /** Its stack, one that no other checkout on the engine has: data is known by the name of its stack. */
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

    /** Starts what `npm run up`, `npm run down` or `npm run pulumi` runs. */
    start(tool: "up" | "down" | "pulumi", ...args: string[]): RunningCommand {
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

    /** Runs `npm run up`, which must fail; gives what it printed. */
    async upFailing(): Promise<string> {
        const { code, output } = await this.startUp().ended;
        expect({ code, output }).toEqual({ code: 1, output });
        return output;
    }

    /** Starts `npm run up`, and lets it wait at a step, which it must reach, until it is told to go on. */
    async upTo(step: string): Promise<{ running: RunningCommand; goOn: () => void }> {
        let goOn: () => void = () => undefined;
        const running = this.startUp();
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

    /** What was begun and not noted as done, as the state in the backend has it. */
    pending(): string[] {
        const { checkpoint } = JSON.parse(readFileSync(this.stateFile, "utf8")) as {
            checkpoint: { latest: { pending_operations?: PendingOperation[] } };
        };
        return (checkpoint.latest.pending_operations ?? []).map(({ type, resource }) => `${type} ${resource.urn}`);
    }

    /** The state, as it lies in the backend. */
    get stateFile(): string {
        return this.file(`.local/state/.pulumi/stacks/object-store/${this.stack}.json`);
    }

    /** Folder with the stack's locks. */
    get lockFolder(): string {
        return this.file(`.local/state/.pulumi/locks/organization/object-store/${this.stack}`);
    }

    /** Removes everything, the data too. */
    async remove(): Promise<void> {
        this.door.close();
        await new DockerHost().removeEverythingOf(this.clusterName);
        rmSync(this.folder.folder, { recursive: true, force: true });
    }

    private file(path: string): string {
        return join(this.folder.project, path);
    }
}

/** Fails with what a command printed, unless it succeeded. */
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
        // What it has started may outlive it, and holds its outputs open.
        child.on("exit", (code) => (code === null ? resolve({ code, output }) : undefined));
        child.on("close", (code) => resolve({ code, output }));
    });
}
