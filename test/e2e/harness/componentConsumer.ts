import { LocalWorkspace, type PreviewResult, type Stack, type UpResult } from "@pulumi/pulumi/automation";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { CLI } from "../../../tools/pulumi/toolchainParts";
import type { DeploymentOutputs } from "./deployment";
import { finishedCommand } from "./finishedCommand";
import { testedEngine } from "./testRun";

const STACK_NAME = "test";

/** A resource in the state. */
export interface StateResource {
    urn: string;
    type: string;
    parent?: string;
    provider?: string;
    protect?: boolean;
    dependencies?: string[];
}

/** A project in another language that uses the component package from a folder. */
export class ComponentConsumer {
    readonly folder = mkdtempSync(join(tmpdir(), "component-consumer-"));
    private readonly envVars: { [name: string]: string };
    private stack: Stack | undefined;

    /** Copies the program into a new project with its own backend. */
    constructor(
        readonly name: string,
        program: string,
        runtime: object,
        private readonly pulumiHome: string,
    ) {
        cpSync(program, this.folder, { recursive: true });
        this.write({ name, runtime });
        mkdirSync(join(this.folder, "state"));
        this.envVars = {
            PULUMI_HOME: pulumiHome,
            PULUMI_BACKEND_URL: `file://${join(this.folder, "state")}`,
            PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
            PULUMI_SKIP_UPDATE_CHECK: "true",
            DOCKER_HOST: testedEngine(),
        };
    }

    /** Writes Pulumi.yaml. */
    write(project: object): void {
        writeFileSync(join(this.folder, "Pulumi.yaml"), stringify(project));
    }

    /** The current Pulumi.yaml. */
    project(): string {
        return readFileSync(join(this.folder, "Pulumi.yaml"), "utf8");
    }

    /** Runs the Pulumi CLI in the project's folder and returns its output. */
    pulumi(...args: string[]): string {
        return this.run(CLI, ...args);
    }

    /** Runs a program in the project's folder and returns its output. */
    run(program: string, ...args: string[]): string {
        const { stdout, stderr } = finishedCommand(this.folder, program, args, this.envVars);
        return stdout + stderr;
    }

    /** Creates the stack if there is none, and sets values of its config; those in the list are set as secrets. */
    async configure(config: { [key: string]: string }, secrets: { [key: string]: string } = {}): Promise<void> {
        this.stack ??= await LocalWorkspace.createStack(
            { stackName: STACK_NAME, workDir: this.folder },
            { workDir: this.folder, pulumiHome: this.pulumiHome, envVars: this.envVars },
        );
        const entries = (values: { [key: string]: string }, secret: boolean) =>
            Object.entries(values).map(([key, value]) => [`${this.name}:${key}`, { value, secret }]);
        await this.stack.setAllConfig(
            Object.fromEntries([...entries(config, false), ...entries(secrets, true)]) as {
                [key: string]: { value: string };
            },
        );
    }

    preview(): Promise<PreviewResult> {
        return this.deployed().preview({ color: "never" });
    }

    up(): Promise<UpResult> {
        return this.deployed().up({ color: "never" });
    }

    /** Runs an operation that must fail. Returns its output. */
    async failing(operation: "preview" | "up" | "destroy"): Promise<string> {
        const failure = await this.deployed()
            [operation]({ color: "never" })
            .then(
                () => undefined,
                (error: unknown) => String(error),
            );
        if (failure === undefined) {
            throw new Error(`${operation} succeeded, which it must not`);
        }
        return failure;
    }

    /** The changes of a refresh, by operation. */
    async refresh(): Promise<{ [operation: string]: number }> {
        return { ...(await this.deployed().refresh()).summary.resourceChanges };
    }

    async destroy(): Promise<void> {
        await this.deployed().destroy();
    }

    async outputs(): Promise<DeploymentOutputs & { [name: string]: unknown }> {
        const outputs = await this.deployed().outputs();
        return Object.fromEntries(
            Object.entries(outputs).map(([name, { value }]) => [name, value as unknown]),
        ) as unknown as DeploymentOutputs & { [name: string]: unknown };
    }

    /** The state, as stored in the backend. */
    state(): string {
        return readFileSync(join(this.folder, "state", ".pulumi", "stacks", this.name, `${STACK_NAME}.json`), "utf8");
    }

    /** The resources in it. */
    resources(): StateResource[] {
        const { checkpoint } = JSON.parse(this.state()) as {
            checkpoint: { latest: { resources: StateResource[] } };
        };
        return checkpoint.latest.resources;
    }

    /** Removes the project. Its deployed resources have to be removed on the engine. */
    async remove(): Promise<void> {
        await this.stack?.cancel().catch(() => undefined);
        rmSync(this.folder, { recursive: true, force: true });
    }

    private deployed(): Stack {
        if (this.stack === undefined) {
            throw new Error("the project has no stack yet: configure it first");
        }
        return this.stack;
    }
}
