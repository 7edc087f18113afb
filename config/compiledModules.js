"use strict";

const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname } = require("node:path");

const OPTIONS = {
    jsc: { parser: { syntax: "typescript" }, target: "es2022" },
    module: { type: "commonjs" },
    sourceMaps: true,
    inlineSourcesContent: false,
};

/**
 * Makes Node.js compile TypeScript by swc, without checking types, and keep what it has compiled in a file.
 *
 * An entry of the file is found by the digest of all that it depends on, so it is never out of date. Entries that a run
 * didn't use are dropped. A file that is missing, damaged or can't be written only costs time.
 *
 * @param {string} file The file.
 */
function keepCompiledModules(file) {
    const kept = read(file);
    const used = {};
    const maps = new Map();
    let hasNew = false;
    const { version } = require("@swc/core/package.json");
    const compile = (source, filename) => {
        hasNew = true;
        const { code, map } = require("@swc/core").transformSync(source, { filename, ...OPTIONS });
        return { code, map };
    };
    // ts-node, which Pulumi registers, answers this with its own copy.
    require("source-map-support").install({
        environment: "node",
        retrieveSourceMap: (name) => (maps.has(name) ? { url: name, map: maps.get(name) } : null),
    });
    Module._extensions[".ts"] = (module, filename) => {
        const source = readFileSync(filename, "utf8");
        const key = digest([version, OPTIONS, filename, source]);
        const { code, map } = (used[key] = kept[key] ?? compile(source, filename));
        maps.set(filename, map);
        module._compile(code, filename);
    };
    process.on("exit", () => {
        if (hasNew) {
            write(file, used);
        }
    });
}

function digest(parts) {
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function read(file) {
    try {
        return JSON.parse(readFileSync(file, "utf8")) ?? {};
    } catch {
        return {};
    }
}

/** Replaces the file atomically. Does nothing if it can't be written: in a read-only checkout, or on a full disk. */
function write(file, content) {
    const draft = `${file}.${process.pid}.tmp`;
    try {
        try {
            mkdirSync(dirname(file), { recursive: true });
            writeFileSync(draft, JSON.stringify(content));
            renameSync(draft, file);
        } finally {
            rmSync(draft, { force: true });
        }
    } catch {
        // The modules are compiled again.
    }
}

module.exports = { keepCompiledModules };
