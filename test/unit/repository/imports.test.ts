import { buildSync } from "esbuild";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { PROJECT } from "../../../tools/paths";

/** Files that each source file imports, by paths. */
function importsOf(folders: string[]): Map<string, string[]> {
    const files = folders.flatMap((folder) =>
        readdirSync(join(PROJECT, folder), { recursive: true, encoding: "utf8" })
            .filter((file) => file.endsWith(".ts"))
            .map((file) => join(PROJECT, folder, file)),
    );
    return new Map(
        files.map((file) => {
            const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"));
            const paths = importedFiles
                .filter(({ fileName }) => fileName.startsWith("."))
                .map(({ fileName }) => join(dirname(file), fileName));
            return [file, paths.flatMap((path) => [`${path}.ts`, join(path, "index.ts")].filter(existsSync))];
        }),
    );
}

test("no files import each other, directly or indirectly", () => {
    const imports = importsOf(["components", "config", "migration", "tools", "test/tiers"]);
    expect(imports.size).toBeGreaterThan(100);
    // A file that only imports files without a cycle is in no cycle.
    const free = new Set<string>();
    for (let before = -1; before !== free.size;) {
        before = free.size;
        imports.forEach((imported, file) => {
            if (imported.every((other) => free.has(other) || !imports.has(other))) {
                free.add(file);
            }
        });
    }
    expect([...imports.keys()].filter((file) => !free.has(file))).toEqual([]);
});

/** Commands for developers that need the components themselves. */
const WITH_COMPONENTS = ["schema.ts", "docs.ts"];

const COMMANDS = ["tools/commands", "tools/maintain/commands"].flatMap((folder) =>
    readdirSync(join(PROJECT, folder))
        .filter((file) => !WITH_COMPONENTS.includes(file))
        .map((file) => `${folder}/${file}`),
);

test.each(COMMANDS)("%s doesn't load Pulumi's packages, which takes longer than the rest of its start", (command) => {
    const { metafile } = buildSync({
        entryPoints: [join(PROJECT, command)],
        bundle: true,
        platform: "node",
        packages: "external",
        metafile: true,
        write: false,
    });
    const loading = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
        imports
            .filter(({ path, kind }) => path.startsWith("@pulumi/") && kind !== "dynamic-import")
            .map(({ path }) => `${file} imports ${path}`),
    );
    expect(loading).toEqual([]);
});

test("no source has the name of data beside it: which of them an import without an ending loads depends on what loads it", () => {
    const names = ["components", "config", "migration", "plugin", "tools"].flatMap((folder) =>
        readdirSync(join(PROJECT, folder), { recursive: true, encoding: "utf8" })
            .filter((file) => /\.(ts|json)$/.test(file) && !/node_modules|dist/.test(file))
            .map((file) => join(folder, file.replace(/(\.d)?\.\w+$/, ""))),
    );
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
