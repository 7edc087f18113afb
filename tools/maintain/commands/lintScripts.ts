import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findOrInstallPrograms } from "../../machine/debian";
import { run } from "../../machine/run";
import { main } from "../../cli/step";
import { PROJECT } from "../../paths";

/** Programs that check scripts, by their Debian packages. */
const PROGRAMS = { shellcheck: "shellcheck", perl: "perl", "lua-check": "luacheck", pyflakes3: "pyflakes3" };

/** Folders with scripts. */
const FOLDERS = ["components", "migration", "tools", "test"];

// Checks scripts: shell with shellcheck, Lua with luacheck, Python with pyflakes, Perl with its own compiler.
void main(async () => {
    await findOrInstallPrograms(PROGRAMS);
    const files = FOLDERS.map((name) => join(PROJECT, name)).flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
    );
    await run("shellcheck", ["--shell=sh", ...files.filter((file) => file.endsWith(".sh"))]);
    // HAProxy defines `core` (its Lua API, "core class").
    await run("luacheck", [...files.filter((file) => file.endsWith(".lua")), "--std=lua53", "--read-globals=core"]);
    await run(
        "pyflakes3",
        files.filter((file) => file.endsWith(".py")),
    );
    for (const file of files.filter((name) => name.endsWith(".pl"))) {
        await run("perl", ["-c", file]);
    }
    return 0;
});
