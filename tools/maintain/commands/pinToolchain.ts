import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { CLI_VERSION, plugins } from "../../pulumi/toolchainParts";
import { inWorkFolder } from "../../pulumi/toolchainBuild";
import { main, step } from "../../cli/step";
import { cliArchive, digestOf, DIGESTS_FILE, download, pluginArchive } from "../../pulumi/vendorArchives";

const PLATFORMS = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"];

// npm run pin-toolchain: for maintainers, after a change of Pulumi's versions. Records the digests of the vendor's
// archives.
void main(async () => {
    const urls = PLATFORMS.flatMap((platform) => [
        cliArchive(CLI_VERSION, platform),
        ...plugins().map((plugin) => pluginArchive(plugin, platform)),
    ]);
    const digests: { [archive: string]: string } = {};
    await inWorkFolder(async (folder) => {
        for (const url of urls) {
            digests[basename(url)] = await step(basename(url), async () => digestOf(await download(url, folder)));
        }
    });
    writeFileSync(DIGESTS_FILE, `${JSON.stringify(digests, undefined, 4)}\n`);
    return 0;
});
