const { buildSync } = require("esbuild");
const fs = require("node:fs");
const { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } = fs;
const { dirname, join, relative } = require("node:path");
const { copyScripts } = require("../tools/maintain/copyScripts");

const DIST = join(__dirname, "dist");

// Beside the bundle, file by file, and its program last: a bundle that breaks off isn't taken for a new one, and a plugin that starts
// meanwhile reads no half a file.
const work = mkdtempSync(`${DIST}.`);
// By the clock of the sources' file system.
const begun = statSync(work).mtime;
try {
    // The components lie beside this folder, and find what they need in it: so all of them become one file here.
    buildSync({
        absWorkingDir: __dirname,
        entryPoints: ["index.ts"],
        bundle: true,
        packages: "external",
        platform: "node",
        target: "node20",
        sourcemap: true,
        logLevel: "warning",
        outdir: work,
    });
    // One file has one folder beside it.
    copyScripts(join(__dirname, "..", "components"), () => work);
    const program = join(work, "index.js");
    // A source that was changed since then is newer.
    utimesSync(program, begun, begun);
    const files = readdirSync(work, { recursive: true }).map((name) => join(work, name));
    for (const file of files.filter((path) => path !== program && statSync(path).isFile()).concat(program)) {
        const target = join(DIST, relative(work, file));
        mkdirSync(dirname(target), { recursive: true });
        // After a power failure, the name must not lead to a file whose content was never written.
        const opened = fs.openSync(file, "r");
        fs.fsyncSync(opened);
        fs.closeSync(opened);
        renameSync(file, target);
    }
} finally {
    rmSync(work, { recursive: true, force: true });
}
