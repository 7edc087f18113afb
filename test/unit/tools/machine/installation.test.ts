import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { announce, forbidInstalling } from "../../../../tools/machine/installation";
import { plugins } from "../../../../tools/pulumi/toolchainParts";
import {
    cliArchive,
    fetchPinned,
    isPinned,
    pinnedDigests,
    pluginArchive,
} from "../../../../tools/pulumi/vendorArchives";

const CONTENT = "an archive";
const DIGEST = createHash("sha256").update(CONTENT).digest("hex");

describe("an archive of the vendor", () => {
    let server: Server;
    let url: string;
    let folder: string;

    beforeAll(async () => {
        server = createServer((request, response) => {
            response.statusCode = request.url === "/cli.tar.gz" ? 200 : 404;
            response.end(CONTENT);
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cli.tar.gz`;
    });

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "archives-"));
    });

    afterEach(() => rmSync(folder, { recursive: true }));
    afterAll(() => new Promise((resolve) => server.close(resolve)));

    test("is accepted if its digest is the pinned one", async () => {
        expect(readFileSync(await fetchPinned(url, { "cli.tar.gz": DIGEST }, folder), "utf8")).toBe(CONTENT);
    });

    test.each([
        ["another one is pinned", { "cli.tar.gz": "0".repeat(64) }],
        ["none is pinned", {}],
    ])("is refused if %s, with both digests", async (_, digests) => {
        const pinned = Object.values(digests).at(0) ?? "none";
        await expect(fetchPinned(url, digests, folder)).rejects.toThrow(
            new RegExp(`was not used: its SHA-256 is ${DIGEST}, .* has ${pinned}`),
        );
    });

    test("that doesn't exist is an error, and leaves no file", async () => {
        await expect(fetchPinned(url.replace("cli.", "other."), {}, folder)).rejects.toThrow("status 404");
        expect(existsSync(join(folder, "other.tar.gz"))).toBe(false);
    });

    test("is pinned by its name", () => {
        expect(isPinned("https://x/a.tar.gz", { "a.tar.gz": DIGEST })).toBe(true);
        expect(isPinned("https://x/b.tar.gz", { "a.tar.gz": DIGEST })).toBe(false);
    });
});

test("the pinned digests are SHA-256, of the versions that package-lock.json pins", () => {
    const { version } = JSON.parse(readFileSync(require.resolve("pulumi/package.json"), "utf8")) as { version: string };
    const names = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"].flatMap((platform) =>
        [cliArchive(version, platform), ...plugins().map((plugin) => pluginArchive(plugin, platform))].map((address) =>
            basename(address),
        ),
    );
    expect(names).toContain(`pulumi-resource-docker-v${plugins()[0]?.version}-linux-amd64.tar.gz`);
    for (const platform of ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"]) {
        expect(isPinned(cliArchive(version, platform), pinnedDigests())).toBe(true);
    }
    for (const [name, digest] of Object.entries(pinnedDigests())) {
        expect(names).toContain(name);
        expect(digest).toMatch(/^[0-9a-f]{64}$/);
    }
});

describe("installations", () => {
    const docker = { description: "Docker, from Debian's packages", commands: ["sudo apt-get install docker.io"] };
    const pulumi = { description: "Pulumi, from Go modules", commands: ["npx pulumi version"] };

    test("are announced before they start, each once", () => {
        const log = jest.spyOn(console, "log").mockImplementation(() => undefined);
        announce([docker]);
        announce([docker, pulumi]);
        const lines = log.mock.calls.map(([line]) => String(line));
        log.mockRestore();
        expect(lines).toHaveLength(2);
        expect(lines[0]).toMatch(/--no-install[^]*- Docker, from Debian's packages/);
        expect(lines[1]).not.toContain("Docker");
    });

    test("are refused with --no-install, with every command", () => {
        forbidInstalling();
        expect(() => announce([docker, pulumi])).toThrow(
            /nothing was installed[^]*Docker[^]*Pulumi[^]*sudo apt-get install docker\.io\n +npx pulumi version/,
        );
        expect(() => announce([])).not.toThrow();
    });
});
