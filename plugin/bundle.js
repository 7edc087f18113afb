const { buildSync } = require("esbuild");
const { cpSync } = require("node:fs");

// The components lie beside this folder, and find what they need in it: so all of them become one file here.
buildSync({
    entryPoints: ["index.ts"],
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    sourcemap: true,
    logLevel: "warning",
    outdir: "dist",
});

// What their containers run is read when it is needed.
cpSync("../components/scripts", "dist/scripts", { recursive: true });
