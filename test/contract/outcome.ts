import { stripVTControlCharacters } from "node:util";
import { NOT_BROKEN } from "./rule";

/** One test that ran, as the outcome reporter writes it. */
export interface Outcome {
    status: "passed" | "failed";
    /** Jest's failure messages; empty if it passed. */
    reason: string;
}

/** What the test of a broken rule did. */
export interface Verdict {
    /**
     * Whether the test failed, as it must: either the test itself failed, or the broken program could not be deployed. A
     * rule whose break no longer matches the sources was not broken.
     */
    outcome: "failed" | "failed, not deployable" | "passed" | "was not found" | "was not run, the rule is not broken";
    /** Why it failed, without what differs from run to run; empty if it didn't. */
    reason: string;
}

const LONGEST_REASON = 300;

/** The verdict about the tests that ran for one broken rule. */
export function verdictOf(outcomes: Outcome[]): Verdict {
    const failed = outcomes.find(({ status }) => status === "failed");
    if (failed === undefined) {
        return { outcome: outcomes.length === 0 ? "was not found" : "passed", reason: "" };
    }
    const text = stripVTControlCharacters(failed.reason);
    if (text.includes(NOT_BROKEN)) {
        const [, reason = ""] = text.split(NOT_BROKEN);
        return { outcome: "was not run, the rule is not broken", reason: reason.trim().split("\n")[0] ?? "" };
    }
    // The message of a failed `pulumi up`, or Jest's if it takes too long.
    const isRefused = /CommandError|pulumi up .* ended with|for a hook/.test(text);
    return {
        outcome: isRefused ? "failed, not deployable" : "failed",
        reason: constantPart(isRefused ? refusalIn(text) : failureIn(text)),
    };
}

/** The message of a failed `pulumi up`. */
function refusalIn(text: string): string {
    const lines = text.split("\n").map((line) => line.trim());
    const begin = lines.findIndex((line) => /^error: (?!update failed|preview failed)/.test(line));
    return begin === -1 ? failureIn(text) : lines.slice(begin, begin + 3).join(" ");
}

/** The message of a failed test, without stack and source code. */
function failureIn(text: string): string {
    const lines = text.split("\n").map((line) => line.trim());
    const end = lines.findIndex((line) => line.startsWith("at "));
    return lines
        .slice(0, end === -1 ? lines.length : end)
        .filter((line) => line !== "")
        .join(" ");
}

/** Without names, ids, generated keys, addresses, times and numbers, which differ from run to run. */
function constantPart(text: string): string {
    return text
        .replace(/e2e(-[0-9a-f]{6})+/g, "e2e-…")
        .replace(/"[\w+/=-]{16,}"/g, '"…"')
        .replace(/[A-Za-z0-9+/=]{40,}/g, "…")
        .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/g, "…")
        .replace(/\/tmp\/[\w./-]+/g, "/tmp/…")
        .replace(/\b10\.\d+\.\d+\.\d+/g, "10.…")
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "…")
        .replace(/\b\d+(\.\d+)?( ?m?s)\b/g, "…$2")
        .replace(/\b\d{5,}\b/g, "…")
        .slice(0, LONGEST_REASON)
        .trim();
}
