import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { PROJECT } from "../../../tools/paths";

/** The only block of stack config below a heading of a document, with some of its texts replaced. */
export function configLinesOf(heading: string, document: string, replaced: { [text: string]: string } = {}): string {
    const text = readFileSync(join(PROJECT, document), "utf8");
    const part = text.split(/^#+ /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
    const [block, ...others] = [...part.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, lines = ""]) => lines);
    if (block === undefined || others.length > 0) {
        throw new Error(`${document} doesn't have exactly one block of stack config below "${heading}"`);
    }
    return Object.entries(replaced).reduce((lines, [from, to]) => {
        if (!lines.includes(from)) {
            throw new Error(`the stack config below "${heading}" of ${document} doesn't contain ${from}`);
        }
        return lines.replaceAll(from, to);
    }, block);
}

/** Adds stack config to a stack file, as a user who copies the lines of a document. */
export function addConfigLines(file: string, lines: string): void {
    const { config } = parse(readFileSync(file, "utf8")) as { config: object };
    const { config: added } = parse(lines) as { config: object };
    writeFileSync(file, stringify({ config: { ...config, ...added } }));
}
