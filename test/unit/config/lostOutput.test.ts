import { spawn } from "node:child_process";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";

/** A program that reports unhandled errors as Pulumi's SDK does, and fails after the reader of its output has gone. */
const program = (before: string) => `
    ${before}
    let failures = 0;
    process.on("uncaughtException", (error) => {
        failures += 1;
        if (failures > 20) process.exit(77);
        console.error(error);
    });
    process.stdin.on("data", () => { throw new Error("the connection to Pulumi is lost"); });
    process.stdin.on("end", () => setTimeout(() => process.exit(3), 5000));
`;

/** The program's exit code. Its output is closed before it fails. */
function exitCode(before: string): Promise<number | null> {
    const child = spawn(process.execPath, ["--import", "tsx", "-e", program(before)], { cwd: PROJECT });
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.end("fail\n");
    return new Promise((resolve) => child.once("exit", resolve));
}

test("a program whose output nobody reads any more ends, in place of reporting that without end", async () => {
    const source = JSON.stringify(join(PROJECT, "config", "lostOutput.ts"));
    // Since Node.js 22, a write to a lost output fails only once.
    const isEndless = Number(process.versions.node.split(".")[0]) < 22;
    expect(await exitCode("")).toBe(isEndless ? 77 : 3);
    expect(await exitCode(`require(${source}).ignoreLostOutput([process.stdout, process.stderr]);`)).toBe(3);
}, 60_000);
