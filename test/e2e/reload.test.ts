import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceProfile } from "../../components/store/profiles/contract";
import type { ClusterEndpoints } from "../../components/args/clusterEndpoints";
import { CONSOLE_PORT, S3_PORT } from "../../components/store/topology";
import { PROJECT } from "../../tools/paths";
import { PROGRAM_ENVIRONMENT } from "../../tools/pulumi/programEnvironment";
import { makeCertificate, ownCertificate, type TestCertificate } from "../certificates";
import { get, s3ClientFor } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { freePorts, freeSubnet } from "./harness/freeResources";
import { DockerHost } from "./harness/dockerHost";
import { HaproxyRuntime } from "./harness/haproxyRuntime";
import { beginUpload, LiveConnection } from "./harness/lastingTraffic";
import { subnetOf } from "./harness/networkClient";
import { openTlsSocket } from "./harness/rawConnection";
import { MANNERS, ShortRequests } from "./harness/shortRequests";
import { standInStore } from "./harness/stores";
import { testImages } from "./harness/testRun";
import { checksumOf } from "./harness/traffic";
import { waitUntil } from "./harness/wait";

const SECOND = 1000;
const FORMER_HOST = "s3.localhost";
const HOST = "moved.localhost";
const CONSOLE_HOST = "console.localhost";

describe("a change of the proxy's configuration or certificate", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let proxy: HaproxyRuntime;
    let former: TestCertificate;
    let next: TestCertificate;

    beforeAll(async () => {
        former = await makeCertificate([FORMER_HOST, CONSOLE_HOST]);
        next = await makeCertificate([HOST, CONSOLE_HOST]);
        deployment = await Deployment.create({
            ...standInStore().config,
            nodeCount: "2",
            certificate: ownCertificate(former),
        });
        await deployment.up();
        await readOutputs(former);
        proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
        await proxy.ask("set server console/node2 state drain");
    }, 180 * SECOND);

    afterAll(() => deployment.remove(), 120 * SECOND);

    /** Clients trust only the CA of one certificate. */
    const readOutputs = async ({ issuer }: TestCertificate) => {
        outputs = { ...(await deployment.outputs()), caCertificate: issuer };
    };

    const servedCertificate = async () => {
        const socket = await openTlsSocket(deployment.httpsPort, { servername: CONSOLE_HOST });
        const { fingerprint256 } = socket.getPeerCertificate();
        socket.destroy();
        return fingerprint256;
    };

    /** Runs the helper of the last update again: write, check, reload. */
    const runHelper = async () => {
        const helper = host.docker.getContainer(`${deployment.clusterName}-configure`);
        await helper.start();
        expect(await host.exitCode(helper)).toBe(0);
    };

    /** The process that accepts new connections. */
    const workerOf = async (runtime: HaproxyRuntime) => /^Pid: (\d+)$/m.exec(await runtime.ask("show info"))?.[1];

    test(
        "lets running uploads and a WebSocket continue to their end, byte for byte",
        async () => {
            const client = s3ClientFor(outputs);
            await client.send(new CreateBucketCommand({ Bucket: "bucket" }));
            const [container, formerWorker] = [(await host.inspect(proxy.container)).Id, await workerOf(proxy)];
            let markDone: () => void = () => undefined;
            const done = new Promise<void>((resolve) => (markDone = resolve));
            const uploads = [
                await beginUpload(outputs, "http/1.1", { bucket: "bucket", key: "one" }, done),
                await beginUpload(outputs, "h2", { bucket: "bucket", key: "two" }, done),
            ];
            const live = await LiveConnection.open(outputs);
            const talk = live.talkUntil(done);
            try {
                await deployment.configure({ s3Host: HOST, certificate: ownCertificate(next) });
                await deployment.up();
                await readOutputs(next);
                // Only new connections get the reloaded configuration.
                expect(await servedCertificate()).toBe(new X509Certificate(next.certificate).fingerprint256);
                expect((await get(outputs, `${outputs.s3Endpoint}/service/echo`)).status).toBe(200);
                const byFormerName = { host: FORMER_HOST };
                expect((await get(outputs, `${outputs.s3Endpoint}/service/echo`, byFormerName)).status).toBe(404);
            } finally {
                markDone();
            }

            await talk;
            expect(live.received).toEqual(live.sent);
            expect(live.sent.length).toBeGreaterThan(5);
            live.close();
            const moved = s3ClientFor(outputs);
            for (const { key, checksum, status } of uploads) {
                expect(await status).toBe(200);
                expect(await checksumOf(moved, "bucket", key)).toBe(checksum);
            }
            expect((await host.inspect(proxy.container)).Id).toBe(container);
            expect(await workerOf(proxy)).not.toBe(formerWorker);
        },
        180 * SECOND,
    );

    test(
        "ten times in a row fails no request, on new and on persistent connections, over either protocol",
        async () => {
            const endpoint = { port: deployment.httpsPort, tls: { ca: outputs.caCertificate, servername: HOST } };
            const loads = MANNERS.map((manner) => ({
                manner,
                requests: new ShortRequests(manner, endpoint, "/service/echo"),
            }));
            const workers = new Set([await workerOf(proxy)]);
            try {
                for (let reload = 0; reload < 10; reload++) {
                    await runHelper();
                    workers.add(await workerOf(proxy));
                }
            } finally {
                await Promise.all(loads.map(({ requests }) => requests.stop()));
            }
            expect(workers.size).toBe(11);
            for (const { manner, requests } of loads) {
                const { answered, failures } = await requests.stop();
                expect({ manner, failures }).toEqual({ manner, failures: [] });
                expect(answered).toBeGreaterThan(50);
            }
        },
        120 * SECOND,
    );

    test("leaves a drain unchanged", async () => {
        expect((await proxy.states("console"))["node2"]).toBe("DRAIN");
    });

    test(
        "leaves no previous worker behind once its connections have ended",
        async () => {
            const processes = async () => {
                const { Processes: rows } = (await host.docker.getContainer(proxy.container).top()) as {
                    Processes: string[][];
                };
                return rows.length;
            };
            // Idle connections of clients end after 10 s.
            await waitUntil("master and worker alone are left", async () => (await processes()) === 2);
        },
        60 * SECOND,
    );

    test("is requested through a volume that only the proxy and its helper mount", async () => {
        const sockets = `${deployment.clusterName}-sockets`;
        const containers = await host.docker.listContainers({ all: true });
        const mounting = containers.filter(({ Mounts: mounts }) => mounts.some(({ Name: name }) => name === sockets));
        expect(mounting.flatMap(({ Names: names }) => names).sort()).toEqual([
            `/${deployment.clusterName}-configure`,
            `/${deployment.clusterName}-proxy`,
        ]);
    });

    test("is not requested over TCP: the proxy only listens for HTTP, HTTPS and the metrics", async () => {
        const tables = await host.exec(proxy.container, ["cat", "/proc/net/tcp", "/proc/net/tcp6"]);
        // Local address and port in hexadecimal digits, the peer's, and the state; 0A means LISTEN.
        const listening = [...tables.matchAll(/^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F:]+ 0A /gm)];
        const dockersNameServer = "0B00007F";
        const ports = listening
            .filter(([, address]) => address !== dockersNameServer)
            .map(([, , port = ""]) => parseInt(port, 16));
        expect([...new Set(ports)].sort()).toEqual([8080, 8404, 8443]);
    });

    describe("that HAProxy can't load, in a proxy of a user's own program", () => {
        const folder = mkdtempSync(join(tmpdir(), "reload-"));
        let stack: Stack;
        let second: HaproxyRuntime;
        let echo: () => ReturnType<typeof get>;

        beforeAll(async () => {
            const program = join(PROJECT, "test", "e2e", "programs", "frontEndAlone.ts");
            writeFileSync(join(folder, "Pulumi.yaml"), `name: reload\nruntime: nodejs\nmain: ${program}\n`);
            const envVars = {
                PULUMI_BACKEND_URL: `file://${folder}`,
                PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
                ...PROGRAM_ENVIRONMENT,
            };
            stack = await LocalWorkspace.createOrSelectStack({ stackName: "test", workDir: folder }, { envVars });
            const [httpPort, httpsPort] = await freePorts();
            await configure({
                cluster: JSON.stringify(await endpoints()),
                frontEndName: `${deployment.clusterName}-second`,
                publicSubnet: await freeSubnet(),
                haproxyImage: testImages().haproxy,
                httpPort: String(httpPort),
                httpsPort: String(httpsPort),
            });
            const { caCertificate, containerName } = (await stack.up()).outputs;
            second = new HaproxyRuntime(host, String(containerName?.value));
            const trusting = { ...outputs, caCertificate: String(caCertificate?.value) };
            echo = () => get(trusting, `https://${FORMER_HOST}:${httpsPort}/service/echo`);
        }, 180 * SECOND);

        afterAll(async () => {
            await stack.cancel().catch(() => undefined);
            await stack.destroy();
            rmSync(folder, { recursive: true });
        }, 180 * SECOND);

        const configure = (values: { [key: string]: string }) =>
            stack.setAllConfig(
                Object.fromEntries(Object.entries(values).map(([key, value]) => [`reload:${key}`, { value }])),
            );

        /** The deployment's nodes, to which this is an additional proxy. */
        const endpoints = async (): Promise<ClusterEndpoints> => {
            const networkName = `${deployment.clusterName}-nodes`;
            const server = async (name: string) => {
                const { NetworkSettings: settings } = await host.inspect(`${deployment.clusterName}-pool1-${name}`);
                return { name, address: settings.Networks[networkName]?.IPAddress ?? "" };
            };
            return {
                ...serviceProfile,
                profileName: serviceProfile.name,
                networkName,
                subnet: await subnetOf(host, networkName),
                servers: [await server("node1"), await server("node2")],
                s3Port: S3_PORT,
                consolePort: CONSOLE_PORT,
            };
        };

        test.each([
            ["`haproxy -c` refuses", "no-such-keyword", "unknown keyword 'no-such-keyword' in 'frontend' section"],
            [
                "a worker can't start with",
                "bind 192.0.2.1:8081",
                "cannot bind socket (Cannot assign requested address)",
            ],
        ])(
            "%s: the update fails with HAProxy's message, and the previous configuration stays active",
            async (_, addedLine, message) => {
                const [configuration, formerWorker] = [await second.configuration(), await workerOf(second)];
                await configure({ addedLine, hstsMaxAge: "60" });
                await expect(stack.up({ color: "never" })).rejects.toThrow(message);

                const { status, headers } = await echo();
                expect([status, headers["strict-transport-security"]]).toEqual([200, undefined]);
                expect(await second.configuration()).toBe(configuration);
                expect(await workerOf(second)).toBe(formerWorker);
            },
            180 * SECOND,
        );

        test("leaves no key in the failed helper's files", async () => {
            const helper = `${deployment.clusterName}-second-configure`;
            expect((await host.inspect(helper)).State).toMatchObject({ Status: "exited", ExitCode: 1 });
            const pem = await host.exec(second.container, ["cat", "/usr/local/etc/haproxy/current/certificate.pem"]);
            const [, key = ""] = /BEGIN PRIVATE KEY-----\n.*\n(.*)\n/.exec(pem) ?? [];
            expect(key).toMatch(/^[A-Za-z0-9+/=]{40,}$/);
            expect(await host.textsInLayers(helper, [key])).toHaveLength(0);
        }, 60_000);

        test(
            "is followed by a valid one: the next update succeeds",
            async () => {
                await stack.removeConfig("reload:addedLine");
                await stack.up();
                const { status, headers } = await echo();
                expect([status, headers["strict-transport-security"]]).toEqual([200, "max-age=60"]);
            },
            180 * SECOND,
        );
    });
});
