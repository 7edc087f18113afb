import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { profileNames } from "../../../components/store/profiles/all";
import { contractProfile } from "../../../components/store/profiles/contract";
import { checkServiceProfile } from "../../../components/store/serviceProfile";
import { keysOf } from "../../../config/schemaReader";
import { PROJECT } from "../../../tools/paths";

const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");

/** Sources of components and of stack config. */
const sources = execFileSync("git", ["ls-files", "components", "config"], { cwd: PROJECT, encoding: "utf8" })
    .split("\n")
    .filter((file) => file.endsWith(".ts"));

/** Paths that CONTRIBUTING.md names in its row about a change. A folder ends with a slash. */
function filesFor(change: string): string[] {
    const row = read("CONTRIBUTING.md")
        .split("\n")
        .find((line) => line.startsWith(`| ${change} `));
    expect(row).toBeDefined();
    return [...(row ?? "").matchAll(/`([\w/.]+\/[\w/.]*)`/g)].map(([, path = ""]) => path);
}

/** Sources with a text in their code; docstrings and comments don't count. */
function sourcesWith(text: RegExp): string[] {
    const found = sources.filter((file) => text.test(read(file).replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "")));
    expect(found).not.toEqual([]);
    return found;
}

const isAmong = (file: string, paths: string[]) =>
    paths.some((path) => (path.endsWith("/") ? file.startsWith(path) : file === path));

describe("CONTRIBUTING.md says which files a change concerns", () => {
    test("add a store profile: no other file contains a store's name", () => {
        const folders = filesFor("add a store profile").map((file) => file.replace(/[^/]*$/, ""));
        expect(profileNames.length).toBeGreaterThan(2);
        const named = profileNames.flatMap((name) => sourcesWith(new RegExp(`["'\`]${name}["'\`]`)));
        // The part that a program can import.
        const elsewhere = named.filter((file) => !isAmong(file, folders));
        expect(elsewhere.filter((file) => file !== "components/index.ts")).toEqual([]);
        expect(checkServiceProfile(contractProfile("example"))).toEqual([]);
    });

    test.each(["hstsMaxAge", "maxConnectionsPerAddress", "egress", "drainTimeout", "readyTimeout"] as const)(
        "add a setting: %s is in no other file",
        (key) => {
            expect(keysOf("ObjectStoreArgs")).toHaveProperty(key);
            const rows = filesFor("add a setting");
            expect(sourcesWith(new RegExp(`\\b${key}\\b`)).filter((file) => !isAmong(file, rows))).toEqual([]);
        },
    );

    test("change a HAProxy timeout: each one is in one of those files", () => {
        expect(
            sourcesWith(/"timeout [a-z-]+ \d/).filter((file) => !isAmong(file, filesFor("change a HAProxy timeout"))),
        ).toEqual([]);
    });
});
