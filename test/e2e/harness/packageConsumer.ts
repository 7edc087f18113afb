import { LocalWorkspace, type OutputMap, type Stack } from "@pulumi/pulumi/automation";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";
import { s3ClientFor } from "./clients";
import type { DeploymentConfig, DeploymentOutputs } from "./deployment";
import { finishedCommand } from "./finishedCommand";
import { testedEngine } from "./testRun";
import { checksumOf, keepObject } from "./traffic";

const PROJECT_NAME = "consumer";
const STACK_NAME = "test";

/** A program for a project that installs the package: one node and its proxy. */
export const PACKAGE_PROGRAM = join(PROJECT, "test", "e2e", "programs", "packageStore.ts");

/** Writes an object to the store that has these outputs, and reads it. */
export async function expectServing(outputs: OutputMap): Promise<void> {
    const values = Object.fromEntries(
        Object.entries(outputs).map(([key, { value }]) => [key, value as unknown]),
    ) as unknown as DeploymentOutputs;
    const client = s3ClientFor(values);
    const checksum = await keepObject(client, "bucket", "key");
    expect(await checksumOf(client, "bucket", "key")).toBe(checksum);
    client.destroy();
}

/** Module format of a project, as in `type` of its package.json. */
export type ModuleType = "commonjs" | "module";

/** Result of `npm pack`. */
export interface PackedPackage {
    /** The tarball. */
    file: string;
    /** Paths of the files in it. */
    contents: string[];
}

/** The fields of a package.json that are compared. */
export interface PackageManifest {
    name: string;
    version: string;
    peerDependencies: { [name: string]: string };
    dependencies: { [name: string]: string };
    devDependencies: { [name: string]: string };
}

/** Packs a project's package into a folder, with the files that would be published to the registry. */
export function packPackage(project: string, folder: string): PackedPackage {
    const output = run(project, "npm", "pack", "--silent", "--json", "--pack-destination", folder);
    const [packed] = JSON.parse(output) as { filename: string; files: { path: string }[] }[];
    if (packed === undefined) {
        throw new Error(`npm pack packed nothing: ${output}`);
    }
    return { file: join(folder, packed.filename), contents: packed.files.map(({ path }) => path) };
}

/** The project's own package.json. */
export function packageManifest(): PackageManifest {
    return JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as PackageManifest;
}

/**
 * An empty TypeScript project that installs the package from a tarball. Nothing in it comes from this project's source
 * tree.
 */
export class PackageConsumer {
    readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "package-consumer-")));
    private created: Stack | undefined;

    /**
     * @param pulumiVersion Version of `@pulumi/pulumi` that the project depends on.
     * @param compilers More versions of TypeScript, which {@link compileBy} runs.
     */
    constructor(
        readonly moduleType: ModuleType,
        tarball: string,
        pulumiVersion: string,
        compilers: readonly string[] = [],
    ) {
        const { name, devDependencies } = packageManifest();
        const packageJson = {
            name: PROJECT_NAME,
            private: true,
            type: moduleType,
            dependencies: { [name]: `file:${tarball}`, "@pulumi/pulumi": pulumiVersion },
            devDependencies: {
                "@types/node": devDependencies["@types/node"],
                typescript: devDependencies["typescript"],
                ...Object.fromEntries(
                    compilers.map((version) => [`typescript-${version}`, `npm:typescript@${version}`]),
                ),
            },
            // These versions of Pulumi's plugins are installed on this machine.
            overrides: Object.fromEntries(
                ["docker", "random", "tls"].map((provider) => [`@pulumi/${provider}`, installedVersion(provider)]),
            ),
        };
        const tsconfig = {
            compilerOptions: {
                strict: true,
                target: "ES2022",
                ...(moduleType === "commonjs"
                    ? { module: "commonjs", moduleResolution: "node" }
                    : { module: "nodenext" }),
                outDir: "out",
            },
        };
        // Pulumi's own TypeScript runner only supports CommonJS, so ES modules are compiled before they run.
        const runtime = { name: "nodejs", options: { typescript: moduleType === "commonjs" } };
        const main = moduleType === "commonjs" ? "index.ts" : "out/index.js";
        this.write("package.json", JSON.stringify(packageJson));
        this.write("tsconfig.json", JSON.stringify(tsconfig));
        this.write("Pulumi.yaml", JSON.stringify({ name: PROJECT_NAME, runtime, main }));
    }

    /** Writes a file in the project's folder. */
    write(file: string, text: string): void {
        writeFileSync(join(this.folder, file), text);
    }

    /**
     * Installs the dependencies of its package.json. Packages that compile native code at installation are optional,
     * and slow.
     */
    install(): void {
        run(this.folder, "npm", "install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund");
    }

    /** Paths of each installed copy of a package. Fails if versions don't match. */
    copiesOf(name: string): string[] {
        return run(this.folder, "npm", "ls", name, "--all", "--parseable").trim().split("\n");
    }

    /** Compiles the project with additional options. Fails with the compiler's output. */
    compile(...options: string[]): void {
        run(this.folder, join("node_modules", ".bin", "tsc"), ...options);
    }

    /** The same by one of the other versions of TypeScript. */
    compileBy(version: string, ...options: string[]): void {
        run(this.folder, "node", join("node_modules", `typescript-${version}`, "bin", "tsc"), ...options);
    }

    /** `peerDependencies` of an installed package. */
    peersOf(name: string): { [name: string]: string } {
        const manifest = readFileSync(join(this.folder, "node_modules", name, "package.json"), "utf8");
        return (JSON.parse(manifest) as Partial<PackageManifest>).peerDependencies ?? {};
    }

    /** Names that an ES module can import from the package. */
    namedExports(): string[] {
        const program = `console.log(JSON.stringify(Object.keys(await import("${packageManifest().name}"))))`;
        return JSON.parse(run(this.folder, "node", "--input-type=module", "--eval", program)) as string[];
    }

    /** The project's stack with this config, in its own backend. */
    async stack(pulumiHome: string, config: DeploymentConfig): Promise<Stack> {
        const backend = join(this.folder, "state");
        mkdirSync(backend);
        const envVars = {
            PULUMI_BACKEND_URL: `file://${backend}`,
            PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
            PULUMI_SKIP_UPDATE_CHECK: "true",
            DOCKER_HOST: testedEngine(),
        };
        const options = { workDir: this.folder, pulumiHome, envVars };
        this.created = await LocalWorkspace.createStack({ stackName: STACK_NAME, workDir: this.folder }, options);
        const entries = Object.entries(config).map(([key, value]) => [`${PROJECT_NAME}:${key}`, { value }]);
        await this.created.setAllConfig(Object.fromEntries(entries) as { [key: string]: { value: string } });
        return this.created;
    }

    /** Removes the project. Its deployed resources have to be removed on the engine. */
    async remove(): Promise<void> {
        await this.created?.cancel().catch(() => undefined);
        rmSync(this.folder, { recursive: true, force: true });
    }
}

/** Version of a provider's package that this project uses. */
function installedVersion(provider: string): string {
    const manifest = readFileSync(join(PROJECT, "node_modules", "@pulumi", provider, "package.json"), "utf8");
    return (JSON.parse(manifest) as PackageManifest).version;
}

/** Runs a program in a folder and returns its output. */
function run(folder: string, program: string, ...args: string[]): string {
    return finishedCommand(folder, program, args).stdout;
}
