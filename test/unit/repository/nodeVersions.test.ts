import { readFileSync } from "node:fs";
import { join } from "node:path";
import { minVersion, satisfies } from "semver";
import { PROJECT } from "../../../tools/paths";

const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");

interface Manifest {
    engines: { node: string };
    allowScripts: { [name: string]: boolean };
}

interface Locked {
    optional?: boolean;
    hasInstallScript?: boolean;
    engines?: { node?: string };
}

const manifest = JSON.parse(read("package.json")) as Manifest;

/** The oldest version of each supported line of Node.js. */
const OLDEST = manifest.engines.node.split(" || ").map((line) => minVersion(line)?.version ?? line);

/** Installed packages, by their names. */
const lockedIn = (folder: string) =>
    Object.entries(
        (JSON.parse(read(join(folder, "package-lock.json"))) as { packages: { [path: string]: Locked } }).packages,
    )
        .filter(([path]) => path !== "")
        .map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ""), ...locked }));

test("the documents name the versions of Node.js that package.json allows", () => {
    expect(OLDEST).toEqual(["20.19.0", "22.13.0", "24.0.0"]);
    expect((JSON.parse(read("plugin/package.json")) as Manifest).engines).toEqual(manifest.engines);
    expect(read("README.md")).toContain("Node.js 22.13, 24 or newer. 20.19 works too");
    for (const file of ["CONTRIBUTING.md", "docs/start/pulumi.md"]) {
        expect(read(file)).toContain("Node.js 22.13, 24 or newer (20.19 works too)");
    }
});

describe.each(["", "plugin"])("npm ci in the folder %j of the project", (folder) => {
    test("warns of no version of Node.js, except of 20 for the SDK", () => {
        const refusing = OLDEST.flatMap((version) =>
            lockedIn(folder)
                .filter(({ optional, engines }) => optional !== true && !satisfies(version, engines?.node ?? "*"))
                .map(({ name }) => `${name} on ${version}`),
        );
        expect(refusing).toEqual(["@pulumi/pulumi on 20.19.0"]);
    });

    test("compiles nothing, and runs no script of a package", () => {
        const names = lockedIn(folder).map(({ name }) => name);
        expect(names).toEqual(expect.not.arrayContaining(["cpu-features"]));
        expect(names).toEqual(expect.not.arrayContaining(["nan"]));
        const { allowScripts } = JSON.parse(read(join(folder, "package.json"))) as Manifest;
        const withScripts = lockedIn(folder).filter((locked) => locked.hasInstallScript === true);
        expect(allowScripts).toEqual(Object.fromEntries(withScripts.map(({ name }) => [name, false])));
    });
});
