import { BUILT_IMAGES } from "../../../../tools/images/builtImages";
import type { StateResource } from "../../../../tools/pulumi/stackState";
import { expectedDeployment } from "../../../../tools/stack/expectedDeployment";
import { problemsIn, type StatusReport } from "../../../../tools/status/report";
import { statusText } from "../../../../tools/status/text";
import { devicesOf, measureVolume } from "../../../../tools/status/volumes";
import { summary } from "../../../../tools/up/summary";

const NOW = Date.parse("2027-01-01T00:00:00Z");
const LIMITS = { certificateDays: 14, freePercent: 10 };
const WELL: StatusReport = {
    stack: "dev",
    nodes: [{ name: "node1", state: "running", health: "healthy", startedAt: "2026-12-01T00:00:00.000Z" }],
    frontEnd: [],
    backends: [{ proxy: "proxy", server: "s3/node1", address: "10.0.0.2", status: "UP 2/3", running: 0 }],
    certificates: [{ notAfter: "2027-01-15T00:00:00Z", renewalFailures: 0, source: "proxy" }],
    drained: [],
    volumes: [{ name: "drive1", node: "node1", usedBytes: 30, device: "/dev/sda1" }],
    devices: [{ name: "/dev/sda1", volumes: ["drive1"], usedBytes: 90, freeBytes: 10 }],
    unanswered: [],
};

const problemsWith = (change: Partial<StatusReport>) => problemsIn({ ...WELL, ...change }, LIMITS, NOW);

test("a healthy deployment has no problem", () => {
    expect(problemsIn(WELL, LIMITS, NOW)).toEqual([]);
});

test.each(["DOWN", "DOWN 1/2", "DRAIN", "MAINT", "NOLB"])("a server that is %s is a problem", (status) => {
    const backends = [{ proxy: "proxy", server: "s3/node1", address: "10.0.0.2", status, running: 0 }];
    expect(problemsWith({ backends })).toEqual([`s3/node1 is ${status} for proxy`]);
});

test.each([
    ["2027-01-14T23:59:59Z", /less than 14 days more/],
    ["2026-12-31T23:59:59Z", /invalid since/],
])("a certificate until %s is a problem", (notAfter, reason) => {
    expect(problemsWith({ certificates: [{ notAfter, source: "proxy" }] })).toEqual([expect.stringMatching(reason)]);
});

test("a failed renewal is a problem, however long the certificate is still valid", () => {
    const certificates = [{ notAfter: "2027-06-01T00:00:00Z", renewalFailures: 3, source: "proxy" as const }];
    expect(problemsWith({ certificates })).toEqual(["the certificate could not be renewed, 3 times by now"]);
});

test("a device with less free space than the minimum is a problem", () => {
    const devices = [{ name: "/dev/sda1", volumes: ["drive1", "drive2"], usedBytes: 901, freeBytes: 99 }];
    expect(problemsWith({ devices })).toEqual([
        "the device /dev/sda1 of drive1, drive2 has 9.9 % free, less than 10 %",
    ]);
});

test("a drive that isn't healed is a problem", () => {
    const healing = [{ node: "node1", drive: 2, reason: "is being healed since 2026-12-31T10:00:00Z" }];
    expect(problemsWith({ healing })).toEqual(["node1 drive 2 is being healed since 2026-12-31T10:00:00Z"]);
});

test("a node that an update left out of the proxies is a problem, reported with the command that returns it to service", () => {
    const drained = [{ address: "10.0.0.2", node: "node1" }, { address: "10.0.0.9" }];
    expect(problemsWith({ drained })).toEqual([
        expect.stringMatching(/^node1 \(10\.0\.0\.2\) was taken out .* npm run up -- --stack dev$/),
        expect.stringMatching(/^10\.0\.0\.9 was taken out /),
    ]);
});

test("a volume whose usage could not be counted is no problem; one whose node can't be queried is", () => {
    expect(problemsWith({ volumes: [{ name: "drive1", node: "node1", device: "/dev/sda1" }] })).toEqual([]);
    expect(problemsWith({ volumes: [{ name: "drive1", node: "node1" }] })).toEqual([
        "disk usage of drive1 isn't known: node1 doesn't run",
    ]);
});

describe("a node's report about its volumes", () => {
    const answers: { [command: string]: string } = {
        "stat -c %d /data/drive1": "2049\n",
        "df -P -k /data/drive1":
            "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 300 100 200 33% /data",
        "timeout 10 du -s -k /data/drive1": "7\t/data/drive1\n",
    };
    const engine = (changes: { [command: string]: string | undefined } = {}) => ({
        run: (_node: string, command: string[]) => {
            const output = { ...answers, ...changes }[command.join(" ")];
            return Promise.resolve(output === undefined ? { code: 124, output: "" } : { code: 0, output });
        },
    });
    const drive = (node: string) => ({ name: `${node}-drive1`, node, path: "/data/drive1" });

    test("has the store's own usage, and each device once for all volumes on it", async () => {
        const measured = await Promise.all(
            ["node1", "node2"].map((node) => measureVolume(engine(), drive(node), true)),
        );
        expect(devicesOf(measured)).toEqual({
            volumes: ["node1", "node2"].map((node) => ({
                name: `${node}-drive1`,
                node,
                usedBytes: 7 * 1024,
                device: "/dev/sda1",
            })),
            devices: [
                {
                    name: "/dev/sda1",
                    volumes: ["node1-drive1", "node2-drive1"],
                    usedBytes: 100 * 1024,
                    freeBytes: 200 * 1024,
                },
            ],
        });
    });

    test("devices of one name are distinguished by their numbers", async () => {
        const other = engine({ "stat -c %d /data/drive1": "2050\n" });
        const measured = [
            await measureVolume(engine(), drive("node1"), true),
            await measureVolume(other, drive("node2"), true),
        ];
        expect(devicesOf(measured).devices.map(({ name }) => name)).toEqual(["/dev/sda1 (2049)", "/dev/sda1 (2050)"]);
    });

    test("devices of different hosts are different ones, whatever their numbers", async () => {
        const on = (node: string, host: string) => measureVolume(engine(), drive(node), true, host);
        const measured = await Promise.all([on("node1", "a"), on("node2", "b"), on("node3", "a")]);
        const { volumes, devices } = devicesOf(measured);
        expect(devices.map(({ name, volumes: names }) => [name, names])).toEqual([
            ["/dev/sda1 on a", ["node1-drive1", "node3-drive1"]],
            ["/dev/sda1 on b", ["node2-drive1"]],
        ]);
        expect(volumes.map(({ device }) => device)).toEqual(["/dev/sda1 on a", "/dev/sda1 on b", "/dev/sda1 on a"]);
    });

    test("lacks the usage if it can't be counted in time, and everything if the node doesn't run", async () => {
        const slow = engine({ "timeout 10 du -s -k /data/drive1": undefined });
        expect(await measureVolume(slow, drive("node1"), true)).not.toHaveProperty("usedBytes");
        expect(await measureVolume(engine(), drive("node1"), false)).toEqual({ name: "node1-drive1", node: "node1" });
    });
});

test("an unhealthy node is a problem, reported with the output of its check", () => {
    const nodes = [{ name: "node1", state: "running", health: "unhealthy", lastCheck: "503" }];
    expect(problemsWith({ nodes })).toEqual(["node1 is unhealthy; its last check says: 503"]);
});

test("columns are aligned with their headers, and sizes have units", () => {
    const volumes = [
        { name: "a-long-name", node: "node1", usedBytes: 3 * 2 ** 20, device: "/dev/sda1" },
        { name: "another", node: "node2", device: "/dev/sda1" },
    ];
    const devices = [
        { name: "/dev/sda1", volumes: ["a-long-name", "another"], usedBytes: 3 * 2 ** 30, freeBytes: 2 ** 40 },
    ];
    expect(statusText({ ...WELL, volumes, devices }, [], NOW)).toContain(
        "VOLUME       USED     DEVICE\na-long-name  3.0 MiB  /dev/sda1\nanother      ?        /dev/sda1\n\n" +
            "DEVICE     USED BY ALL  FREE     FREE %\n/dev/sda1  3.0 GiB      1.0 TiB  99.7\n",
    );
});

test.each([
    [BUILT_IMAGES.rustfs.reference, false],
    [BUILT_IMAGES.minio.reference, true],
    ["rustfs/rustfs:1.0.1", true],
])("the console's URL of a store of the image %s is shown: %p", (name, shown) => {
    const expected = expectedDeployment([
        {
            urn: "urn:pulumi:dev::store::docker:index/remoteImage:RemoteImage::image",
            type: "docker:index/remoteImage:RemoteImage",
            inputs: { name },
        },
        {
            urn: "urn:pulumi:dev::store::pulumi:pulumi:Stack::store",
            type: "pulumi:pulumi:Stack",
            outputs: { consoleUrl: "https://console.localhost" },
        } as StateResource,
    ]);
    expect(expected.outputs.consoleUrl).toBe(shown ? "https://console.localhost" : undefined);
});

test.each([
    [true, /^Console: https:\/\/console\.localhost$/m],
    [false, /^Console: none\. /m],
])("the summary of a deployment, with a console: %p", (hasConsole, line) => {
    const outputs = {
        s3Endpoint: "https://s3.localhost",
        consoleUrl: "https://console.localhost",
        caCertificate: "",
        certificateNotAfter: "",
    };
    const text = summary(outputs, "ca.pem", { names: [], resolve: true }, hasConsole);
    expect(text).toMatch(line);
    expect(text.includes("https://console.localhost")).toBe(hasConsole);
});

test("helpers that have ended, and volumes without data, are not expected", () => {
    const label = (name: string) => [{ label: `docker-object-store.${name}`, value: "x" }];
    const container = (name: string, inputs: object) => ({
        urn: `urn:pulumi:dev::store::docker:index/container:Container::${name}`,
        type: "docker:index/container:Container",
        inputs: { name, ...inputs },
    });
    const volume = (name: string) => ({
        urn: `urn:pulumi:dev::store::docker:index/volume:Volume::${name}`,
        type: "docker:index/volume:Volume",
        inputs: { name },
    });
    const mounts = ["node10-drive1", "node10-secrets"].map((volumeName) => ({ volumeName, containerPath: "/data" }));
    const expected = expectedDeployment([
        container("node10", { labels: label("node"), volumes: mounts }),
        container("node2", { labels: label("node") }),
        container("proxy", { labels: label("front-end") }),
        container("configure", { labels: label("front-end"), mustRun: false }),
        volume("node10-drive1"),
        volume("node10-secrets"),
    ]);
    expect(expected).toMatchObject({ nodes: ["node2", "node10"], frontEnd: ["proxy"] });
    expect(expected.volumes).toEqual([{ name: "node10-drive1", node: "node10", path: "/data" }]);
});

test("buckets with a weaker durability than strict are named, and are no problem", () => {
    const weakBuckets = [{ store: "store", bucket: "old" }];
    expect(statusText({ ...WELL, weakBuckets }, [], NOW)).toMatch(/durability relaxed[^]*- old of store[^]*Healthy$/);
    expect(statusText(WELL, [], NOW)).not.toContain("durability");
});
