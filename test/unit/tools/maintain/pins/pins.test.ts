import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../../../../tools/paths";
import { requireCli } from "../../../../../tools/maintain/pins/cliModules";
import { hasPins, PINS, withPin, type Pin } from "../../../../../tools/maintain/pins/pins";
import { planRaises, raiseTable } from "../../../../../tools/maintain/pins/raises";
import type { Registries } from "../../../../../tools/maintain/pins/registries";

const [ONE, TWO] = ["example.com/one", "example.com/two"];
const tool: Pin = { name: "tool", title: "a tool", goModules: [ONE, TWO] };
const library: Pin = { name: "@example/library", title: "a library", goModules: [] };
const plugin: Pin = { name: "@example/plugin", title: "a plugin", goModules: [], byHand: "change both" };

/** Registries that have these versions of every npm package, and these Go modules. */
const registries = (versions: string[], modules: string[] = []): Registries => ({
    npmVersions: () => Promise.resolve(versions),
    hasGoModule: (module, version) => Promise.resolve(modules.includes(`${module}@${version}`)),
});

const plan = async (pin: Pin, pinned: string, from: Registries) => {
    const [raise] = await planRaises([pin], () => pinned, from);
    return [raise?.after, raise?.remark];
};

describe("planRaises", () => {
    test("takes the newest release, whatever the registry's order, and no pre-release", async () => {
        const found = registries(["3.9.0", "3.10.0", "3.2.0", "4.0.0-rc.1", "latest"]);
        expect(await plan(library, "3.2.0", found)).toEqual(["3.10.0", undefined]);
    });

    test("never lowers a pin", async () => {
        expect(await plan(library, "3.11.0", registries(["3.10.0"]))).toEqual(["3.11.0", undefined]);
    });

    test("takes the newest version that has every Go module, and says what the newest one lacks", async () => {
        const found = registries(
            ["3.1.0", "3.2.0", "3.3.0", "3.4.0"],
            [`${TWO}@3.4.0`, `${ONE}@3.3.0`, `${ONE}@3.2.0`, `${TWO}@3.2.0`],
        );
        expect(await plan(tool, "3.1.0", found)).toEqual([
            "3.2.0",
            "3.4.0 is out, but can't be had as Go module example.com/one",
        ]);
    });

    test("keeps a pin if no newer version has its Go modules", async () => {
        expect(await plan(tool, "3.1.0", registries(["3.1.0", "3.2.0"]))).toEqual([
            "3.1.0",
            "3.2.0 is out, but can't be had as Go module example.com/one, example.com/two",
        ]);
    });

    test("only names a newer version that a person has to raise", async () => {
        expect(await plan(plugin, "5.1.0", registries(["5.2.0"]))).toEqual(["5.1.0", "5.2.0 is out: change both"]);
    });
});

test("the table has each pin before and after", () => {
    expect(
        raiseTable([
            { pin: tool, before: "3.1.0", after: "3.10.0" },
            { pin: plugin, before: "5.1.0", after: "5.1.0", remark: "5.2.0 is out" },
        ]),
    ).toBe(
        [
            "          PACKAGE          BEFORE  AFTER",
            "a tool    tool             3.1.0   3.10.0",
            "a plugin  @example/plugin  5.1.0   =       5.2.0 is out",
        ].join("\n"),
    );
});

test("a raise of the CLI reaches the Go module that it is built from, on each operating system", async () => {
    const ran: string[] = [];
    const changed = await requireCli("9.9.9", "/programs", (program, args, { env } = {}) => {
        ran.push([program, ...args, env?.["GOOS"] ?? ""].join(" ").trim());
        return Promise.resolve("");
    });
    const list = "go list -mod=mod -deps -tags no_compose github.com/pulumi/pulumi/pkg/v3/cmd/pulumi ./...";
    expect(ran).toEqual([
        "go get github.com/pulumi/pulumi/sdk/v3@v9.9.9",
        "go get -tool github.com/pulumi/pulumi/pkg/v3/cmd/pulumi@v9.9.9",
        `${list} linux`,
        `${list} darwin`,
    ]);
    expect(changed).toEqual(["tools/toolchain/programs/go.mod", "tools/toolchain/programs/go.sum"]);
});

describe("the project's files", () => {
    const files = execFileSync("git", ["ls-files"], { cwd: PROJECT, encoding: "utf8" }).split("\n");
    const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");
    const own = JSON.parse(read("package.json")) as { devDependencies: { [name: string]: string } };

    test.each(PINS.filter(({ byHand }) => byHand === undefined))(
        "$name is pinned to the same version everywhere",
        ({ name }) => {
            const places = files
                .filter(hasPins)
                .flatMap((file) =>
                    [...read(file).matchAll(new RegExp(`"${name}": "(\\d[^"]*)"`, "g"))].map(([, version]) => version),
                );
            expect(new Set(places)).toEqual(new Set([own.devDependencies[name]]));
        },
    );

    test("a raise reaches every package.json that pins the SDK, and leaves ranges", () => {
        const version = own.devDependencies["@pulumi/pulumi"] ?? "";
        const pinning = files.filter((file) => file.endsWith("package.json") && read(file).includes(`"${version}"`));
        expect(pinning.filter((file) => !hasPins(file))).toEqual([]);
        expect(pinning).toEqual(
            expect.arrayContaining(["package.json", "plugin/package.json", "examples/single-node/package.json"]),
        );
        for (const file of pinning) {
            const raised = withPin(read(file), "@pulumi/pulumi", version, "9.9.9");
            expect(raised).toContain('"@pulumi/pulumi": "9.9.9"');
            expect(withPin(raised, "@pulumi/pulumi", "9.9.9", version)).toBe(read(file));
        }
        expect(withPin(read("package.json"), "@pulumi/pulumi", version, "9.9.9")).toMatch(
            /"peerDependencies": \{\s+"@pulumi\/pulumi": "\^3\.142\.0"/,
        );
    });
});
