import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { PROJECT } from "../../../tools/paths";
import type { Deployment, DeploymentConfig } from "./deployment";
import { testedEngine } from "./testRun";

/** Longest time for one migration, in milliseconds. */
const LIMIT = 900_000;

/** Runs `npm run migrate` for a deployed cluster. Returns its exit code and all that it prints. */
export async function migrate(
    clusterName: string,
    ...options: string[]
): Promise<{ code: number | null; output: string }> {
    const command = ["--import", "tsx", "tools/commands/migrate.ts", "--cluster", clusterName, ...options];
    const env = { ...process.env, DOCKER_HOST: testedEngine() };
    const child = spawn(process.execPath, command, { cwd: PROJECT, env, stdio: "pipe", timeout: LIMIT });
    const [out, errors, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close") as Promise<[number | null]>,
    ]);
    return { code, output: out + errors };
}

/** Runs `npm run migrate`, which must succeed. Returns its output. */
export async function migrated(clusterName: string, ...options: string[]): Promise<string> {
    const { code, output } = await migrate(clusterName, ...options);
    if (code !== 0) {
        throw new Error(`npm run migrate ${options.join(" ")} ended with ${code}:\n${output}`);
    }
    return output;
}

/**
 * Migrates a deployment whole, as a program of one's own does: the command, the update with the other store's config, and the command once
 * more. Returns all output.
 */
export async function migrateWhole(
    deployment: Deployment,
    config: DeploymentConfig,
    ...options: string[]
): Promise<string> {
    const image = config["image"] === undefined ? [] : ["--image", config["image"]];
    const first = await migrated(deployment.clusterName, ...options, ...image);
    await deployment.configure(config);
    const { output } = await deployment.up();
    const to = ["--to", config["profile"] ?? "", ...image];
    return [first, output, await migrated(deployment.clusterName, ...to)].join("\n");
}
