import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT, readResults, renderDocument, sourcesOf, withSuites } from "../../contract/contractDocument";
import { verdictOf } from "../../contract/outcome";
import { NOT_BROKEN } from "../../contract/rule";
import { rules } from "../../contract/rules";
import { PROJECT } from "../../../tools/paths";

test("docs/contributing/contract.md matches the rules and their results", () => {
    const document = readFileSync(DOCUMENT, "utf8");
    expect(document).toBe(renderDocument(document, rules, readResults()));
});

test("every rule has a unique id and an existing test", () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    const missing = rules.filter(({ test }) => !existsSync(join(PROJECT, "test", "e2e", test.file)));
    expect(missing.map(({ id }) => id)).toEqual([]);
});

test("the test of every rule exists in its file or in the file's suite", () => {
    const lost = rules.filter(({ test: { file, name } }) => {
        const texts = withSuites(join(PROJECT, "test", "e2e", file)).map((path) => readFileSync(path, "utf8"));
        const literals = [/"([^"\n]*)"/g, /'([^'\n]*)'/g, /`([^`\n]*)`/g].flatMap((quoted) =>
            texts.flatMap((text) => [...text.matchAll(quoted)].map(([, literal = ""]) => literal)),
        );
        // A title may have parameters: %s, $name or ${name}.
        const titles = literals.filter((literal) => /\w{3} ./.test(literal));
        const isTitle = (title: string) =>
            new RegExp(
                `(^| )${title
                    .split(/%[sd]|\$\{[^}]*\}|\$\w+/)
                    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
                    .join(".*")}$`,
            ).test(name);
        // Some titles are nothing but a parameter: then that of their group has to be there.
        const isGroup = (title: string) =>
            literals.includes("%s") && name.includes(` ${title} `) && !name.startsWith(title);
        return !titles.some((title) => isTitle(title) || isGroup(title));
    });
    expect(lost.map(({ id, test: { file, name } }) => `${id}: ${file}: ${name}`)).toEqual([]);
});

test("every rule is implemented where it says", () => {
    const lost = rules.filter(({ where }) => {
        const [, file = "", name = ""] = /^`([^`]+)`, (.+)$/.exec(where) ?? [];
        const path = join(PROJECT, file);
        return where !== "the store" && !(file !== "" && existsSync(path) && readFileSync(path, "utf8").includes(name));
    });
    expect(lost.map(({ id, where }) => `${id}: ${where}`)).toEqual([]);
});

test("the test of every rule that can be broken has failed with the broken rule", () => {
    const results = readResults();
    const unseen = rules.filter(
        ({ id, broken }) => !("notBroken" in broken) && results[id]?.outcome.startsWith("failed") !== true,
    );
    expect(unseen.map(({ id }) => id)).toEqual([]);
});

test("each result states why the test failed", () => {
    const unexplained = Object.entries(readResults()).filter(([, { reason }]) => reason === "");
    expect(unexplained.map(([id]) => id)).toEqual([]);
});

test("a result is out of date once its rule has another test, or is broken in another way", () => {
    const [rule] = rules.filter(({ broken }) => !("notBroken" in broken));
    if (rule === undefined || "notBroken" in rule.broken) {
        throw new Error("no rule can be broken");
    }
    const sources = sourcesOf(rule);
    expect(sources).toMatch(/^[0-9a-f]{12}$/);
    expect(sourcesOf({ ...rule, test: { ...rule.test, name: "another" } })).not.toBe(sources);
    expect(sourcesOf({ ...rule, test: { ...rule.test, file: "another.test.ts" } })).not.toBe(sources);
    expect(sourcesOf({ ...rule, where: "`README.md`, elsewhere" })).not.toBe(sources);
    expect(sourcesOf({ ...rule, broken: { ...rule.broken, change: "something else" } })).not.toBe(sources);
});

describe("the verdict about a broken rule", () => {
    const failed = (reason: string) => verdictOf([{ status: "failed", reason }]);

    test("is its test's failure, without colours, stack and what differs from run to run", () => {
        const reason = [
            "Error: \u001b[2mexpect(\u001b[22mreceived).toBe(expected)",
            "",
            'Expected: 301 with "PP3N6VIGF6OMOO1PGOGV"',
            "Received: 200 from e2e-f165e8-4c4bc3-proxy after 1234 ms",
            "    at Object.<anonymous> (/somewhere/proxy.test.ts:1:2)",
        ].join("\n");
        expect(failed(reason)).toEqual({
            outcome: "failed",
            reason: 'Error: expect(received).toBe(expected) Expected: 301 with "…" Received: 200 from e2e-…-proxy after … ms',
        });
    });

    test("is the refusal of the update", () => {
        const reason = [
            "CommandError: code: 255",
            "stdout: Updating (test)",
            "    error: update failed",
            "    error: store-node1 isn't healthy after 60 s",
        ].join("\n");
        expect(failed(reason)).toEqual({
            outcome: "failed, not deployable",
            reason: "error: store-node1 isn't healthy after … s",
        });
    });

    test("is negative if the rule isn't broken: its break no longer matches the sources", () => {
        const reason = `CommandError: code: 255\n    error: Error: ${NOT_BROKEN} haproxy.cfg has no line /fall 3/\n    at edit`;
        expect(failed(reason)).toEqual({
            outcome: "was not run, the rule is not broken",
            reason: "haproxy.cfg has no line /fall 3/",
        });
    });

    test("is negative if the test passed, or did not run", () => {
        expect(verdictOf([{ status: "passed", reason: "" }]).outcome).toBe("passed");
        expect(verdictOf([]).outcome).toBe("was not found");
    });
});
