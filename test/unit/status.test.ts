import { expectedDeployment } from "../../tools/statusExpected";
import { problemsIn, type StatusReport } from "../../tools/statusReport";
import { statusText } from "../../tools/statusText";

const NOW = Date.parse("2027-01-01T00:00:00Z");
const LIMITS = { certificateDays: 14, freePercent: 10 };
const WELL: StatusReport = {
    stack: "dev",
    nodes: [{ name: "node1", state: "running", health: "healthy", startedAt: "2026-12-01T00:00:00.000Z" }],
    frontEnd: [],
    backends: [{ proxy: "proxy", server: "s3/node1", address: "10.0.0.2", status: "UP 2/3", running: 0 }],
    certificates: [{ notAfter: "2027-01-15T00:00:00Z", renewalFailures: 0, source: "proxy" }],
    volumes: [{ name: "drive1", node: "node1", device: { usedBytes: 90, freeBytes: 10 } }],
    unanswered: [],
};

const problemsWith = (change: Partial<StatusReport>) => problemsIn({ ...WELL, ...change }, LIMITS, NOW);

test("where everything is as it should be there is no problem", () => {
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

test("a renewal that failed is a problem, however long the certificate is still valid", () => {
    const certificates = [{ notAfter: "2027-06-01T00:00:00Z", renewalFailures: 3, source: "proxy" as const }];
    expect(problemsWith({ certificates })).toEqual(["the certificate could not be renewed, 3 times by now"]);
});

test("a device with less than the least share free is a problem", () => {
    const volumes = [{ name: "drive1", node: "node1", device: { usedBytes: 901, freeBytes: 99 } }];
    expect(problemsWith({ volumes })).toEqual(["the device of drive1 has 9.9 % free, less than 10 %"]);
});

test("an unhealthy node is a problem, told with what its check says", () => {
    const nodes = [{ name: "node1", state: "running", health: "unhealthy", lastCheck: "503" }];
    expect(problemsWith({ nodes })).toEqual(["node1 is unhealthy; its last check says: 503"]);
});

test("columns stand below their heads, and sizes have units", () => {
    const volumes = [{ name: "a-long-name", node: "node1", device: { usedBytes: 3 * 2 ** 30, freeBytes: 2 ** 40 } }];
    expect(statusText({ ...WELL, volumes }, [], NOW)).toContain(
        "VOLUME       USED     FREE     FREE %\na-long-name  3.0 GiB  1.0 TiB  99.7\n",
    );
});

test("helpers that have ended, and volumes that hold no data, are not expected", () => {
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
