import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DOCUMENT, readResults, renderDocument } from "../contract/contractDocument";
import { rules } from "../contract/rules";
import { PROJECT } from "../../tools/paths";

test("docs/contract.md is what the rules and their results say", () => {
    const document = readFileSync(DOCUMENT, "utf8");
    expect(document).toBe(renderDocument(document, rules, readResults()));
});

test("every rule has an id of its own and a test that exists", () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    const missing = rules.filter(({ test }) => !existsSync(join(PROJECT, "test", "e2e", test.file)));
    expect(missing.map(({ id }) => id)).toEqual([]);
});

test("the test of every rule that can be broken was seen to fail", () => {
    const results = readResults();
    const unseen = rules.filter(
        ({ id, broken }) => !("notBroken" in broken) && results[id]?.outcome.startsWith("failed") !== true,
    );
    expect(unseen.map(({ id }) => id)).toEqual([]);
});
