import { setTimeout as sleep } from "node:timers/promises";
import { DockerEngine } from "../../components/docker/engine";
import { ProxyServers } from "../../components/proxyControl/proxyServers";
import type { StatusReport } from "../../tools/status/report";
import { Checkout } from "./harness/checkout";
import { DockerHost } from "./harness/dockerHost";
import { standInStore } from "./harness/stores";
import { PATIENCE_SECONDS } from "./harness/wait";

/** Output of `npm run status -- --json`. */
type PrintedReport = StatusReport & { healthy: boolean; problems: string[] };

describe("npm run status", () => {
    const host = new DockerHost();
    let checkout: Checkout;
    let nodes: string[];
    let proxy: string;

    beforeAll(async () => {
        checkout = await Checkout.make({ ...standInStore().config, nodeCount: "2", drivesPerNode: "2" });
        nodes = [1, 2].map((number) => `${checkout.clusterName}-pool1-node${number}`);
        proxy = `${checkout.clusterName}-proxy`;
        checkout.up();
    }, 300_000);

    afterAll(() => checkout.remove(), 120_000);

    /** Its output on both streams, and its exit code. */
    const status = (...args: string[]): { code: number; output: string } => {
        const output = checkout.shell(`npm run --silent status -- ${args.join(" ")} 2>&1; echo "exit code $?"`);
        const [, text = "", code] = /^([^]*)exit code (\d+)\n$/.exec(output) ?? [];
        return { code: Number(code), output: text };
    };

    const json = (...args: string[]): PrintedReport => JSON.parse(status("--json", ...args).output) as PrintedReport;

    /** The report, once it matches: the proxy's own checks take a while. */
    const reportOnce = async (holds: (report: PrintedReport) => boolean): Promise<PrintedReport> => {
        const deadline = Date.now() + PATIENCE_SECONDS * 1000;
        for (;;) {
            const report = json();
            if (holds(report) || Date.now() > deadline) {
                return report;
            }
            await sleep(1000);
        }
    };

    const isWell = ({ healthy }: PrintedReport) => healthy;

    test("shows the state of every part, and exits with 0 if everything is healthy", async () => {
        expect((await reportOnce(isWell)).problems).toEqual([]);
        const { code, output } = status();
        for (const name of [...nodes, proxy]) {
            expect(output).toMatch(new RegExp(`^${name} +running +healthy +\\d{4}-`, "m"));
        }
        for (const server of ["s3/node1", "s3/node2", "console/node1", "console/node2"]) {
            expect(output).toMatch(new RegExp(`^${server} +UP +[0-9.]+ +\\d+ +${proxy}$`, "m"));
        }
        for (const volume of nodes.flatMap((node) => [1, 2].map((drive) => `${node}-drive${drive}`))) {
            expect(output).toMatch(new RegExp(`^${volume} +[0-9.]+ (\\wi)?B +\\S+$`, "m"));
        }
        const [, devices = ""] = /^DEVICE .*\n([^]*?)\n\n/m.exec(output) ?? [];
        expect(devices).toMatch(/^\S+ +[0-9.]+ \wiB +[0-9.]+ \wiB +[0-9.]+$/);
        expect(output).toMatch(/^\d{4}-\d\d-\d\dT[0-9:]+Z +\d+ +0 +proxy$/m);
        expect(output).toMatch(/\nHealthy\n$/);
        expect(code).toBe(0);
    }, 120_000);

    test("with --json prints the same for programs", () => {
        const { nodes: containers, certificates, volumes, devices, backends } = json();
        expect(containers.map(({ name, health }) => [name, health])).toEqual(nodes.map((name) => [name, "healthy"]));
        expect(certificates).toEqual([expect.objectContaining({ renewalFailures: 0, source: "proxy" })]);
        expect(backends).toHaveLength(4);
        expect(volumes).toHaveLength(4);
        expect(devices).toEqual([
            {
                name: volumes[0]?.device,
                volumes: volumes.map(({ name }) => name),
                usedBytes: expect.any(Number) as number,
                freeBytes: expect.any(Number) as number,
            },
        ]);
        // The stand-in's drives are almost empty; the engine's device isn't.
        for (const { usedBytes } of volumes) {
            expect(usedBytes).toBeLessThan((devices[0]?.usedBytes ?? 0) / 10);
        }
    }, 60_000);

    test("shows the expiry of the certificate that clients get", () => {
        const seconds = Math.floor(Date.parse(checkout.outputs().certificateNotAfter) / 1000);
        expect(Date.parse(json().certificates[0]?.notAfter ?? "") / 1000).toBe(seconds);
    }, 60_000);

    test("a certificate that expires too soon, and a device that is too full, are problems", () => {
        const { code, output } = status("--certificate-days", "4000", "--free-percent", "100");
        expect(output).toMatch(/\d problems?:[^]* less than 4000 days more[^]* less than 100 %/);
        expect(code).toBe(1);
    }, 60_000);

    test.each([
        ["a stack that isn't there", ["--stack", "nowhere"], /nowhere/],
        ["an option that isn't known", ["--what"], /--what/],
        ["a limit that is no number", ["--free-percent", "few"], /argument 'few' is invalid\. Give a number from 0 on/],
    ])("%s exits with 2, and says what is wrong", (_, args, reason) => {
        const { code, output } = status(...args);
        expect(output).toMatch(reason);
        expect(code).toBe(2);
    });

    test("an engine that doesn't answer: exits with 2", () => {
        const output = checkout.shell(`DOCKER_HOST=unix:///nowhere.sock npm run --silent status 2>&1; echo "exit $?"`);
        expect(output).toMatch(/Docker doesn't answer at unix:\/\/\/nowhere\.sock[^]*exit 2\n$/);
    }, 60_000);

    test("a stopped node is reported with its servers and its volumes: exits with 1", async () => {
        const node = host.docker.getContainer(nodes[1] ?? "");
        await node.stop({ t: 1 });
        const isDown = ({ backends }: PrintedReport) => backends.filter(({ status: s }) => s === "DOWN").length === 2;
        const { problems, nodes: containers } = await reportOnce(isDown);
        expect(containers.map(({ state }) => state)).toEqual(["running", "exited"]);
        expect(problems).toEqual([
            expect.stringMatching(`^${nodes[1]} is exited: .*docker start ${nodes[1]}`),
            `s3/node2 is DOWN for ${proxy}`,
            `console/node2 is DOWN for ${proxy}`,
            expect.stringContaining(`${nodes[1]}-drive1 isn't known`),
            expect.stringContaining(`${nodes[1]}-drive2 isn't known`),
        ]);
        expect(status().code).toBe(1);
        await node.start();
        expect((await reportOnce(isWell)).problems).toEqual([]);
    }, 240_000);

    test("a node that a killed update left out is named, with the command that returns it to service; the command works", async () => {
        const engine = await DockerEngine.connect();
        const servers = new ProxyServers(engine, `${checkout.clusterName}-nodes`);
        const { address = "" } = (await servers.list()).find(({ server }) => server === "s3/node2") ?? {};
        await servers.set([address], "drain");
        const report = await reportOnce(({ problems }) => problems.some((problem) => problem.includes("taken out")));
        const [, command = ""] =
            /^node2 \([0-9.]+\) was taken out .*: (npm run up .*)$/m.exec(report.problems.join("\n")) ?? [];
        expect(command).toBe(`npm run up -- --stack ${checkout.stack}`);
        expect(status().code).toBe(1);
        checkout.shell(command);
        expect((await reportOnce(isWell)).problems).toEqual([]);
    }, 240_000);

    test("a node that doesn't exist any more is reported: exits with 1", async () => {
        await host.docker.getContainer(nodes[0] ?? "").remove({ force: true });
        const { code, output } = status();
        expect(output).toMatch(new RegExp(`^${nodes[0]} +gone +- +-$`, "m"));
        expect(output).toContain(`${nodes[0]} is gone: npm run up creates it again`);
        expect(code).toBe(1);
        checkout.up();
        expect((await reportOnce(isWell)).problems).toEqual([]);
    }, 240_000);

    test("with the proxy down, the rest is still reported, and the certificate as of the last update", async () => {
        await host.docker.getContainer(proxy).stop({ t: 1 });
        const report = json();
        expect(report.problems).toEqual([expect.stringMatching(`^${proxy} is exited: `)]);
        expect(report.nodes.map(({ health }) => health)).toEqual(["healthy", "healthy"]);
        expect(report.volumes.map(({ device }) => device === undefined)).toEqual([false, false, false, false]);
        expect(report.certificates).toEqual([expect.objectContaining({ source: "last update" })]);
        expect(report.backends).toEqual([]);
        await host.docker.getContainer(proxy).remove({ force: true });
        const { code, output } = status();
        expect(output).toContain(`${proxy} is gone: npm run up creates it again`);
        expect(code).toBe(1);
    }, 120_000);
});
