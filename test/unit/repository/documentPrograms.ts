import { join } from "node:path";
import ts from "typescript";
import { PROJECT } from "../../../tools/paths";

/**
 * The compiler's messages about TypeScript programs that import the package by its name. The package is the source in
 * `components/`.
 *
 * @param programs Their source texts, by their names in messages.
 */
export function compile(programs: Map<string, string>): string[] {
    const name = (JSON.parse(ts.sys.readFile(join(PROJECT, "package.json")) ?? "") as { name: string }).name;
    const { config } = ts.readConfigFile(join(PROJECT, "tsconfig.json"), (path) => ts.sys.readFile(path)) as {
        config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(
        // An example may end before it uses all of its variables.
        { ...config.compilerOptions, noUnusedLocals: false, paths: { [name]: ["./components/index.ts"] } },
        PROJECT,
    );
    const files = new Map([...programs].map(([title, text], index) => [join(PROJECT, `${index}.ts`), { title, text }]));
    const host = ts.createCompilerHost({ ...options, pathsBasePath: PROJECT });
    const disk = { ...host };
    host.getSourceFile = (file, ...more) => {
        const program = files.get(file);
        return program === undefined
            ? disk.getSourceFile(file, ...more)
            : ts.createSourceFile(file, program.text, ts.ScriptTarget.ES2022);
    };
    host.fileExists = (file) => files.has(file) || disk.fileExists(file);
    host.readFile = (file) => files.get(file)?.text ?? disk.readFile(file);
    const program = ts.createProgram([...files.keys()], { ...options, pathsBasePath: PROJECT }, host);
    return [...files].flatMap(([file, { title }]) => {
        const source = program.getSourceFile(file);
        return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
            ({ messageText }) => `${title}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
        );
    });
}
