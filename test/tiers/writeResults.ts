import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import { type CommandDefinition, startIfMain } from "../../tools/cli/command";
import { StepError } from "../../tools/cli/step";
import { withGeneratedPart } from "../../tools/maintain/docs/generatedPart";
import { PROJECT } from "../../tools/paths";
import { newestOf, resultsIn, type SuiteResult, tableOf } from "./results";
import { allSuites } from "./tiers";

const RESULTS = join(PROJECT, "test", "results");

/** The newest result of each suite, which git keeps. */
const LATEST = join(RESULTS, "latest.json");

/** The document with their table. */
const DOCUMENT = join(PROJECT, "docs", "contributing", "results.md");

const results: CommandDefinition = {
    name: "results",
    summary: "Takes the results of npm run test:all, and writes their table to the documents.",
    options: [
        new Option("--check", "Writes nothing: fails if the table isn't that of the committed results.").default(false),
    ],
    examples: [["", "writes test/results/latest.json and the table, to be committed"]],
    run: async ({ check }: { check: boolean }) => {
        if (check) {
            return checkDocument();
        }
        const newest = newestOf(allSuites(), [...keptResults(), ...recordedResults()]);
        writeFileSync(LATEST, `${JSON.stringify(newest, null, 2)}\n`);
        writeFileSync(DOCUMENT, await documentWith(newest));
        return 0;
    },
};

startIfMain(module, results);

async function checkDocument(): Promise<number> {
    if ((await documentWith(keptResults())) === readFileSync(DOCUMENT, "utf8")) {
        return 0;
    }
    throw new StepError(
        `the table in ${DOCUMENT} isn't that of ${LATEST} and the tiers: run npm run results, and commit it`,
    );
}

/** The results in the committed file. */
function keptResults(): SuiteResult[] {
    return JSON.parse(readFileSync(LATEST, "utf8")) as SuiteResult[];
}

/** The document, with the table of these results. */
function documentWith(newest: readonly SuiteResult[]): Promise<string> {
    return withGeneratedPart(readFileSync(DOCUMENT, "utf8"), "suites", tableOf(allSuites(), newest), "npm run results");
}

function recordedResults(): SuiteResult[] {
    return readdirSync(RESULTS)
        .filter((file) => file.endsWith(".jsonl"))
        .flatMap((file) => resultsIn(readFileSync(join(RESULTS, file), "utf8")));
}
