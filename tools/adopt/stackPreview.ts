import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunError } from "../machine/run";
import { bundlePlugin } from "../pulumi/pluginBundle";
import { askPulumi, onStack, type Workspace } from "../pulumi/workspace";

/** What a preview says of a stack. */
export interface PreviewResult {
    /** Why an update would be refused. */
    problems: string[];
    warnings: string[];
}

/** One line of the CLI's log of events. */
interface EngineEvent {
    diagnosticEvent?: { message: string; severity: string };
}

/**
 * Runs a preview of a stack whose store still runs.
 *
 * @param inUse Containers that will be stopped before the update: that they use the drives is no problem.
 */
export async function previewStack(
    workspace: Workspace,
    stack: string,
    inUse: readonly string[],
): Promise<PreviewResult> {
    bundlePlugin();
    const folder = mkdtempSync(join(tmpdir(), "preview-"));
    const log = join(folder, "events");
    try {
        const { env, ...rest } = onStack(workspace, stack);
        // The CLI has this option among those for looking into it.
        const debugging = { ...rest, env: { ...env, PULUMI_DEBUG_COMMANDS: "true" } };
        const failure = await askPulumi(debugging, ["preview", "--event-log", log]).then(
            () => undefined,
            (error: unknown) => {
                if (error instanceof RunError) {
                    return error;
                }
                throw error;
            },
        );
        const found = resultOf(existsSync(log) ? readFileSync(log, "utf8") : "", inUse);
        // It failed, and nothing of what it says is known.
        return failure !== undefined && !found.said ? { ...found, problems: [failure.message] } : found;
    } finally {
        rmSync(folder, { recursive: true });
    }
}

/** What a log of events says. */
export function resultOf(log: string, inUse: readonly string[]): PreviewResult & { said: boolean } {
    const events = log
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => (JSON.parse(line) as EngineEvent).diagnosticEvent);
    const of = (severity: string) =>
        events.flatMap((event) => (event?.severity === severity ? [plain(event.message)] : []));
    // A refusal lists its problems below its first line.
    const problems = of("error").flatMap((message) => {
        const listed = [...message.matchAll(/^ +- (.*)$/gm)].map(([, problem = ""]) => problem);
        return listed.length > 0 ? listed : [message.trim()];
    });
    return {
        said: problems.length > 0,
        problems: problems.filter((problem) => !isInUse(problem, inUse)),
        warnings: [...new Set(of("warning").map((message) => message.trim()))],
    };
}

/** Whether a problem is only that these containers use a drive. */
function isInUse(problem: string, containers: readonly string[]): boolean {
    const [, users] = / is in use by (.*): stop that first$/.exec(problem) ?? [];
    return users !== undefined && users.split(", ").every((user) => containers.includes(user));
}

/** A text without the CLI's marks for colours. */
function plain(text: string): string {
    return text.replaceAll(/<\{%[^%]*%\}>/g, "");
}
