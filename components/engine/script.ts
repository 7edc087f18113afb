import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The text of a script that a container runs, without its comments: another comment is no change of the container. Its parameters
 * are environment variables, which the script names at its beginning.
 *
 * @param folder Folder of the file that asks, which has `scripts` beside it.
 */
export function script(folder: string, name: string): string {
    return readFileSync(join(folder, "scripts", name), "utf8").replace(/^[ \t]*#.*\n/gm, "");
}
