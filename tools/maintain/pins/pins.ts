/** An npm package of Pulumi that is pinned to one version. */
export interface Pin {
    /** Name of the npm package. */
    name: string;
    /** What it is, for the table. */
    title: string;
    /** Go modules that have to exist in the same version, because it is built from them where the vendor's site isn't reached. */
    goModules: string[];
    /** What else has to change with it, so that a person has to raise it. Undefined if the command raises it. */
    byHand?: string;
}

const UPSTREAM = "raise it by hand, with the upstream provider in tools/toolchain/programs/go.mod";

/** Every pin, in the order of the table. */
export const PINS: readonly Pin[] = [
    {
        name: "pulumi",
        title: "CLI",
        goModules: ["github.com/pulumi/pulumi/pkg/v3", "github.com/pulumi/pulumi/sdk/v3"],
    },
    { name: "@pulumi/pulumi", title: "SDK", goModules: [] },
    { name: "@pulumi/docker", title: "plugin docker", goModules: [], byHand: UPSTREAM },
    { name: "@pulumi/random", title: "plugin random", goModules: [], byHand: UPSTREAM },
    { name: "@pulumi/tls", title: "plugin tls", goModules: [], byHand: UPSTREAM },
];

/** Whether a file of the project, by its path, pins versions of npm packages. */
export function hasPins(path: string): boolean {
    return /^(plugin\/|examples\/[^/]+\/)?package\.json$/.test(path);
}

/** The text of a package.json with another version of a package where it is pinned. Ranges stay. */
export function withPin(text: string, name: string, before: string, after: string): string {
    return text.replaceAll(`"${name}": "${before}"`, `"${name}": "${after}"`);
}
