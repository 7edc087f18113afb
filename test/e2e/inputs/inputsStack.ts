import { randomBytes } from "node:crypto";
import { LocalWorkspace, type EngineEvent, type Stack } from "@pulumi/pulumi/automation";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";
import { PROGRAM_ENVIRONMENT } from "../../../tools/pulumi/programEnvironment";
import { deployInputs } from "./deployInputs";
import type { StackInputs } from "./input";

/** The planned or completed change of a resource. */
export interface Step {
    /** `create`, `update`, `replace` … */
    operation: string;
    /** Name of the resource in the program. */
    resource: string;
    type: string;
}

const CONTAINER = "docker:index/container:Container";

const PROJECT_NAME = "inputs";
/** A name that only this run uses. The same stack with two cluster names would count as a renamed cluster. */
const STACK_NAME = `test-${randomBytes(4).toString("hex")}`;

/** Both components, deployed as a separate stack with the current args. */
export class InputsStack {
    private constructor(
        private readonly stack: Stack,
        private readonly folder: string,
        private readonly environment: { [name: string]: string },
        private readonly desired: { current: StackInputs },
    ) {}

    /** @param dockerHost Engine that Pulumi's provider connects to. */
    static async create(first: StackInputs, dockerHost: string): Promise<InputsStack> {
        const folder = mkdtempSync(join(tmpdir(), "inputs-stack-"));
        const desired = { current: first };
        const envVars = {
            PULUMI_BACKEND_URL: `file://${folder}`,
            PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
            ...PROGRAM_ENVIRONMENT,
            PULUMI_SKIP_UPDATE_CHECK: "true",
            DOCKER_HOST: dockerHost,
        };
        const program = async () => {
            deployInputs(desired.current);
            return Promise.resolve();
        };
        const stack = await LocalWorkspace.createOrSelectStack(
            { stackName: STACK_NAME, projectName: PROJECT_NAME, program },
            { workDir: folder, envVars },
        );
        return new InputsStack(stack, folder, envVars, desired);
    }

    /** Runs `pulumi up`. Returns the changes. */
    async up(desired: StackInputs): Promise<Step[]> {
        this.desired.current = desired;
        return stepsOf((onEvent) => this.stack.up({ onEvent }));
    }

    /** Runs `pulumi preview`. Returns the planned changes. */
    async preview(desired: StackInputs): Promise<Step[]> {
        this.desired.current = desired;
        return stepsOf((onEvent) => this.stack.preview({ onEvent }));
    }

    /**
     * Runs `pulumi preview`, which must fail. Returns its output. The program runs in its own process, so that pending
     * operations of a failed program end with it.
     */
    async previewFailing(desired: StackInputs): Promise<string> {
        const workDir = join(this.folder, "alone");
        const program = join(PROJECT, "test", "e2e", "programs", "inputs.ts");
        mkdirSync(workDir, { recursive: true });
        writeFileSync(join(workDir, "Pulumi.yaml"), `name: ${PROJECT_NAME}\nruntime: nodejs\nmain: ${program}\n`);
        const envVars = { ...this.environment, DESIRED_INPUTS: JSON.stringify(desired) };
        const stack = await LocalWorkspace.selectStack({ stackName: STACK_NAME, workDir }, { envVars });
        const failure = await stack.preview().then(
            () => undefined,
            (error: unknown) => String(error),
        );
        if (failure === undefined) {
            throw new Error("the preview succeeded, which it must not");
        }
        return failure;
    }

    async refresh(): Promise<void> {
        await this.stack.refresh();
    }

    /** Whether Pulumi refuses to delete a resource. */
    async isProtected(resource: string): Promise<boolean> {
        const exported = await this.stack.exportStack();
        const { resources } = exported.deployment as { resources: { urn: string; protect?: boolean }[] };
        const found = resources.find(({ urn }) => nameOf(urn) === resource);
        if (found === undefined) {
            throw new Error(`there is no resource ${resource}`);
        }
        return found.protect ?? false;
    }

    /** Removes the stack. Its deployed resources have to be removed on the engine. */
    remove(): void {
        rmSync(this.folder, { recursive: true });
    }
}

/** Containers that these steps replace: `store-node1`, `front-end`. */
export function replacedContainers(steps: Step[]): string[] {
    return steps
        .filter(({ operation, type }) => operation === "replace" && type === CONTAINER)
        .map(({ resource }) => resource)
        .filter((resource) => !resource.endsWith("-writer"));
}

export async function stepsOf(run: (onEvent: (event: EngineEvent) => void) => Promise<unknown>): Promise<Step[]> {
    const steps: Step[] = [];
    await run(({ resourcePreEvent: event }) => {
        if (event !== undefined && event.metadata.op !== "same") {
            const { op: operation, urn, type } = event.metadata;
            steps.push({ operation, resource: nameOf(urn), type });
        }
    });
    return steps;
}

/** Name of a resource in its program. */
function nameOf(urn: string): string {
    return urn.split("::").at(-1) ?? "";
}
