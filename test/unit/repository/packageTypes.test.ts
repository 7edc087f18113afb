import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { PROJECT } from "../../../tools/paths";

/** Declarations of the package's files, by their paths without extension. */
function declarations(): Map<string, string> {
    const read = (path: string) => readFileSync(path, "utf8");
    const { config } = ts.readConfigFile(join(PROJECT, "tsconfig.json"), read) as {
        config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(
        { ...config.compilerOptions, noEmit: false, declaration: true, emitDeclarationOnly: true, types: ["node"] },
        PROJECT,
    );
    const written = new Map<string, string>();
    const program = ts.createProgram([join(PROJECT, "components", "index.ts")], options);
    program.emit(undefined, (path, text) => written.set(path.replace(/\.d\.ts$/, ""), text));
    return written;
}

test("the types of the package need no types that its users don't have", () => {
    const written = declarations();
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
        [kind: string]: { [name: string]: string };
    };
    // Its types are in a package of their own, which users don't have.
    const known = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => name !== "dockerode");
    const reached = [join(PROJECT, "components", "index")];
    const foreign: string[] = [];
    for (const path of reached) {
        const { importedFiles } = ts.preProcessFile(written.get(path) ?? "");
        for (const { fileName: name } of importedFiles) {
            const target = join(dirname(path), name);
            if (name.startsWith(".") && !reached.includes(target)) {
                reached.push(target);
            } else if (!name.startsWith(".") && !known.includes(name)) {
                foreign.push(`${path} imports ${name}`);
            }
        }
    }
    expect(reached.length).toBeGreaterThan(20);
    expect(foreign.filter((line) => !line.includes(" imports node:"))).toEqual([]);
}, 120_000);
