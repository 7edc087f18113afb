import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT, PULUMI_HOME } from "../../../tools/paths";

/** Folders of a checkout. */
export interface CheckoutFolder {
    /** Contains the other two. */
    folder: string;
    project: string;
    pulumiHome: string;
}

/** Clones the project with its current files, and creates a Pulumi home in which no user is logged in. */
export function makeCheckoutFolder(): CheckoutFolder {
    const folder = mkdtempSync(join(tmpdir(), "checkout-"));
    const [project, pulumiHome] = [join(folder, "project"), join(folder, "pulumi-home")];
    const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
        cwd: PROJECT,
        encoding: "utf8",
    });
    for (const file of files.split("\0").filter((name) => name !== "" && existsSync(join(PROJECT, name)))) {
        cpSync(join(PROJECT, file), join(project, file));
    }
    symlinkSync(join(PROJECT, "node_modules"), join(project, "node_modules"));
    // As `npm ci` does.
    execFileSync(process.execPath, [join(project, "plugin", "bundle.js")]);
    for (const part of ["versions", "plugins"]) {
        cpSync(join(PULUMI_HOME, part), join(pulumiHome, part), { recursive: true, filter: linkInstead });
    }
    return { folder, project, pulumiHome };
}

/** Creates a symbolic link to each file instead of a copy. */
function linkInstead(source: string, target: string): boolean {
    if (statSync(source).isDirectory()) {
        return true;
    }
    symlinkSync(source, target);
    return false;
}
