import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { parse } from "yaml";
import { PROMISES } from "../../promises";
import { commandOf } from "../../tiers/commandOf";
import { PROJECT } from "../../../tools/paths";

const proofs = PROMISES.flatMap(({ tests }) => tests);

/** Titles by file, of itself and of the suites that it imports. */
const known = new Map<string, string[]>();

/** Titles of the tests that a file has or runs, and of the cases in the data beside it. */
function titlesIn(file: string): string[] {
    const before = known.get(file);
    if (before !== undefined) {
        return before;
    }
    const titles: string[] = [];
    known.set(file, titles);
    const text = readFileSync(file, "utf8");
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022);
    const visit = (node: ts.Node): void => {
        if (
            ts.isCallExpression(node) &&
            /^(describe|test|asRoot)\b(?!\.(skip|todo))/.test(node.expression.getText(source))
        ) {
            const [title] = node.arguments;
            if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))) {
                titles.push(ts.isStringLiteralLike(title) ? title.text : title.getText(source));
            }
        }
        ts.forEachChild(node, visit);
    };
    if (/\b(describe|test|asRoot)[.(]/.test(text)) {
        visit(source);
    }
    const imported = ts
        .preProcessFile(text)
        .importedFiles.map(({ fileName }) => join(dirname(file), `${fileName}.ts`))
        .filter((path) => path.startsWith(join(PROJECT, "test", "e2e")) && existsSync(path));
    titles.push(...imported.flatMap(titlesIn), ...casesBeside(file));
    return titles;
}

/** Titles of cases in a folder beside a test that has its name. */
function casesBeside(file: string): string[] {
    const folder = file.replace(/\.test\.ts$/, "");
    const found = folder !== file && existsSync(folder) ? readdirSync(folder) : [];
    return found
        .filter((name) => name.endsWith(".yaml"))
        .map((name) => parse(readFileSync(join(folder, name), "utf8"), { merge: true }) as unknown)
        .flatMap((cases) => (Array.isArray(cases) ? (cases as { title: string }[]).map(({ title }) => title) : []));
}

test("there are promises of all groups, each once, as one short sentence or two", () => {
    expect(PROMISES.length).toBeGreaterThan(100);
    expect(new Set(PROMISES.map(({ promise }) => promise)).size).toBe(PROMISES.length);
    const long = PROMISES.filter(({ promise }) => promise.split(" ").length > 20 || !promise.endsWith("."));
    expect(long.map(({ promise }) => promise)).toEqual([]);
});

test("no promise is without a test", () => {
    expect(PROMISES.filter(({ tests }) => tests.length === 0).map(({ promise }) => promise)).toEqual([]);
});

test("each test exists", () => {
    const lost = proofs.filter(({ file, name }) => {
        const path = join(PROJECT, file);
        return !existsSync(path) || !titlesIn(path).some((title) => title.includes(name));
    });
    expect(lost.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test("each test is run by a command", () => {
    expect(proofs.filter(({ file }) => commandOf(file) === undefined).map(({ file }) => file)).toEqual([]);
    expect(commandOf("test/unit/repository/promises.test.ts")).toBe("npm test");
    expect(commandOf("test/e2e/chaos/faultsMinio.test.ts")).toBe("npm run test:chaos");
    expect(commandOf("test/e2e/full/rustfs.test.ts")).toBe("npm run test:full");
    expect(commandOf("test/e2e/versions/package.test.ts")).toBe("npm run test:versions");
    expect(commandOf("test/e2e/suites/oneNode.ts")).toBeUndefined();
});
