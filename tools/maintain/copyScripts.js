const { cpSync, readdirSync } = require("node:fs");
const { basename, dirname, join } = require("node:path");

/**
 * Copies the scripts that containers run to where the compiled components read them.
 *
 * @param {string} components Folder of the components.
 * @param {(folder: string) => string} targetOf Returns the output folder for a folder of the components.
 */
function copyScripts(components, targetOf) {
    for (const path of readdirSync(components, { recursive: true })) {
        if (basename(path) === "scripts") {
            cpSync(join(components, path), join(targetOf(dirname(path)), "scripts"), { recursive: true });
        }
    }
}

module.exports = { copyScripts };

if (require.main === module) {
    const [components = "", target = ""] = process.argv.slice(2);
    copyScripts(components, (folder) => join(target, folder));
}
