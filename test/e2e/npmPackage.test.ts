import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parse } from "yaml";
import * as components from "../../components";
import { PROJECT } from "../../tools/paths";
import { makeCheckoutFolder, type CheckoutFolder } from "./harness/checkoutFolder";
import { DockerHost } from "./harness/dockerHost";
import { freeClusterName } from "./harness/freeResources";
import {
    expectServing,
    PACKAGE_PROGRAM,
    packageManifest,
    packPackage,
    PackageConsumer,
    type ModuleType,
    type PackedPackage,
} from "./harness/packageConsumer";
import { stackDefaults } from "./harness/stackDefaults";

describe("the npm package", () => {
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "package-"));
    const { name, peerDependencies, devDependencies } = packageManifest();
    const [range = "", newest = ""] = [peerDependencies["@pulumi/pulumi"], devDependencies["@pulumi/pulumi"]];
    const oldest = range.replace("^", "");
    const consumers: PackageConsumer[] = [];
    const clusterNames: string[] = [];
    let checkout: CheckoutFolder;
    let packed: PackedPackage;
    let resources: number | undefined;

    beforeAll(() => {
        checkout = makeCheckoutFolder();
        packed = packPackage(checkout.project, folder);
    }, 120_000);

    afterAll(async () => {
        await Promise.all(consumers.map((consumer) => consumer.remove()));
        for (const clusterName of clusterNames) {
            await host.removeEverythingOf(clusterName);
        }
        [folder, checkout.folder].forEach((path) => rmSync(path, { recursive: true, force: true }));
    }, 120_000);

    const installIn = (moduleType: ModuleType, pulumiVersion: string) => {
        const consumer = new PackageConsumer(moduleType, packed.file, pulumiVersion);
        consumers.push(consumer);
        consumer.write("index.ts", readFileSync(PACKAGE_PROGRAM, "utf8"));
        consumer.write("readme.ts", readmeProgram());
        consumer.install();
        return consumer;
    };
    const stackOf = async (consumer: PackageConsumer) => {
        const clusterName = await freeClusterName();
        clusterNames.push(clusterName);
        return { clusterName, stack: await consumer.stack(checkout.pulumiHome, await stackDefaults(clusterName)) };
    };

    test("contains the compiled components, and nothing that its users don't need", () => {
        const files = readdirSync(join(PROJECT, "components"), { recursive: true, encoding: "utf8" });
        const modules = files.filter((file) => file.endsWith(".ts")).map((file) => file.replace(/\.ts$/, ""));
        const scripts = files.filter((file) => /\.(sh|pl|lua)$/.test(file)).map((file) => `dist/${file}`);
        const compiled = modules.flatMap((module) => [".d.ts", ".js", ".js.map"].map((end) => `dist/${module}${end}`));
        const documents = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
        const plugin = [
            "bin/pulumi-resource-docker-object-store",
            ...["index.js", "index.js.map", ...scripts.map((file) => file.replace(/^.*(scripts\/[^/]+)$/, "$1"))].map(
                (file) => `dist/${file}`,
            ),
        ].map((file) => `plugin/${file}`);
        expect(scripts).not.toEqual([]);
        expect(packed.contents.sort()).toEqual([...documents, ...compiled, ...scripts, ...plugin].sort());
    });

    test("matches the commands and imports in docs/start/pulumi.md", () => {
        expect(readmeSection()).toContain(`npm install /path/to/${basename(packed.file)}`);
        const [, imported = "", source] = /import \{ (.*) \} from "(.*)"/.exec(readmeProgram()) ?? [];
        expect(source).toBe(name);
        expect(Object.keys(components)).toEqual(expect.arrayContaining(imported.split(", ")));
    });

    test("is not used by Pulumi as this project's program", () => {
        expect(parse(readFileSync(join(PROJECT, "Pulumi.yaml"), "utf8"))).toMatchObject({ main: "start.js" });
    });

    test("in CommonJS, with the oldest supported Pulumi: typed, one copy of Pulumi, a store that serves, and its removal", async () => {
        const consumer = installIn("commonjs", oldest);
        expect(consumer.copiesOf("@pulumi/pulumi")).toEqual([join(consumer.folder, "node_modules/@pulumi/pulumi")]);
        consumer.compile("--noEmit");
        consumer.compile("--noEmit", "--module", "node16", "--moduleResolution", "node16");

        const { clusterName, stack } = await stackOf(consumer);
        const { outputs, summary } = await stack.up();
        resources = summary.resourceChanges?.["create"];
        await expectServing(outputs);

        await stack.destroy();
        expect(await host.namesOf(clusterName)).toEqual([]);
    }, 240_000);

    test("in ES modules, with this project's Pulumi: typed, one copy of Pulumi, the same resources", async () => {
        const consumer = installIn("module", newest);
        expect(consumer.copiesOf("@pulumi/pulumi")).toEqual([join(consumer.folder, "node_modules/@pulumi/pulumi")]);
        consumer.compile("--noEmit", "--module", "esnext", "--moduleResolution", "bundler");
        consumer.compile();
        expect(consumer.namedExports()).toEqual(expect.arrayContaining(Object.keys(components)));

        const { stack } = await stackOf(consumer);
        const { changeSummary } = await stack.preview();
        expect(changeSummary).toEqual({ create: resources });
    }, 240_000);
});

/** The section about programs in TypeScript. */
function readmeSection(): string {
    const readme = readFileSync(join(PROJECT, "docs", "start", "pulumi.md"), "utf8");
    return readme.split("## TypeScript\n")[1]?.split("\n## ")[0] ?? "";
}

/** The program in that section. */
function readmeProgram(): string {
    return /```ts\n([^]*?)```/.exec(readmeSection())?.[1] ?? "";
}
