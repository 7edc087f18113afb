import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";

/** The blocks of commands below a heading of docs/operations.md, up to the next heading. */
export function commandBlocks(heading: string): string[] {
    const document = readFileSync(join(PROJECT, "docs", "operations.md"), "utf8");
    const part = document.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
    return [...part.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, commands = ""]) => commands);
}

/** The only block of commands below a heading of docs/operations.md. */
export function commandsOf(heading: string): string {
    const [commands, ...others] = commandBlocks(heading);
    if (commands === undefined || others.length > 0) {
        throw new Error(`docs/operations.md doesn't have exactly one block of commands below "${heading}"`);
    }
    return commands;
}
