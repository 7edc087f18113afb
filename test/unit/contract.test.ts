import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT, readResults, renderDocument } from "../contract/contractDocument";
import { rules } from "../contract/rules";
import { PROJECT } from "../../tools/paths";

test("docs/contract.md matches the rules and their results", () => {
    const document = readFileSync(DOCUMENT, "utf8");
    expect(document).toBe(renderDocument(document, rules, readResults()));
});

test("every rule has a unique id and an existing test", () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    const missing = rules.filter(({ test }) => !existsSync(join(PROJECT, "test", "e2e", test.file)));
    expect(missing.map(({ id }) => id)).toEqual([]);
});

test("the test of every rule that can be broken has failed with the broken rule", () => {
    const results = readResults();
    const unseen = rules.filter(
        ({ id, broken }) => !("notBroken" in broken) && results[id]?.outcome.startsWith("failed") !== true,
    );
    expect(unseen.map(({ id }) => id)).toEqual([]);
});
