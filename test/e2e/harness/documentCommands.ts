import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";

/** The blocks of commands below a heading of a document, up to the next heading. */
export function commandBlocks(heading: string, document: string): string[] {
    const text = readFileSync(join(PROJECT, document), "utf8");
    const part = text.split(/^#+ /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
    return [...part.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = ""]) => commands);
}

/** The only block of commands below a heading of a document. */
export function commandsOf(heading: string, document: string): string {
    const [commands, ...others] = commandBlocks(heading, document);
    if (commands === undefined || others.length > 0) {
        throw new Error(`${document} doesn't have exactly one block of commands below "${heading}"`);
    }
    return commands;
}
