import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../paths";

/**
 * The text of Pulumi.yaml for a copy in another folder: with the full paths of the program and of the package's plugin.
 *
 * @param main The program. Default: this project's.
 */
export function projectFile(main = join(PROJECT, "start.js")): string {
    const project = readFileSync(join(PROJECT, "Pulumi.yaml"), "utf8")
        .replace(/^main:.*\n/m, "")
        .replace(/^( +path: )(\S+)$/m, (_, key: string, path: string) => key + JSON.stringify(join(PROJECT, path)));
    return `${project}main: ${JSON.stringify(main)}\n`;
}
