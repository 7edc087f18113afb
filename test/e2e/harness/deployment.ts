import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";
import { projectFile } from "../../../tools/pulumi/projectFile";
import { PROGRAM_ENVIRONMENT } from "../../../tools/pulumi/programEnvironment";
import { BROKEN_RULE } from "../../contract/rule";
import { DockerHost } from "./dockerHost";
import { freeClusterName } from "./freeResources";
import { changesIn, PulumiCli, type Changes } from "./pulumiCli";
import { stackDefaults } from "./stackDefaults";
import { testedEngine } from "./testRun";

/** Values of stack config. Keys without a prefix are the project's. */
export interface DeploymentConfig {
    [key: string]: string;
}

/** Outputs of the program. */
export interface DeploymentOutputs {
    s3Endpoint: string;
    consoleUrl: string;
    accessKey: string;
    secretKey: string;
    caCertificate: string;
    certificateNotAfter: string;
    nodeNames: string[];
    volumeNames: string[];
}

const UPDATE = ["up", "--yes", "--skip-preview"];

/** The program deployed as a separate stack, with its own backend, names, ports and networks. */
export class Deployment {
    private constructor(
        private readonly stack: Stack,
        private readonly cli: PulumiCli,
        private readonly folder: string,
        /** Name of the stack. It is unique, because data is identified by the stack that created it. */
        readonly stackName: string,
        /** Prefix of its names on the engine. */
        readonly clusterName: string,
        readonly httpPort: number,
        readonly httpsPort: number,
    ) {}

    /** Creates a stack with MinIO's images, unless the config says otherwise, and deploys nothing yet. */
    static async create(config: DeploymentConfig): Promise<Deployment> {
        const folder = mkdtempSync(join(tmpdir(), "deployment-"));
        writeFileSync(join(folder, "Pulumi.yaml"), projectFile(programToDeploy()));
        const clusterName = await freeClusterName();
        const stackName = `test-${randomBytes(4).toString("hex")}`;
        const envVars = {
            PULUMI_BACKEND_URL: `file://${folder}`,
            PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
            ...PROGRAM_ENVIRONMENT,
            PULUMI_SKIP_UPDATE_CHECK: "true",
            DOCKER_HOST: testedEngine(),
        };
        const stack = await LocalWorkspace.createOrSelectStack({ stackName, workDir: folder }, { envVars });
        const cli = new PulumiCli(folder, stackName, envVars);
        const defaults = await stackDefaults(clusterName);
        const [httpPort, httpsPort] = [Number(defaults["httpPort"]), Number(defaults["httpsPort"])];
        const deployment = new Deployment(stack, cli, folder, stackName, clusterName, httpPort, httpsPort);
        await deployment.configure({
            ...defaults,
            // A short timeout, because a store that is broken on purpose never becomes ready.
            ...(process.env[BROKEN_RULE] === undefined ? {} : { readyTimeout: "60" }),
            ...config,
        });
        return deployment;
    }

    /** Sets values of stack config. Keys that end in Key or Secret and private keys are set as secrets; the others if that is asked for. */
    async configure(config: DeploymentConfig, encrypted = false): Promise<void> {
        const entries = Object.entries(config).map(([key, value]) => [
            fullKey(key),
            {
                value,
                secret: encrypted || /(Key|Secret|secretEnvironment)$/.test(key) || value.includes("PRIVATE KEY"),
            },
        ]);
        await this.stack.setAllConfig(Object.fromEntries(entries) as { [key: string]: { value: string } });
    }

    /** Removes keys from stack config. */
    async unset(...keys: string[]): Promise<void> {
        await this.stack.removeAllConfig(keys.map(fullKey));
    }

    /** `pulumi up`. */
    async up(parallel = 16): Promise<{ changes: Changes; output: string }> {
        const { stdout, stderr } = await this.cli.run(...UPDATE, "--parallel", String(parallel));
        return { changes: changesIn(stdout), output: stdout + stderr };
    }

    /** Runs `pulumi up`, which must fail. Returns its output. */
    async upFailing(): Promise<string> {
        return failureOf(this.cli.run(...UPDATE));
    }

    /** `pulumi preview`. */
    async preview(): Promise<string> {
        const { stdout, stderr } = await this.cli.run("preview", "--diff");
        return stdout + stderr;
    }

    /** Runs `pulumi preview`, which must fail. Returns its output. */
    async previewFailing(): Promise<string> {
        return failureOf(this.cli.run("preview"));
    }

    /** `pulumi refresh`. */
    async refresh(...options: string[]): Promise<void> {
        await this.cli.run("refresh", "--yes", "--skip-preview", ...options);
    }

    /** `pulumi stack rename`. */
    async rename(name: string): Promise<void> {
        await this.stack.rename({ stackName: name });
        this.cli.stackName = name;
    }

    /** Removes everything except the data, as `npm run down` does. */
    async down(): Promise<void> {
        await this.cli.run("destroy", "--yes", "--skip-preview", "--exclude-protected");
    }

    /** Runs `pulumi destroy`, which must fail. Returns its output. */
    async destroyFailing(): Promise<string> {
        return failureOf(this.cli.run("destroy", "--yes", "--skip-preview"));
    }

    async outputs(): Promise<DeploymentOutputs> {
        return (await this.cli.outputs()) as unknown as DeploymentOutputs;
    }

    /** The state, as stored in the backend. */
    state(): string {
        return readFileSync(join(this.folder, ".pulumi", "stacks", "object-store", `${this.stackName}.json`), "utf8");
    }

    /** Removes everything including the data, whatever the state of the stack. */
    async remove(): Promise<void> {
        await new DockerHost().removeEverythingOf(this.clusterName);
        rmSync(this.folder, { recursive: true, force: true });
    }
}

/** The project's program; for a test of a broken contract rule, the program that breaks the rule. */
function programToDeploy(): string {
    return join(PROJECT, process.env[BROKEN_RULE] === undefined ? "start.js" : "test/contract/brokenProgram.ts");
}

function fullKey(key: string): string {
    return key.includes(":") ? key : `object-store:${key}`;
}

async function failureOf(operation: Promise<unknown>): Promise<string> {
    const failure = await operation.then(
        () => undefined,
        (error: unknown) => String(error),
    );
    if (failure === undefined) {
        throw new Error("the operation succeeded, which it must not");
    }
    return failure;
}
