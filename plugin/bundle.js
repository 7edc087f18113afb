const { buildSync } = require("esbuild");
const { join } = require("node:path");
const { copyScripts } = require("../tools/copyScripts");

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
    outdir: "dist",
});

// One file has one folder beside it.
copyScripts(join(__dirname, "..", "components"), () => join(__dirname, "dist"));
