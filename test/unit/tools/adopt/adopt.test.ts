import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { minioProfile } from "../../../../components";
import { commandsFor } from "../../../../tools/adopt/adoptedStack";
import { storeOn, type AdoptedStore } from "../../../../tools/adopt/adoptedStore";
import { parseLook, type FoundContainer } from "../../../../tools/adopt/foundContainer";
import { pinnedImage } from "../../../../tools/adopt/pinnedImage";
import { expandRanges } from "../../../../tools/adopt/ranges";
import { resultOf } from "../../../../tools/adopt/stackPreview";
import { storeProcessOf } from "../../../../tools/adopt/storeProcess";
import { PROJECT } from "../../../../tools/paths";

test.each([
    ["/data", ["/data"]],
    ["/data{1...3}", ["/data1", "/data2", "/data3"]],
    ["/data{01...03}/x", ["/data01/x", "/data02/x", "/data03/x"]],
    ["h{1...2}/d{1...2}", ["h1/d1", "h2/d1", "h1/d2", "h2/d2"]],
    ["/data{3...1}", []],
    ["/data/rustfs{0..3}", ["/data/rustfs{0..3}"]],
])("the range %s", (pattern, expected) => {
    expect(expandRanges(pattern)).toEqual(expected);
});

describe("a store's process", () => {
    test.each([
        [
            ["minio", "server", "/a", "/b"],
            ["/a", "/b"],
        ],
        [["/usr/bin/minio", "server", "--console-address", ":9001", "/a{1...4}"], ["/a{1...4}"]],
        [["minio", "--quiet", "server", "/a"], ["/a"]],
        [["minio", "server", "server"], ["server"]],
        [["minio", "server"], []],
        [
            ["/usr/bin/rustfs", "--console-enable", "/data/rustfs0", "/data/rustfs1"],
            ["/data/rustfs0", "/data/rustfs1"],
        ],
        [["rustfs", "server", "/data"], ["/data"]],
        [["rustfs"], []],
    ])("%j has the drives %j", (args, volumes) => {
        expect(storeProcessOf([["/bin/sh", "-c", "minio server /c"], args])?.volumes).toEqual(volumes);
    });

    test.each([
        [["minio", "gateway", "s3"]],
        [["mc", "mirror", "minio", "server"]],
        [["node", "minio.js"]],
        [["sh", "-c", "minio server /a"]],
    ])("%j is none", (args) => {
        expect(storeProcessOf([args])).toBeUndefined();
    });
});

describe("a look into a container", () => {
    const script = join(PROJECT, "tools", "adopt", "scripts", "lookAround.sh");

    test("lists its processes, with arguments of any kind", () => {
        const odd = ["two words", "", 'a "quote"', "a\nline"];
        // A shell whose last command isn't its only one stays, with all its arguments.
        const output = execFileSync("/bin/sh", ["-c", 'sh "$0"; true', script, ...odd], { encoding: "utf8" });
        expect(parseLook(output).processes).toContainEqual(["/bin/sh", "-c", 'sh "$0"; true', script, ...odd]);
        expect(parseLook(output).missing).toEqual([]);
    });

    test("names programs that are missing", () => {
        const folder = mkdtempSync(join(tmpdir(), "programs-"));
        const programs = ["cat", "chown", "cp", "mktemp", "mv", "sync"];
        programs.forEach((program) => symlinkSync(join("/bin", program), join(folder, program)));
        const output = execFileSync("/bin/sh", [script], { encoding: "utf8", env: { PATH: folder } });
        rmSync(folder, { recursive: true });
        expect(parseLook(output).missing).toEqual(expect.arrayContaining(["curl", "readlink"]));
        expect(parseLook(output).missing).not.toContain("cat");
    });
});

describe("the image", () => {
    const hash = `sha256:${"0123456789abcdef".repeat(4)}`;
    const found = (image: string, tags: string[], digests: string[], release?: string) =>
        pinnedImage({
            name: "minio",
            image,
            release,
            imageFacts: { id: hash, tags, digests },
        } as unknown as FoundContainer);

    test.each([
        [
            "an exact tag",
            found("minio/minio:RELEASE.2025-09-07T16-13-09Z", ["minio/minio:RELEASE.2025-09-07T16-13-09Z"], []),
            "minio/minio:RELEASE.2025-09-07T16-13-09Z",
        ],
        [
            "the registry's name beside it",
            found(
                "docker.io/minio/minio:RELEASE.2025-09-07T16-13-09Z",
                ["minio/minio:RELEASE.2025-09-07T16-13-09Z"],
                [],
            ),
            "docker.io/minio/minio:RELEASE.2025-09-07T16-13-09Z",
        ],
        ["a digest", found(`minio/minio@${hash}`, [], []), `minio/minio@${hash}`],
        [
            "a digest, of a known release",
            found(`minio/minio@${hash}`, [], [], "RELEASE.2025-09-07T16-13-09Z"),
            `minio/minio:RELEASE.2025-09-07T16-13-09Z@${hash}`,
        ],
        [
            "a tag that another image has by now",
            found("rustfs/rustfs:1.0.1", [], [`rustfs/rustfs@${hash}`], "1.0.1"),
            `rustfs/rustfs:1.0.1@${hash}`,
        ],
        [
            "a moving tag",
            found(
                "minio/minio:latest",
                ["minio/minio:latest"],
                [`minio/minio@${hash}`],
                "RELEASE.2025-09-07T16-13-09Z",
            ),
            `minio/minio:RELEASE.2025-09-07T16-13-09Z@${hash}`,
        ],
        [
            "a moving tag, of an unknown release",
            found("minio/minio", ["minio/minio:latest"], [`minio/minio@${hash}`], "DEVELOPMENT.GOGET"),
            `minio/minio@${hash}`,
        ],
        [
            "the digest of the same name",
            found("quay.io/minio/minio", [], [`minio/minio@${hash}1`, `quay.io/minio/minio@${hash}`]),
            `quay.io/minio/minio@${hash}`,
        ],
    ])("%s", (_, pinned, image) => {
        expect(pinned).toEqual({ image });
    });
});

describe("the commands", () => {
    const container = (name: string, restart: string) => ({ name, restart }) as FoundContainer;
    const store = (more: Partial<AdoptedStore> = {}): AdoptedStore => ({
        ...storeOn({ store: "minio", drives: [{ path: "/srv/my data" }] }, "admin\na-password", {}),
        owner: "0:0",
        ...more,
    });
    const inContainers = [
        [
            { container: container("a", "always"), drives: [{ volume: "one" }] },
            { container: container("b", "no"), drives: [{ volume: "two" }] },
        ],
    ];

    test("pull first, stop then, hand the files over and back, and give the restart policy back", () => {
        expect(commandsFor(store({ pools: inContainers, image: "minio:1" }), "prod", ["haproxy:3.2.26"])).toEqual({
            forth: [
                "docker pull haproxy:3.2.26 &&",
                "docker update --restart no a b &&",
                "docker stop a b &&",
                "docker run --rm --user 0:0 --volume one:/drive1 --volume two:/drive2 --entrypoint chown minio:1 -R 1000:1000 /drive1 /drive2 &&",
                "npm run up -- --stack prod",
            ],
            back: [
                "npm run down -- --stack prod &&",
                "docker run --rm --user 0:0 --volume one:/drive1 --volume two:/drive2 --entrypoint chown minio:1 -R 0:0 /drive1 /drive2 &&",
                "docker update --restart always a &&",
                "docker start a b",
            ],
        });
    });

    test("leave files that have the right owner", () => {
        const { forth, back } = commandsFor(store({ owner: minioProfile.user }), "prod", []);
        expect([...forth, ...back].filter((command) => command.includes("chown"))).toEqual([]);
    });

    test("of a store without a container leave its stop and its start to the user, and are quoted for a shell", () => {
        const { forth, back } = commandsFor(store(), "prod", []);
        expect([forth[0], back.at(-1)]).toEqual([expect.stringMatching(/^# stop the store/), "# start the store"]);
        expect(forth[1]).toContain("--volume '/srv/my data:/drive1'");
        expect(back[1]).toMatch(/ -R 0:0 \/drive1$/);
    });
});

describe("what a preview says", () => {
    const log = (...events: [severity: string, message: string][]) =>
        events.map(([severity, message]) => JSON.stringify({ diagnosticEvent: { severity, message } })).join("\n");
    const refusal = (...problems: string[]) =>
        `the config of stack prod is refused, nothing was changed:\n${problems.map((one) => `  - ${one}\n`).join("")}`;
    const inUse = 'volumeNames[0][0]: "data" is in use by minio, minio2: stop that first';

    test.each([
        [refusal(inUse), []],
        [refusal(inUse, "httpsPort: 443 is taken"), ["httpsPort: 443 is taken"]],
        [
            refusal('volumeNames[0][0]: "data" is in use by minio, backup: stop that first'),
            ['volumeNames[0][0]: "data" is in use by minio, backup: stop that first'],
        ],
        ["the plugin has crashed\n", ["the plugin has crashed"]],
    ])("%j", (message, problems) => {
        const result = resultOf(
            log(["info#err", "no matter"], ["warning", "<{%fg 3%}>image: old<{%reset%}>\n"], ["error", message]),
            ["minio", "minio2"],
        );
        expect(result).toEqual({ problems, warnings: ["image: old"], said: true });
    });

    test("nothing, if it ended before", () => {
        expect(resultOf("", [])).toEqual({ problems: [], warnings: [], said: false });
    });
});
