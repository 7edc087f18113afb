import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ALLOWABLE_CHANGES } from "../../../../../components/requirements/clusterChanges";
import { DRIVE_WORDS } from "../../../../../components/requirements/driveWords";
import { PROJECT } from "../../../../../tools/paths";
import {
    COMPONENTS,
    everyProperty,
    RESOURCES,
    type PackageSchema,
} from "../../../../../tools/maintain/docs/schemaOfComponents";

interface Manifest {
    name: string;
    version: string;
    dependencies: { [name: string]: string };
    devDependencies: { [name: string]: string };
}

interface Lockfile {
    packages: { [path: string]: { version: string } };
}

const read = (...path: string[]) => JSON.parse(readFileSync(join(PROJECT, ...path), "utf8")) as unknown;

describe("the component package", () => {
    const schema = read("plugin", "schema.json") as PackageSchema;
    const own = read("plugin", "package.json") as Manifest;

    test("has a description for every component, type and property", () => {
        const described = [
            ...Object.entries(schema.resources).map(([path, { description }]) => ({ path, description })),
            ...Object.entries(schema.types).map(([path, { description }]) => ({ path, description })),
            ...everyProperty(schema).map(({ path, property }) => ({ path, description: property.description })),
        ];
        expect(described.filter(({ description }) => !/^\S.*\S$/s.test(description ?? ""))).toEqual([]);
        expect(described.filter(({ description }) => /\{@|\[object/.test(description ?? ""))).toEqual([]);
    });

    test("names the words of allowedChanges that there are", () => {
        const ofChanges = everyProperty(schema).filter(({ path }) => /\ballowedChanges$/.test(path));
        expect(ofChanges.length).toBeGreaterThan(0);
        for (const { property } of ofChanges) {
            const words = [...(property.description ?? "").matchAll(/`(\w+)(?::NAME)?`/g)].map(([, word]) => word);
            expect(words).toEqual([...ALLOWABLE_CHANGES, ...DRIVE_WORDS]);
        }
    });

    test("contains every component and resource of the npm package", () => {
        const names = Object.keys(schema.resources).map((token) => token.split(":").at(-1));
        expect(names.sort()).toEqual([...COMPONENTS, ...RESOURCES].sort());
        expect(Object.values(schema.resources).filter(({ isComponent }) => isComponent)).toHaveLength(
            COMPONENTS.length,
        );
        expect(names).toEqual(
            expect.arrayContaining(["HaproxyFrontEnd", "ObjectStore", "StorageCluster", "StorageNode", "Bucket"]),
        );
    });

    test("marks secrets, in args and outputs", () => {
        const secrets = everyProperty(schema).filter(({ property }) => property.secret);
        expect(secrets.map(({ path }) => path.replace("docker-object-store:index:", ""))).toEqual(
            expect.arrayContaining([
                "StorageCluster inputs: accessKey",
                "StorageCluster inputs: secretKey",
                "StorageCluster inputs: internodeSecret",
                "StorageCluster outputs: accessKey",
                "StorageCluster outputs: secretKey",
                "Certificate: pem",
                "ExternalAccountBinding: hmacKey",
            ]),
        );
    });

    test("uses integers, except for fractions of CPUs", () => {
        const fractions = everyProperty(schema).filter(({ property }) => property.type === "number");
        expect(new Set(fractions.map(({ name }) => name))).toEqual(new Set(["cpus"]));
    });

    test("is run by Node.js under the name that its types begin with, in this project's version", () => {
        expect(parse(readFileSync(join(PROJECT, "plugin", "PulumiPlugin.yaml"), "utf8"))).toEqual({
            runtime: "nodejs",
        });
        const { version } = read("package.json") as Manifest;
        expect([schema.name, schema.version]).toEqual([own.name, own.version]);
        expect(own.version).toBe(version);
        expect(Object.keys(schema.resources).every((token) => token.startsWith(`${own.name}:index:`))).toBe(true);
    });

    test("contains the dependencies that this project is tested with", () => {
        const { dependencies, devDependencies } = read("package.json") as Manifest;
        const wanted = [...Object.keys(dependencies), "@pulumi/pulumi", "esbuild", "typescript"].sort();
        expect(Object.keys(own.dependencies).sort()).toEqual(wanted);
        const [here, there] = [read("package-lock.json"), read("plugin", "package-lock.json")] as Lockfile[];
        for (const name of wanted) {
            const version = here?.packages[`node_modules/${name}`]?.version;
            expect([name, own.dependencies[name]]).toEqual([name, version]);
            expect([name, there?.packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
        }
        ["esbuild", "typescript"].forEach((name) => expect(devDependencies[name]).toBe(own.dependencies[name]));
    });
});
