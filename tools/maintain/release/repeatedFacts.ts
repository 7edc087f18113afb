import type { PackageManifest } from "./packageManifest";
import { webAddress } from "./repository";

/** A text that repeats name, version or repository of the package, with those of this package.json. */
type Repeat = (text: string, manifest: PackageManifest) => string;

const VERSION = String.raw`\d+\.\d+\.\d+(?:-[\w.-]+)?`;

/** Address in documents until the repository has one. */
const EXAMPLE_ADDRESS = "https://git.example.com/you/pulumi-docker-object-store";

/** The names of the tarball that `npm pack` creates. */
const tarballs: Repeat = (text, { name, version }) =>
    text.replaceAll(new RegExp(`${name}-${VERSION}\\.tgz`, "g"), `${name}-${version}.tgz`);

/** The version of a package.json. */
const manifestVersion: Repeat = (text, { version }) => text.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`);

/** The two versions of the package itself in its lockfile. */
const lockfileVersions: Repeat = (text, { version }) =>
    text
        .replace(
            new RegExp(String.raw`^(\{\n {2}"name": "[^"]*",\n {2}"version": )"[^"]*"`),
            (_, before: string) => `${before}"${version}"`,
        )
        .replace(
            /^( {2}"packages": \{\n {4}"": \{\n {6}"name": "[^"]*",\n {6}"version": )"[^"]*"/m,
            (_, before: string) => `${before}"${version}"`,
        );

/** The command that adds the component package from its repository. */
const packageAddress: Repeat = (text, { version, repository }) =>
    text.replaceAll(
        /^pulumi package add \S+\.git\/plugin@\S+$/gm,
        `pulumi package add ${(webAddress(repository) ?? EXAMPLE_ADDRESS).replace("https://", "")}.git/plugin@${version}`,
    );

/** The constants of the components. */
const published: Repeat = (text, { version, repository }) => {
    const address = webAddress(repository);
    return text
        .replace(/^(export const VERSION: string = ).*;$/m, `$1${JSON.stringify(version)};`)
        .replace(
            /^(export const REPOSITORY: string \| undefined = ).*;$/m,
            `$1${address === undefined ? "undefined" : JSON.stringify(address)};`,
        );
};

const EXAMPLE_MANIFEST = /^examples\/[^/]+\/package\.json$/;

const REPEATS: { [path: string]: Repeat } = {
    "package-lock.json": lockfileVersions,
    "plugin/package.json": manifestVersion,
    "plugin/package-lock.json": lockfileVersions,
    "docs/start/pulumi.md": (text, manifest) => packageAddress(tarballs(text, manifest), manifest),
    "components/naming/published.ts": published,
};

/** Files that repeat keys of package.json, beside the package.json of each example. */
export const FILES_WITH_FACTS = Object.keys(REPEATS);

/** The text of such a file, by its path in the project, with the keys as they are in package.json. */
export function withFacts(path: string, text: string, manifest: PackageManifest): string {
    const repeat = EXAMPLE_MANIFEST.test(path) ? tarballs : REPEATS[path];
    return repeat === undefined ? text : repeat(text, manifest);
}
