import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { run } from "../../machine/run";
import { CLI_FOLDER } from "../../pulumi/toolchainParts";

/** What is installed in projects outside of the checkout. */
export interface Release {
    /** The package's tarball. */
    tarball: string;
    /** Clone of the release's tag. */
    tagged: string;
    /** Folder for the projects. */
    folder: string;
    /** Whether a Docker engine answers, so that the programs can be previewed. */
    engine: boolean;
}

/** A project that uses the package as users of a language do. */
interface Consumer {
    language: string;
    /** Folder of the example that it is a copy of. */
    example: string;
    /** File of a program among the schema's examples. */
    file: string;
    /** Commands that check the program and these examples. */
    check: (release: Release) => string[];
}

/** Folder in each project for the schema's examples. */
const EXAMPLES_FOLDER = "schema-examples";

/** Consumers in each language. */
export const CONSUMERS: readonly Consumer[] = [
    {
        language: "TypeScript",
        example: "single-node",
        file: "index.ts",
        check: () => [
            "npx tsc",
            `npx tsc --noEmit --strict --target ES2022 --module node16 --moduleResolution node16 --skipLibCheck ${EXAMPLES_FOLDER}/*/index.ts`,
            `node --eval 'require("pulumi-docker-object-store").ObjectStore.name'`,
            `node --input-type=module --eval 'import { ObjectStore } from "pulumi-docker-object-store"; ObjectStore.name'`,
        ],
    },
    {
        language: "Python",
        example: "python",
        file: "__main__.py",
        check: ({ tagged }) => [
            `venv/bin/python ${join(tagged, "tools", "maintain", "release", "runExamples.py")} ${EXAMPLES_FOLDER}/*/__main__.py`,
        ],
    },
    { language: "Go", example: "go", file: "main.go", check: () => ["go vet ./..."] },
    // Its examples have no compiler: a unit test compares them with the schema.
    { language: "YAML", example: "yaml", file: "Pulumi.yaml", check: () => [] },
];

/**
 * Makes a consumer outside of the checkout, by the commands of its example's README, and checks it; previews its program
 * if an engine answers.
 *
 * @throws {RunError} with the last lines of the command that failed.
 */
export async function tryConsumer(consumer: Consumer, release: Release): Promise<void> {
    const { language, example, file, check } = consumer;
    const folder = join(release.folder, language.toLowerCase());
    const source = join(release.tagged, "examples", example);
    cpSync(source, folder, { recursive: true });
    cpSync(release.tarball, join(release.folder, release.tarball.split("/").at(-1) ?? ""));
    const components = join(release.tagged, "plugin", "examples");
    for (const component of readdirSync(components)) {
        const target = join(folder, EXAMPLES_FOLDER, component);
        mkdirSync(target, { recursive: true });
        cpSync(join(components, component, file), join(target, file));
    }
    const plugin = join(release.tagged, "plugin");
    const project = join(folder, "Pulumi.yaml");
    writeFileSync(project, readFileSync(project, "utf8").replaceAll("../../plugin", plugin));
    const [setUp, preview] = commandsOf(readFileSync(join(source, "README.md"), "utf8"), plugin);
    const environment = environmentOf(release.folder);
    const shell = (commands: string[]) =>
        run("bash", ["-e", "-o", "pipefail", "-c", commands.join("\n")], { cwd: folder, env: environment });
    await shell(setUp);
    await shell(check(release));
    if (release.engine) {
        const [httpPort, httpsPort] = [await freePort(), await freePort()];
        const config = [`pulumi config set httpPort ${httpPort}`, `pulumi config set httpsPort ${httpsPort}`];
        const [stack = "", ...rest] = preview;
        await shell([stack, ...config, ...rest]);
    }
}

/**
 * The commands of an example's README, with the folder of the component package, in two parts: those that install, and
 * those that make a stack and preview it.
 */
export function commandsOf(readme: string, plugin: string): [setUp: string[], preview: string[]] {
    const [, block = ""] = /^```sh\n([^]*?)^```$/m.exec(readme) ?? [];
    const commands = block
        .trimEnd()
        .split("\n")
        .map((command) => command.replace("../../plugin", plugin).replace("pulumi up", "pulumi preview"));
    const first = commands.findIndex((command) => command.startsWith("pulumi stack init"));
    if (first === -1 || commands.at(-1) !== "pulumi preview") {
        throw new Error(`an example's README has no commands that end with pulumi stack init and pulumi up:\n${block}`);
    }
    return [commands.slice(0, first), commands.slice(first)];
}

/** Environment of a user with Pulumi on PATH and a backend of files in this folder. */
function environmentOf(folder: string): NodeJS.ProcessEnv {
    const state = join(folder, "state");
    mkdirSync(state, { recursive: true });
    return {
        ...process.env,
        PATH: [CLI_FOLDER, process.env["PATH"]].join(delimiter),
        PULUMI_BACKEND_URL: `file://${state}`,
        PULUMI_CONFIG_PASSPHRASE: "a passphrase for previews",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_SKIP_CONFIRMATIONS: "true",
        npm_config_prefer_offline: "true",
        npm_config_audit: "false",
        npm_config_fund: "false",
    };
}

function freePort(): Promise<number> {
    return new Promise((resolve, reject) => {
        const server = createServer().once("error", reject);
        server.listen(0, "127.0.0.1", () => {
            const { port } = server.address() as AddressInfo;
            server.close(() => resolve(port));
        });
    });
}
