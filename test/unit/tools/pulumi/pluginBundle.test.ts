import { spawnSync } from "node:child_process";
import {
    cpSync,
    existsSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    symlinkSync,
    mkdtempSync,
    rmSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import { buildSync } from "esbuild";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundlePlugin, bundlePluginIfPossible, pluginSources } from "../../../../tools/pulumi/pluginBundle";
import { PROJECT } from "../../../../tools/paths";

describe("the bundle of the project's own plugin", () => {
    const project = mkdtempSync(join(tmpdir(), "plugin-bundle-"));
    const bundle = join(project, "plugin", "dist", "index.js");
    const source = join(project, "components", "naming", "labels.ts");
    const changed = (file: string, seconds: number) => utimesSync(file, seconds, seconds);

    beforeAll(() => {
        for (const folder of ["components/naming", "plugin/resources"]) {
            mkdirSync(join(project, folder), { recursive: true });
        }
        writeFileSync(source, "");
        const write = 'const fs = require("node:fs"); fs.mkdirSync(__dirname + "/dist", { recursive: true });';
        writeFileSync(
            join(project, "plugin", "bundle.js"),
            `${write} fs.writeFileSync(__dirname + "/dist/index.js", "");`,
        );
    });

    afterAll(() => rmSync(project, { recursive: true }));

    test("has no source that isn't looked at", () => {
        const { metafile } = buildSync({
            absWorkingDir: PROJECT,
            entryPoints: ["plugin/index.ts"],
            bundle: true,
            packages: "external",
            platform: "node",
            outdir: "plugin/dist",
            write: false,
            metafile: true,
        });
        expect(Object.keys(metafile.inputs).length).toBeGreaterThan(50);
        expect(pluginSources()).toEqual(expect.arrayContaining(Object.keys(metafile.inputs)));
        expect(pluginSources()).toContain("plugin/bundle.js");
        expect(pluginSources().filter((file) => file.startsWith("plugin/dist"))).toEqual([]);
    });

    test("is made where there is none", () => {
        expect(bundlePlugin(project)).toBe(true);
        expect(existsSync(bundle)).toBe(true);
    });

    test("stays while it is newer than its sources, and is made again after a change of one", () => {
        const now = Date.now() / 1000;
        changed(bundle, now + 10);
        expect(bundlePlugin(project)).toBe(false);
        changed(source, now + 20);
        expect(bundlePlugin(project)).toBe(true);
    });

    test("that fails stops no command while there is an earlier one", () => {
        const complaint = jest.spyOn(console, "error").mockImplementation(() => undefined);
        writeFileSync(join(project, "plugin", "bundle.js"), "process.exit(1);");
        changed(source, Date.now() / 1000 + 30);
        expect(() => bundlePlugin(project)).toThrow("correct the cause that it names");
        bundlePluginIfPossible(project);
        expect(complaint.mock.calls.flat().join()).toContain("the earlier bundle is used");
        rmSync(bundle);
        expect(() => bundlePluginIfPossible(project)).toThrow("correct the cause that it names");
        complaint.mockRestore();
    });
});

test("a bundle that breaks off leaves the earlier one as it is, and nothing beside it", () => {
    const project = mkdtempSync(join(tmpdir(), "broken-bundle-"));
    const plugin = join(project, "plugin");
    mkdirSync(join(plugin, "dist"), { recursive: true });
    mkdirSync(join(project, "tools", "maintain"), { recursive: true });
    mkdirSync(join(project, "components"));
    symlinkSync(join(PROJECT, "node_modules"), join(project, "node_modules"));
    cpSync(join(PROJECT, "plugin", "bundle.js"), join(plugin, "bundle.js"));
    writeFileSync(join(plugin, "dist", "index.js"), "earlier");
    writeFileSync(join(plugin, "index.ts"), "export const one = 1;");
    const run = () => spawnSync(process.execPath, [join(plugin, "bundle.js")], { stdio: "ignore" }).status;
    // On a full disk.
    writeFileSync(
        join(project, "tools", "maintain", "copyScripts.js"),
        'exports.copyScripts = () => { throw new Error("ENOSPC"); };',
    );
    expect(run()).not.toBe(0);
    expect(readFileSync(join(plugin, "dist", "index.js"), "utf8")).toBe("earlier");
    cpSync(join(PROJECT, "tools", "maintain", "copyScripts.js"), join(project, "tools", "maintain", "copyScripts.js"));
    expect(run()).toBe(0);
    expect(readFileSync(join(plugin, "dist", "index.js"), "utf8")).toContain("one");
    expect(readdirSync(plugin).sort()).toEqual(["bundle.js", "dist", "index.ts"]);
    rmSync(project, { recursive: true });
});
