import type { PackageManifest } from "./packageManifest";
import { relativeLinks } from "./packedReadme";
import { tagOf } from "./releaseCopy";
import { webAddress } from "./repository";

/** The package's tarball. */
export interface Packed {
    file: string;
    name: string;
    /** Size in bytes. */
    size: number;
    /** Number of files in it. */
    files: number;
}

/** A release that was made, or tried. */
export interface MadeRelease {
    manifest: PackageManifest;
    packed: Packed;
    /** Files that the release's commit changes. */
    changed: string[];
    /** The README. */
    readme: string;
    dryRun: boolean;
}

const MEBIBYTE = 2 ** 20;

/** What a release publishes, and the commands that publish it. */
export function releaseReport({ manifest, packed, changed, readme, dryRun }: MadeRelease): string {
    const { name, version, repository } = manifest;
    const tag = tagOf(version);
    const address = webAddress(repository);
    const plugin = `${(address ?? "https://ADDRESS").replace("https://", "")}.git/plugin@${version}`;
    const links = relativeLinks(readme).length;
    return [
        dryRun ? `A release of ${version} would publish:` : `Release ${version} is made. To publish it:`,
        `  - the commit "Release ${version}" and the tag ${tag}, with which programs in other languages add the component`,
        `    package: pulumi package add ${plugin}`,
        `        git push origin main ${tag}`,
        `  - the npm package ${name} ${version}: ${packed.files} files, ${(packed.size / MEBIBYTE).toFixed(1)} MiB`,
        `        npm publish ${packed.file}`,
        `Changed in the commit: ${changed.length === 0 ? "nothing" : changed.join(", ")}.`,
        ...(address === undefined
            ? [
                  `Not set: repository in package.json. So ${links} of the README's links have no target in the package, messages and`,
                  "the schema refer to documents by their titles, and the schema has no address.",
              ]
            : []),
        ...(dryRun ? ["Nothing was changed in the checkout."] : []),
    ].join("\n");
}
