import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "../../machine/run";
import { main, step } from "../../cli/step";
import { PROJECT } from "../../paths";
import { requireCli } from "../pins/cliModules";
import { hasPins, PINS, withPin } from "../pins/pins";
import { planRaises, raiseTable, type Raise } from "../pins/raises";
import { configuredRegistries } from "../pins/registries";
import { cliArchive, isPinned, pinnedDigests } from "../../pulumi/vendorArchives";

const OPTIONS = { "dry-run": { type: "boolean", default: false } } as const;

// npm run pins [-- --dry-run]: for maintainers. Raises the pinned versions of Pulumi's CLI and SDK to the newest that can be
// had, in all places, and says what it changed. With --dry-run it changes nothing.
void main(async () => {
    const { values } = parseArgs({ options: OPTIONS });
    const raises = await step("Asking the registries of npm and Go", async () =>
        planRaises(PINS, pinnedVersion, await configuredRegistries()),
    );
    console.log(`\n${raiseTable(raises)}`);
    const raised = raises.filter(({ before, after }) => before !== after);
    if (values["dry-run"] || raised.length === 0) {
        return 0;
    }
    const changed = await step("Raising", () => raise(raised));
    console.log(`\nChanged:\n${changed.map((file) => `    ${file}`).join("\n")}`);
    const { after = "" } = raised.find(({ pin }) => pin.name === "pulumi") ?? {};
    if (after !== "" && !isPinned(cliArchive(after), pinnedDigests())) {
        console.log(
            `The CLI ${after} is built from Go modules until its digests are pinned: npm run pin-toolchain, where the ` +
                "vendor's site can be reached (tools/toolchain/README.md).",
        );
    }
    console.log("Then run npm test and npm run test:versions, and commit.");
    return 0;
});

/** The version in the project's package.json or package-lock.json. */
function pinnedVersion(name: string): string {
    const { packages } = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8")) as {
        packages: { [path: string]: { version?: string } };
    };
    return packages[`node_modules/${name}`]?.version ?? "";
}

/** Writes the pins, and updates lockfiles and installed packages. Returns the changed files. */
async function raise(raised: Raise[]): Promise<string[]> {
    // First: if this fails, the pins are the former ones, and the same command tries it again.
    const cli = raised.find(({ pin }) => pin.name === "pulumi");
    const ofModule = cli === undefined ? [] : await requireCli(cli.after);
    const files = (await run("git", ["ls-files"], { cwd: PROJECT })).split("\n").filter(hasPins);
    const changed = files.filter((file) => {
        const path = join(PROJECT, file);
        const before = readFileSync(path, "utf8");
        const after = raised.reduce((text, one) => withPin(text, one.pin.name, one.before, one.after), before);
        writeFileSync(path, after);
        return after !== before;
    });
    for (const [folder, ...options] of [["plugin", "--package-lock-only"], ["."]] as const) {
        await run("npm", ["install", "--no-audit", "--no-fund", ...options], { cwd: join(PROJECT, folder) });
    }
    return [...changed, "package-lock.json", "plugin/package-lock.json", ...ofModule].sort();
}
