import { posix } from "node:path";
import type { KeyDescription } from "../../config/keys";

/** A Markdown table of keys, for a document at a path within the project. */
export function keyTable(keys: { readonly [key: string]: KeyDescription }, document: string): string {
    const rows = Object.entries(keys).map(([key, { default: value, meaning }]) => [
        `\`${key}\``,
        value,
        linkedFrom(document, meaning),
    ]);
    return [["key", "default", "meaning"], ["---", "---", "---"], ...rows]
        .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
        .join("\n");
}

/** Text with its links as they are from a document's own folder. */
function linkedFrom(document: string, text: string): string {
    return text.replaceAll(/\]\(([^):#]+)/g, (_, path: string) => `](${posix.relative(posix.dirname(document), path)}`);
}
