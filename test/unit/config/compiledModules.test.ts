import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";

/** A program whose second line is lost by the compiler, so that its own lines differ from those of what runs. */
const PROGRAM = `
interface Lost { line: string }
class Named { constructor(readonly name: string) {} }
function fail(): never { throw new Error("a failure"); }
export = { name: new Named("first").name, fail };
`;

let folder: string;
let file: string;

beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "compiled-"));
    file = join(folder, "kept", "compiled.json");
    writeFileSync(join(folder, "program.ts"), PROGRAM);
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("compiled modules", () => {
    test("are kept, so that the next run doesn't need the compiler", () => {
        expect(run()).toEqual({ name: "first", compiler: true });
        expect(entries()).toBe(1);
        expect(run()).toEqual({ name: "first", compiler: false });
    });

    test("are compiled again right after their source has changed, and the old ones are dropped", () => {
        run();
        writeFileSync(join(folder, "program.ts"), PROGRAM.replace('"first"', '"second"'));
        expect(run()).toEqual({ name: "second", compiler: true });
        expect(entries()).toBe(1);
    });

    test.each(["null", "{", "[]", '{"other": {"code": "module.exports = {}"}}'])(
        "are compiled again if the file contains %s",
        (content) => {
            run();
            writeFileSync(file, content);
            expect(run()).toEqual({ name: "first", compiler: true });
            expect(run()).toEqual({ name: "first", compiler: false });
        },
    );

    test("work where nothing can be written", () => {
        writeFileSync(join(folder, "kept"), "a file in place of the folder");
        expect(run()).toEqual({ name: "first", compiler: true });
        expect(existsSync(file)).toBe(false);
    });

    test.each([
        ["Pulumi alone", ""],
        ["ts-node too, which Pulumi registers for TypeScript", "require('ts-node').register({ transpileOnly: true });"],
    ])("have stack traces with the lines of the source, with %s", (_, registration) => {
        for (const kept of [false, true]) {
            expect(existsSync(file)).toBe(kept);
            const { stack } = run(`require("source-map-support/register"); ${registration}`, "program.fail()");
            expect(stack).toMatch(/at .*fail .*program\.ts:4:32\)/);
        }
    });

    test("are what Pulumi runs, and npm run up too", () => {
        expect(readFileSync(join(PROJECT, "Pulumi.yaml"), "utf8")).toContain("\nmain: start.js\n");
    });
});

interface Outcome {
    name: string;
    compiler: boolean;
    stack?: string;
}

/** Runs the program in a process of its own, and returns what it exports and whether swc was loaded. */
function run(before = "", call = ""): Outcome {
    const script = `
        ${before}
        require(${JSON.stringify(join(PROJECT, "config", "compiledModules.js"))}).keepCompiledModules(${JSON.stringify(file)});
        const program = require(${JSON.stringify(join(folder, "program.ts"))});
        let stack;
        try { ${call} } catch (error) { stack = error.stack; }
        const compiler = Object.keys(require.cache).some((path) => /@swc\\/core\\/[^/]*\\.js$/.test(path));
        console.log(JSON.stringify({ name: program.name, compiler, stack }));
    `;
    return JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: PROJECT, encoding: "utf8" })) as Outcome;
}

function entries(): number {
    return Object.keys(JSON.parse(readFileSync(file, "utf8")) as object).length;
}
