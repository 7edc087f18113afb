import { SDK_VERSIONS, TYPESCRIPT_VERSIONS } from "./versions";

/** Result of one suite on one version of Node.js. */
export interface NodeResult {
    node: string;
    suite: "unit" | "versions";
    passed: number;
    failed: number;
    seconds: number;
}

const SUITES = {
    unit: () => "unit tests",
    versions: () =>
        `the package: Pulumi SDK ${list(SDK_VERSIONS)}; type-checked by TypeScript ${list(TYPESCRIPT_VERSIONS)} where that SDK allows it`,
};

/** A Markdown table of results. */
export function resultsTable(results: NodeResult[], { date, cli }: { date: string; cli: string }): string {
    const rows = results.map(({ node, suite, passed, failed, seconds }) => [
        node,
        SUITES[suite](),
        failed === 0 ? `${passed} passed` : `${passed} passed, ${failed} failed`,
        `${seconds} s`,
    ]);
    return [
        `${date}, Pulumi CLI ${cli}:`,
        "",
        ...[["Node.js", "suite", "result", "time"], ["---", "---", "---", "---"], ...rows].map(
            (cells) => `| ${cells.join(" | ")} |`,
        ),
    ].join("\n");
}

/** "a", "a and b", "a, b and c". */
function list(words: readonly string[]): string {
    return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}
