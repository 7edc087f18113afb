"use strict";

const { join } = require("node:path");
const { keepCompiledModules } = require("./config/compiledModules");

// What Pulumi runs: the program is in index.ts.
keepCompiledModules(join(__dirname, ".local", "compiled.json"));

module.exports = require("./index.ts");
