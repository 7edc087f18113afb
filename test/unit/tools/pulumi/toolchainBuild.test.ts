import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildOtherLanguages } from "../../../../tools/pulumi/languageHosts";
import { buildFromModules, refuseOtherCli } from "../../../../tools/pulumi/toolchainBuild";
import { CLI_VERSION, plugins as allPlugins, type Missing } from "../../../../tools/pulumi/toolchainParts";
import { PROJECT } from "../../../../tools/paths";

const CLI_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";

let root: string;
let programs: string;
let commands: { program: string; args: string[]; env: NodeJS.ProcessEnv }[];

beforeEach(() => {
    jest.spyOn(console, "log").mockImplementation(() => undefined);
    root = mkdtempSync(join(tmpdir(), "toolchain-"));
    programs = join(root, "programs");
    mkdirSync(programs);
    commands = [];
});

afterEach(() => {
    jest.restoreAllMocks();
    rmSync(root, { recursive: true });
});

describe("from Go modules", () => {
    test("npm run up builds only what its program needs, the CLI and the plugins in one command", async () => {
        await build({ cli: true, plugins: allPlugins() });
        expect(built()).toEqual([[CLI_PACKAGE, "./cmd/pulumi-resource"], ["./nodejs/cmd/pulumi-language-nodejs"]]);
        expect(readdirSync(programs).sort()).toEqual(["pulumi", "pulumi-language-nodejs"]);
    });

    test("only missing parts are built", async () => {
        await build({ cli: true, plugins: [] });
        expect(built()).toEqual([[CLI_PACKAGE], ["./nodejs/cmd/pulumi-language-nodejs"]]);
        commands = [];
        await build({ cli: false, plugins: allPlugins().slice(0, 1) });
        expect(built()).toEqual([["./cmd/pulumi-resource"]]);
    });

    test("each plugin is installed from a folder that contains its program and its schema", async () => {
        await build({ cli: true, plugins: allPlugins() });
        const installed = commands.filter(({ args }) => args[0] === "plugin").map(({ args }) => args.slice(0, 5));
        expect(installed).toEqual(
            allPlugins().map(({ name, version }) => ["plugin", "install", "resource", name, version]),
        );
        expect(pluginFolders).toEqual(
            allPlugins().map(({ name }) => ["bridge-metadata.json", `pulumi-resource-${name}`, "schema.json"]),
        );
    });

    test("the plugins' program is built without Kubernetes, and knows the versions that package.json pins", async () => {
        await build({ cli: true, plugins: allPlugins() });
        expect(kubernetes).toEqual(["kubernetes.go", "util"]);
        const [version] = allPlugins().map(({ version }) => version);
        const flags = commands.find(({ args }) => args.includes(CLI_PACKAGE))?.args.join(" ");
        expect(flags).toContain(`-X programs/info.DockerVersion=${version}`);
    });

    test("npm run prepare-tests -- --full and npm run release build the hosts of other languages", async () => {
        await buildOtherLanguages({ run, programs });
        expect(built().flat()).toEqual([
            "./cmd/pulumi-language-yaml",
            "./cmd/pulumi-language-host",
            "./python/cmd/pulumi-language-python",
            "./go/pulumi-language-go",
        ]);
        expect(existsSync(join(programs, "pulumi-language-go"))).toBe(true);
    });

    test("the CLI is the version of the npm package", () => {
        const requirements = readFileSync(join(PROJECT, "tools", "toolchain", "programs", "go.mod"), "utf8");
        for (const module of ["pkg", "sdk"]) {
            expect(requirements).toContain(`\tgithub.com/pulumi/pulumi/${module}/v3 v${CLI_VERSION}`);
        }
    });

    test("no other version of the CLI is built under its name", () => {
        const requirements = "require (\n\tgithub.com/pulumi/pulumi/pkg/v3 v3.259.0\n)";
        refuseOtherCli(requirements, "3.259.0");
        expect(() => refuseOtherCli(requirements, "3.265.0")).toThrow(
            "requires the CLI 3.259.0, and package.json pins 3.265.0",
        );
    });

    test("no other command does", () => {
        const folders = ["tools/commands", "tools/maintain/commands", "test/setup"];
        const files = folders.flatMap((folder) => readdirSync(join(PROJECT, folder)).map((file) => join(folder, file)));
        const users = files.filter((file) =>
            readFileSync(join(PROJECT, file), "utf8").includes("prepareOtherLanguages"),
        );
        expect(users.sort()).toEqual(["test/setup/prepareTests.ts", "tools/maintain/commands/release.ts"]);
    });

    test("all builds share the packages in Go's cache: they are without C", async () => {
        await build({ cli: true, plugins: allPlugins() });
        for (const { env } of commands.filter(({ program, args }) => program === "go" && args[0] === "build")) {
            expect(env["CGO_ENABLED"]).toBe("0");
        }
    });
});

let kubernetes: string[];
let pluginFolders: string[][];

async function build(missing: Missing): Promise<void> {
    pluginFolders = [];
    await buildFromModules(missing, { run, programs });
}

/** Packages of each `go build`. */
function built(): string[][] {
    return commands
        .filter(({ program, args }) => program === "go" && args[0] === "build")
        .map(({ args }) => args.slice(args.indexOf("-o") + 2));
}

/** Does what the programs would do to files. */
function run(
    program: string,
    args: string[],
    { cwd = "", env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
    commands.push({ program, args, env });
    if (program === "go" && args[1] === "download") {
        return Promise.resolve(JSON.stringify({ Dir: moduleFolder(String(args.at(-1))) }));
    }
    if (program === "go" && args[0] === "build") {
        const index = args.indexOf("-o") + 1;
        const target = String(args[index]);
        const names = target.endsWith("/")
            ? args.slice(index + 1).map((name) => join(target, name.split("/").at(-1) ?? ""))
            : [target];
        names.forEach((name) => writeFileSync(name, "a program"));
        const driver = join(dirname(cwd), "buildx", "driver", "kubernetes");
        kubernetes = existsSync(driver) ? readdirSync(driver) : [];
    }
    const folder = String(args.at(-1));
    if (args[0] === "schema") {
        mkdirSync(folder);
        for (const name of ["schema.json", "bridge-metadata.json", "Pulumi.yaml"]) {
            writeFileSync(join(folder, name), "{}");
        }
    }
    if (args[0] === "plugin") {
        pluginFolders.push(readdirSync(folder).sort());
    }
    return Promise.resolve("");
}

/** A module with the files that builds change or copy. */
function moduleFolder(name: string): string {
    const folder = mkdtempSync(join(root, "module-"));
    if (name.includes("/buildx@")) {
        writeFile(join(folder, "driver", "kubernetes", "driver.go"));
        writeFile(join(folder, "driver", "kubernetes", "util", "name.go"));
    }
    if (name.includes("/sdk/v3@")) {
        cpSync(
            join(PROJECT, "tools", "toolchain", "nodejsHost"),
            join(folder, "nodejs", "cmd", "pulumi-language-nodejs"),
            {
                recursive: true,
            },
        );
        writeFile(join(folder, "nodejs", "cmd", "pulumi-language-nodejs", "main.go"));
        writeFile(join(folder, "python", "cmd", "pulumi-language-python-exec"));
    }
    return folder;
}

function writeFile(file: string): void {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
}
