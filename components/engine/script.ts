import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The text of a shell script that a container runs, from `scripts` beside this file. Its parameters are environment variables,
 * which the script names at its beginning.
 */
export function script(name: string): string {
    return readFileSync(join(__dirname, "scripts", name), "utf8");
}
