import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The text of a script that a container runs, without its comments: another comment is no change of the container. Its parameters
 * are environment variables, or those of {@link withParameters}; the script names them at its beginning.
 *
 * @param folder Folder of the file that asks, which has `scripts` beside it.
 */
export function script(folder: string, name: string): string {
    return readFileSync(join(folder, "scripts", name), "utf8").replace(/^[ \t]*#.*\n/gm, "");
}

/**
 * A shell script with parameters that its reader is spared as environment variables, which a program started by it would inherit.
 *
 * @param parameters Name → value, whatever it holds.
 */
export function withParameters(parameters: { [name: string]: string | number }, text: string): string {
    const assignments = Object.entries(parameters).map(
        ([name, value]) => `${name}='${String(value).replaceAll("'", `'\\''`)}'\n`,
    );
    return assignments.join("") + text;
}
