import {
    byVendorsScript,
    CLI,
    CLI_FOLDER,
    CLI_VERSION,
    type Missing,
    PLUGIN_NAMES,
    missingParts,
} from "./toolchainParts";
import { buildFromModules, inWorkFolder, moveProgram, requireGo } from "./toolchainBuild";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { announce, type Installation } from "../machine/installation";
import { PULUMI_HOME } from "../paths";
import { run } from "../machine/run";
import { say, StepError } from "../cli/step";
import { cliArchive, fetchPinned, isPinned, pinnedDigests, pluginArchive, VENDOR_SECONDS } from "./vendorArchives";

/** What {@link preparePulumi} would install. */
export function missingPulumi(): Installation[] {
    const missing = missingParts();
    if (!missing.cli && missing.plugins.length === 0) {
        return [];
    }
    const names = [
        ...(missing.cli ? [`the CLI ${CLI_VERSION}`] : []),
        ...missing.plugins.map(({ name, version }) => `the plugin ${name} ${version}`),
    ];
    return [
        {
            description:
                `Pulumi in ${PULUMI_HOME}: ${names.join(", ")}. ${sourceOf(missing)}Go modules, ` +
                "which Go checks by its checksum database and go.sum",
            commands: byVendorsScript(missing),
        },
    ];
}

/** Primary source of missing parts, and how they are verified; the text ends before "Go modules". */
function sourceOf({ cli, plugins: missing }: Missing): string {
    const digests = pinnedDigests();
    if (cli && !isPinned(cliArchive(CLI_VERSION), digests)) {
        return "From ";
    }
    const unchecked = missing.filter((plugin) => !isPinned(pluginArchive(plugin), digests));
    const byCli =
        unchecked.length === 0
            ? ""
            : ` The CLI downloads the plugin${unchecked.length === 1 ? "" : "s"} ${unchecked.map(({ name }) => name).join(", ")} ` +
              "itself: TLS to the vendor's site is the only check of these.";
    return `From the vendor's archives, compared with the digests in tools/toolchain/digests.json.${byCli} Where they can't be had, from `;
}

/**
 * Prepares the CLI, the Node.js language host, and the plugins in the versions that package-lock.json pins: uses
 * existing ones, else the vendor's archives if their digests are pinned, else builds them from Go modules.
 *
 * @throws {StepError} with the remedies if neither is possible, or if an archive isn't the pinned one.
 */
export async function preparePulumi(): Promise<void> {
    const missing = missingParts();
    if (!missing.cli && missing.plugins.length === 0) {
        say(
            `found the CLI ${CLI_VERSION}, its Node.js host and the plugins ${PLUGIN_NAMES.join(", ")} in ${PULUMI_HOME}`,
        );
        return;
    }
    announce(missingPulumi());
    if (!(await installFromVendor(missing))) {
        await requireGo();
        await buildFromModules(missing);
    }
}

/** Installs the vendor's archives. Returns whether that was possible. Runs none of the vendor's scripts. */
async function installFromVendor(missing: Missing): Promise<boolean> {
    const digests = pinnedDigests();
    if (missing.cli && !isPinned(cliArchive(CLI_VERSION), digests)) {
        say("not from the vendor's site: this version of the project pins no digest of the CLI for this platform");
        return false;
    }
    say(`asking the vendor's site, for ${VENDOR_SECONDS} s at most`);
    try {
        await inWorkFolder(async (folder) => {
            if (missing.cli) {
                await unpackCli(await fetchPinned(cliArchive(CLI_VERSION), digests, folder), folder);
            }
            for (const plugin of missing.plugins) {
                const file = isPinned(pluginArchive(plugin), digests)
                    ? ["--file", await fetchPinned(pluginArchive(plugin), digests, folder)]
                    : [];
                await run(CLI, ["plugin", "install", "resource", plugin.name, plugin.version, ...file]);
            }
        });
    } catch (error) {
        if (error instanceof StepError) {
            throw error;
        }
        say(`the vendor's site gave nothing (${(error as Error).message.split("\n")[0]})`);
        return false;
    }
    say("installed from the vendor's archives");
    return true;
}

/** Unpacks the CLI's archive, whose programs are in one folder, to the CLI's path. */
async function unpackCli(archive: string, folder: string): Promise<void> {
    const unpacked = join(folder, "cli");
    mkdirSync(unpacked);
    await run("tar", ["--extract", "--gzip", "--file", archive, "--directory", unpacked, "--no-same-owner"]);
    // The CLI last: once it is there, all programs are.
    const programs = readdirSync(join(unpacked, "pulumi")).sort((one) => (one === "pulumi" ? 1 : -1));
    mkdirSync(CLI_FOLDER, { recursive: true });
    programs.forEach((name) => moveProgram(join(unpacked, "pulumi", name), join(CLI_FOLDER, name)));
}
