import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The text of a script that a container runs, without its comments: a changed comment does not change the container. Its
 * parameters are environment variables, or those of {@link withParameters}. The script lists them at its beginning.
 *
 * @param folder Folder of the calling file. The folder `scripts` is in it.
 */
export function script(folder: string, name: string): string {
    const comment = name.endsWith(".lua") ? /^[ \t]*--.*\n/gm : /^[ \t]*#.*\n/gm;
    return readFileSync(join(folder, "scripts", name), "utf8").replace(comment, "");
}

/**
 * Prepends parameters to a shell script as shell variables. They are not environment variables, which a program started by
 * the script would inherit.
 *
 * @param parameters Name → value. The value may contain any characters.
 */
export function withParameters(parameters: { [name: string]: string | number }, text: string): string {
    const assignments = Object.entries(parameters).map(
        ([name, value]) => `${name}='${String(value).replaceAll("'", `'\\''`)}'\n`,
    );
    return assignments.join("") + text;
}
