import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";

const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");

const sources = execFileSync("git", ["ls-files", "components", "config", "migration", "plugin"], {
    cwd: PROJECT,
    encoding: "utf8",
})
    .split("\n")
    .filter((file) => file.endsWith(".ts"));

/** What the components' rooms are without those for several hosts, and without the args, which declare everything. */
const core = sources.filter((file) => /^components\/(?!hosts\/|args\/)\w+\//.test(file));

/** Those that put the rooms together. */
const roots = sources.filter((file) => /^components\/\w+\.ts$/.test(file));

const linesOf = (file: string) => read(file).split("\n").length - 1;

/** Files whose code has a text; docstrings and comments don't count. */
const withText = (files: string[], text: RegExp) =>
    files.filter((file) => text.test(read(file).replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "")));

/** The limits of CONTRIBUTING.md, and the figures. None may grow. */
const LIMITS: [measure: string, limit: number, figure: () => number][] = [
    ["files beside the rooms that import `hosts/`", 5, () => withText(roots, /from "\.\/hosts\//).length],
    ["lines of the largest file", 300, () => Math.max(...sources.map(linesOf))],
    [
        "files in the core's rooms that import `hosts/` or `migration/`",
        0,
        () => withText(core, /from "(\.\.\/)+(hosts|migration)\//).length,
    ],
    ["files in the core's rooms that name a swarm or an overlay", 10, () => withText(core, /swarm|overlay/i).length],
    ["files in the core's rooms that name the floating address", 1, () => withText(core, /floating/i).length],
    ["files in the core's rooms that name the migration", 6, () => withText(core, /migrat/i).length],
    ["`WeakMap`s", 2, () => withText(sources, /new WeakMap/).length],
];

test.each(LIMITS)("%s: at most %d, as CONTRIBUTING.md says", (measure, limit, figure) => {
    expect(figure()).toBeLessThanOrEqual(limit);
    const [, ...cells] = (
        read("CONTRIBUTING.md")
            .split("\n")
            .find((line) => line.startsWith(`| ${measure} `)) ?? ""
    ).split("|");
    expect(cells.map((cell) => cell.trim())).toContain(String(limit));
});
