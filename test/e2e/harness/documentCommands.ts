import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";

/** The blocks of commands below a heading of a document in `docs`, up to the next heading. */
export function commandBlocks(heading: string, document = "operations.md"): string[] {
    const content = readFileSync(join(PROJECT, "docs", document), "utf8");
    const part = content.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
    return [...part.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = ""]) => commands);
}

/** The only block of commands below a heading of a document in `docs`. */
export function commandsOf(heading: string, document = "operations.md"): string {
    const [commands, ...others] = commandBlocks(heading, document);
    if (commands === undefined || others.length > 0) {
        throw new Error(`docs/${document} doesn't have exactly one block of commands below "${heading}"`);
    }
    return commands;
}
