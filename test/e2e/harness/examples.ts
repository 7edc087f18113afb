import { spawn } from "node:child_process";
import {
    cpSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    realpathSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { PROJECT } from "../../../tools/paths";
import { makeCheckoutFolder, type CheckoutFolder } from "./checkoutFolder";
import { s3ClientFor } from "./clients";
import type { DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { failedCommand } from "./failedCommand";
import { freeClusterName } from "./freeResources";
import { packPackage, type PackageManifest } from "./packageConsumer";
import { stackDefaults } from "./stackDefaults";
import { checksumOf, keepObject } from "./traffic";

/** Folder of the examples in the project. */
export const EXAMPLES = join(PROJECT, "examples");

/** Values of stack config. */
export interface ExampleConfig {
    [key: string]: unknown;
}

/** Suffixes that the programs add to the project's name. */
const STACKS = ["-dev", "-prod"];

/** Longest time for the commands of one block. */
const COMMANDS_SECONDS = 400;

/** Plugins of these providers are on this machine in the project's own versions. */
const PROVIDERS = ["docker", "random", "tls"];

/** Names of the examples in TypeScript. */
export function typescriptExamples(): string[] {
    return readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" })
        .filter((path) => /^[^/]+\/index\.ts$/.test(path))
        .map((path) => path.replace("/index.ts", ""))
        .sort();
}

/** Commands of a document among the examples: the `sh` blocks below a heading, in their order. */
export function commandsOf(document: string, heading?: string): string[] {
    const text = readFileSync(join(EXAMPLES, document), "utf8");
    const part = heading === undefined ? text : (text.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "");
    const blocks = [...part.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = ""]) => commands);
    if (blocks.length === 0) {
        throw new Error(`${document} has no commands${heading === undefined ? "" : ` below "${heading}"`}`);
    }
    return blocks;
}

/** Copies of the examples outside of the project, with the package's tarball next to them, as a user has them. */
export class ExamplesFolder {
    readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "examples-")));
    private readonly checkout: CheckoutFolder = makeCheckoutFolder();
    private readonly projects: ExampleProject[] = [];

    /** Copies these examples, and installs their dependencies once for all of them. */
    static async make(names: string[]): Promise<ExamplesFolder> {
        const examples = new ExamplesFolder();
        packPackage(examples.checkout.project, examples.folder);
        for (const name of names) {
            cpSync(join(EXAMPLES, name), join(examples.folder, name), { recursive: true });
        }
        const versions = PROVIDERS.map((provider) => [`@pulumi/${provider}`, installedVersion(`@pulumi/${provider}`)]);
        const root = { private: true, workspaces: names, overrides: Object.fromEntries(versions) as object };
        writeFileSync(join(examples.folder, "package.json"), JSON.stringify(root));
        // Packages that compile native code at installation are optional, and slow.
        const npmrc = ["ignore-scripts=true", "prefer-offline=true", "audit=false", "fund=false"];
        writeFileSync(join(examples.folder, ".npmrc"), npmrc.join("\n"));
        await examples.run(examples.folder, "npm install");
        return examples;
    }

    /** One of these projects, with its own names and ports. */
    project(name: string, config: ExampleConfig = {}): Promise<ExampleProject> {
        return this.projectIn(join(this.folder, name), config);
    }

    /**
     * The same for an example in a language that uses the package from the folder `plugin/`: it stays in a clone of the
     * project.
     */
    projectInClone(name: string, config: ExampleConfig = {}): Promise<ExampleProject> {
        return this.projectIn(join(this.checkout.project, "examples", name), config);
    }

    private async projectIn(folder: string, config: ExampleConfig): Promise<ExampleProject> {
        const project = new ExampleProject(this, folder, await freeClusterName(STACKS));
        this.projects.push(project);
        await project.adapt(config);
        return project;
    }

    /** The package.json of one of them. */
    manifestOf(name: string): PackageManifest {
        return JSON.parse(readFileSync(join(this.folder, name, "package.json"), "utf8")) as PackageManifest;
    }

    /** Runs shell commands in a folder, as a user types them, and returns their output. Fails if one of them fails. */
    run(folder: string, commands: string): Promise<string> {
        const shell = spawn("bash", ["-e", "-o", "pipefail", "-c", commands], {
            cwd: folder,
            env: {
                ...process.env,
                PULUMI_HOME: this.checkout.pulumiHome,
                PULUMI_BACKEND_URL: `file://${this.stateFolder()}`,
                PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
                PULUMI_SKIP_UPDATE_CHECK: "true",
                // No user is there to confirm.
                PULUMI_SKIP_CONFIRMATIONS: "true",
            },
            stdio: ["ignore", "pipe", "pipe"],
            timeout: COMMANDS_SECONDS * 1000,
        });
        const [output, complaints]: [string[], string[]] = [[], []];
        shell.stdout.setEncoding("utf8").on("data", (part: string) => output.push(part));
        shell.stderr.setEncoding("utf8").on("data", (part: string) => complaints.push(part));
        return new Promise((resolve, reject) => {
            shell.once("error", reject);
            shell.once("close", (status, signal) =>
                status === 0
                    ? resolve(output.join(""))
                    : reject(failedCommand(commands, signal ?? status, [...output, ...complaints].join(""))),
            );
        });
    }

    /** Removes everything, also on the engine. */
    async remove(): Promise<void> {
        for (const project of this.projects) {
            await project.removeFromEngine();
        }
        [this.folder, this.checkout.folder].forEach((path) => rmSync(path, { recursive: true, force: true }));
    }

    private stateFolder(): string {
        const folder = join(this.folder, "state");
        mkdirSync(folder, { recursive: true });
        return folder;
    }
}

/** One example, as copied by a user. */
export class ExampleProject {
    private readonly host = new DockerHost();
    /** Port of the host for HTTPS. */
    httpsPort = 0;
    /** Config of its stack `dev`: this machine's images, and its own ports. */
    ownConfig: ExampleConfig = {};

    constructor(
        private readonly examples: ExamplesFolder,
        readonly folder: string,
        /** Its project name, which is the prefix of the names of all its resources on the engine. */
        readonly name: string,
    ) {}

    /** Renames the project, and sets images and ports of this machine and more config for the stack `dev`. */
    async adapt(config: ExampleConfig): Promise<void> {
        const project = parse(this.read("Pulumi.yaml")) as { name: string };
        for (const file of readdirSync(this.folder).filter((name) => /^Pulumi\..+\.yaml$/.test(name))) {
            this.write(file, this.read(file).replaceAll(`  ${project.name}:`, `  ${this.name}:`));
        }
        // The examples' packages are installed once for all of them.
        const text = stringify({ ...project, name: this.name }).replace(
            "path: node_modules/",
            "path: ../node_modules/",
        );
        this.write("Pulumi.yaml", text);
        const { profile, image, haproxyImage, publishAddress, httpPort, httpsPort } = await stackDefaults(this.name);
        this.httpsPort = Number(httpsPort);
        this.ownConfig = { profile, image, haproxyImage, publishAddress, httpPort, httpsPort, ...config };
        this.configure("dev", this.ownConfig);
    }

    /** Writes values into the file of a stack, which it creates if necessary. Undefined values are removed. */
    configure(stack: string, values: ExampleConfig): void {
        const file = `Pulumi.${stack}.yaml`;
        const there = readdirSync(this.folder).includes(file) ? this.read(file) : "";
        const { config = {}, ...rest } = (parse(there) ?? {}) as { config?: object };
        const keys = Object.entries(values)
            .filter(([, value]) => value !== undefined)
            .map(([key, value]) => [`${this.name}:${key}`, value]);
        this.write(file, stringify({ ...rest, config: { ...config, ...(Object.fromEntries(keys) as object) } }));
    }

    /** Writes an object to the store as clients of the stack do, and reads it back. Fails if the content differs. */
    async exchangeObject(more: Partial<DeploymentOutputs> = {}): Promise<void> {
        const client = s3ClientFor({ ...(await this.outputs()), ...more });
        const checksum = await keepObject(client, "kept", "key");
        expect(await checksumOf(client, "kept", "key")).toBe(checksum);
        client.destroy();
    }

    /** Runs shell commands in the project's folder. */
    run(commands: string): Promise<string> {
        return this.examples.run(this.folder, commands);
    }

    /** Outputs of the selected stack, including the secret ones. */
    async outputs<Outputs extends Partial<DeploymentOutputs> = DeploymentOutputs>(): Promise<Outputs> {
        return JSON.parse(await this.run("pulumi stack output --json --show-secrets")) as Outputs;
    }

    /** Names of its resources on the engine. */
    namesOnEngine(): Promise<string[]> {
        return this.host.namesOf(this.name);
    }

    read(file: string): string {
        return readFileSync(join(this.folder, file), "utf8");
    }

    write(file: string, text: string): void {
        writeFileSync(join(this.folder, file), text);
    }

    /** Removes its resources on the engine, whatever the state of its stacks. */
    async removeFromEngine(): Promise<void> {
        await this.host.removeEverythingOf(this.name);
    }
}

/** Version of a package that this project uses. */
function installedVersion(name: string): string {
    const manifest = readFileSync(join(PROJECT, "node_modules", name, "package.json"), "utf8");
    return (JSON.parse(manifest) as { version: string }).version;
}
