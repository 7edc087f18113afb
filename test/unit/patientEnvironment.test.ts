import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../tools/paths";

const TESTS = `
const pass = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
beforeAll(() => pass(1000), 500);
test("slow", () => pass(1000), 500);
test("slow as well", () => pass(1000), 500);
test("hung", () => new Promise(() => undefined), 50);
`;

/** What Jest makes of each test, in the environment of the end-to-end suites. */
function runIn(variables: { [name: string]: string | undefined }): { [test: string]: string } {
    const folder = mkdtempSync(join(tmpdir(), "patience-"));
    try {
        const environment = join(PROJECT, "test", "e2e", "harness", "patientEnvironment.js");
        writeFileSync(join(folder, "jest.config.json"), JSON.stringify({ testEnvironment: environment }));
        writeFileSync(join(folder, "slow.test.js"), TESTS);
        const outcomes = join(folder, "outcomes.json");
        const jest = join(PROJECT, "node_modules", ".bin", "jest");
        const env = { ...process.env, ...variables };
        spawnSync(jest, ["--rootDir", folder, "--json", "--outputFile", outcomes], { cwd: folder, env });
        const { testResults } = JSON.parse(readFileSync(outcomes, "utf8")) as {
            testResults: { assertionResults: { fullName: string; status: string }[] }[];
        };
        const results = testResults.flatMap(({ assertionResults }) => assertionResults);
        return Object.fromEntries(results.map(({ fullName, status }) => [fullName, status]));
    } finally {
        rmSync(folder, { recursive: true });
    }
}

describe("the limits of end-to-end tests", () => {
    test("are those of an idle machine: on a busy one, tests and hooks get a multiple, and what hangs is ended", () => {
        const expected = { slow: "passed", "slow as well": "passed", hung: "failed" };
        expect(runIn({ OBJECT_STORE_BROKEN_RULE: undefined })).toEqual(expected);
    });

    test("are what they say where a rule is broken on purpose", () => {
        const expected = { slow: "failed", "slow as well": "failed", hung: "failed" };
        expect(runIn({ OBJECT_STORE_BROKEN_RULE: "1.1" })).toEqual(expected);
    });
});
