import { posix } from "node:path";
import type { KeyDescription } from "../../../config/keys";

/** A Markdown table of keys, for a document at a path in the project. */
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

/** A text whose links are relative to the document's folder. */
function linkedFrom(document: string, text: string): string {
    return text.replaceAll(/\]\(([^):#]+)/g, (_, path: string) => `](${posix.relative(posix.dirname(document), path)}`);
}
