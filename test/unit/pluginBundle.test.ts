import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { buildSync } from "esbuild";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundlePlugin, pluginSources } from "../../tools/pulumi/pluginBundle";
import { PROJECT } from "../../tools/paths";

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
});
