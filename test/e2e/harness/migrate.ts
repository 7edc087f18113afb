import { spawnSync } from "node:child_process";
import { PROJECT } from "../../../tools/paths";
import { testedEngine } from "./testRun";

/** Longest time for one migration, in seconds. */
const LIMIT_SECONDS = 900;

/** Runs `npm run migrate` for a deployed cluster. Returns its exit code and all that it prints. */
export function migrate(clusterName: string, ...options: string[]): { code: number | null; output: string } {
    const command = ["--import", "tsx", "tools/commands/migrate.ts", "--cluster", clusterName, ...options];
    const { status, stdout, stderr, error } = spawnSync(process.execPath, command, {
        cwd: PROJECT,
        env: { ...process.env, DOCKER_HOST: testedEngine() },
        encoding: "utf8",
        timeout: LIMIT_SECONDS * 1000,
    });
    if (error !== undefined) {
        throw error;
    }
    return { code: status, output: stdout + stderr };
}

/** Runs `npm run migrate`, which must succeed. Returns its output. */
export function migrated(clusterName: string, ...options: string[]): string {
    const { code, output } = migrate(clusterName, ...options);
    if (code !== 0) {
        throw new Error(`npm run migrate ${options.join(" ")} ended with ${code}:\n${output}`);
    }
    return output;
}
