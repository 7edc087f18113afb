import { basename } from "node:path";
import data from "./tiers.json";
import { pathOf, TEST_PROJECTS } from "./tiers";

/** The command that runs a test file. Undefined if none does. */
export function commandOf(file: string): string | undefined {
    const tier = /^test\/unit\/.*\.test\.ts$/.test(file)
        ? unitTier(file)
        : TEST_PROJECTS.find(({ files }) => files.some((name) => pathOf(name) === file))?.tier;
    return tier === undefined ? undefined : tier === "test" ? "npm test" : `npm run test:${tier}`;
}

function unitTier(file: string): string {
    return data.longerUnitTests.includes(basename(file, ".test.ts")) ? "full" : "test";
}
