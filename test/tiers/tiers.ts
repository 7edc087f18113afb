import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../tools/paths";
import data from "./tiers.json";

/** A set of test files that run in one way: a project of Jest. */
export interface TestProject {
    name: string;
    /** The tier that its files belong to. */
    tier: string;
    /** Options of `npm run prepare-tests` that its files need. Default: none. */
    prepare?: string[];
    /** Whether each file has the machine for itself, as what counts failed requests must. Default: false. */
    alone?: boolean;
    /** Whether its files have passed in CI many times, so that CI runs a part of them each time. Default: false. */
    steady?: boolean;
    /** The command below that runs its files in its own way. Default: Jest alone does. */
    ranBy?: string;
    /** Files of other projects that run in this one as well, in another way. */
    repeats?: string[];
    /** Names below `test/e2e`, without `.test.ts`. They begin in this order, so the longest ones are first where that is known. */
    files: string[];
}

/** Tests that aren't one file: a command runs them. */
export interface TestCommand {
    name: string;
    tier: string;
    command: string[];
}

/** What `npm run test:all` runs and records at once: a test file, or a command. */
export interface Suite {
    name: string;
    tier: string;
    /** Program and arguments. */
    command: string[];
    prepare: string[];
    alone: boolean;
}

/** All projects of Jest with end-to-end tests, from the data that jest.config.js reads too. */
export const TEST_PROJECTS: readonly TestProject[] = data.projects;

/** All commands with tests. */
export const TEST_COMMANDS: readonly TestCommand[] = data.commands;

/** Names of all tiers, in the order in which they run. */
export const TIERS: readonly string[] = [...new Set([...TEST_COMMANDS, ...TEST_PROJECTS].map(({ tier }) => tier))].sort(
    (one, other) => orderOf(one) - orderOf(other),
);

/** All suites, those of a tier together. */
export function allSuites(): Suite[] {
    const commands = TEST_COMMANDS.map((one) => ({ ...one, prepare: [], alone: true }));
    const files = TEST_PROJECTS.filter(({ ranBy }) => ranBy === undefined).flatMap(suitesOf);
    return TIERS.flatMap((tier) => [...commands, ...files].filter((suite) => suite.tier === tier));
}

/** The path of a test file, by its name in the data. */
export function pathOf(name: string): string {
    return `test/e2e/${name}.test.ts`;
}

/** Paths of all end-to-end tests that there are. */
export function testFiles(): string[] {
    return readdirSync(join(PROJECT, "test", "e2e"), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".test.ts"))
        .map((file) => `test/e2e/${file}`)
        .sort();
}

function suitesOf(project: TestProject): Suite[] {
    const { name: selected, tier, prepare = [], alone = false, files, repeats = [] } = project;
    const suite = (file: string, name: string): Suite => {
        const command = ["npx", "jest", pathOf(file), "--selectProjects", selected];
        return { name, tier, command, prepare, alone };
    };
    return [...files.map((file) => suite(file, file)), ...repeats.map((file) => suite(file, `${file}, ${selected}`))];
}

/** `npm test` first, then what takes longest last. */
function orderOf(tier: string): number {
    return ["test", "full", "contract", "versions", "engines", "upgrades", "images", "hour", "chaos"].indexOf(tier);
}
