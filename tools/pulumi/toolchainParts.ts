import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { PULUMI_HOME } from "../paths";

/** A plugin and its version, which the npm package with the same name pins. */
export interface Plugin {
    name: string;
    version: string;
}

/** The last version of the SDK's Go module that contains the language hosts for Node.js and Python. */
export const LANGUAGE_HOST_VERSION = "v3.68.0";

export const PLUGIN_NAMES = ["docker", "random", "tls"];

export function versionOf(npmPackage: string): string {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the version that is installed, whichever that is
    return (require(`${npmPackage}/package.json`) as { version: string }).version;
}

/** Version of the CLI: the version of the npm package `pulumi`. */
export const CLI_VERSION = versionOf("pulumi");

/** Folder in which the npm package `pulumi` and Pulumi's Automation API look for the CLI and its language hosts. */
export const CLI_FOLDER = join(PULUMI_HOME, "versions", CLI_VERSION, "bin");

/** The CLI itself. */
export const CLI = join(CLI_FOLDER, "pulumi");

/** The plugins, in the versions of the npm packages. */
export function plugins(): Plugin[] {
    return PLUGIN_NAMES.map((name) => ({ name, version: versionOf(`@pulumi/${name}`) }));
}

/** The missing parts of the toolchain. */
export interface Missing {
    /** The CLI and the Node.js language host. */
    cli: boolean;
    plugins: Plugin[];
}

export function missingParts(): Missing {
    return {
        cli: !isExecutable(CLI) || !isExecutable(join(CLI_FOLDER, "pulumi-language-nodejs")),
        plugins: plugins().filter(({ name, version }) => {
            const folder = join(PULUMI_HOME, "plugins", `resource-${name}-v${version}`);
            // The CLI takes a plugin whose installation was interrupted for missing.
            return !existsSync(folder) || existsSync(`${folder}.partial`);
        }),
    };
}

/** Whether there is an executable program at a path. */
export function isExecutable(file: string): boolean {
    try {
        accessSync(file, constants.X_OK);
        return true;
    } catch {
        return false;
    }
}

/** Commands that install the missing parts with the vendor's own script. Nothing here verifies what it downloads. */
export function byVendorsScript({ plugins: missing }: Missing): string[] {
    return [
        "npx pulumi version",
        ...missing.map(({ name, version }) => `npx pulumi plugin install resource ${name} ${version}`),
    ];
}
