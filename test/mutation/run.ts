import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LOCAL, PROJECT } from "../../tools/paths";

/** The tool that changes one operator, condition or call at a time, with its runner for Jest. It isn't needed for anything else. */
const PROGRAMS = ["@stryker-mutator/core@9.6.1", "@stryker-mutator/jest-runner@9.6.1", "typescript@5.9.3"];

// npm run test:mutation -- FOLDER: which lines of components/FOLDER can be changed without a failing unit test of that folder.
const [folder = ""] = process.argv.slice(2);
const folders = readdirSync(join(PROJECT, "components"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
if (folders.includes(folder)) {
    const tool = join(LOCAL, "stryker");
    const install = ["install", "--prefix", tool, "--prefer-offline", "--no-audit", "--no-fund", ...PROGRAMS];
    execFileSync("npm", install, { stdio: "inherit" });
    const options = ["test/mutation/stryker.config.json", "--mutate", `components/${folder}/**/*.ts`];
    const { status } = spawnSync(join(tool, "node_modules/.bin/stryker"), ["run", ...options], {
        cwd: PROJECT,
        env: { ...process.env, MUTATED_FOLDER: folder },
        stdio: "inherit",
    });
    process.exitCode = status ?? 1;
} else {
    console.error(`"${folder}" is no folder of components: give one of ${folders.join(", ")}.`);
    process.exitCode = 2;
}
