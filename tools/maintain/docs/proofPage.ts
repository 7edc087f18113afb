import { posix } from "node:path";
import { PROMISES, type Promised } from "../../../test/promises";
import { commandOf } from "../../../test/tiers/commandOf";

/** The page of all promises with their tests, relative to the project. */
export const PROOF_PAGE = "docs/contributing/proofs.md";

/** A table for each group of promises: each with its tests, and the commands that run these. */
export function proofTables(promises: readonly Promised[] = PROMISES): string {
    const groups = [...new Set(promises.map(({ group }) => group))];
    return groups
        .map((group) => {
            const rows = promises.filter((promised) => promised.group === group).map(row);
            const title = group.charAt(0).toUpperCase() + group.slice(1);
            return [`## ${title}`, "", "| promise | tests | run by |", "| --- | --- | --- |", ...rows].join("\n");
        })
        .join("\n\n");
}

function row({ promise, tests }: Promised): string {
    const files = [...new Set(tests.map(({ file }) => file))];
    const linked = files.map((file) => {
        const names = tests.filter((test) => test.file === file).map(({ name }) => escaped(name));
        const path = posix.relative(posix.dirname(PROOF_PAGE), file);
        return `[${posix.basename(file, ".test.ts")}](${path}): ${names.join("; ")}`;
    });
    const tiers = [...new Set(files.map((file) => commandOf(file) ?? "nothing"))];
    return `| ${[escaped(promise), linked.join("<br>"), tiers.map((tier) => `\`${tier}\``).join(", ")].join(" | ")} |`;
}

/** A text without what Markdown would take for its own. */
function escaped(text: string): string {
    return text.replaceAll(/[\\`*_<>|$]/g, "\\$&");
}
