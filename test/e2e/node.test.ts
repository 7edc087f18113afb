import { GetObjectCommand, PutObjectCommand, CreateBucketCommand } from "@aws-sdk/client-s3";
import { setTimeout as sleep } from "node:timers/promises";
import { s3ClientFor } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { StandIn } from "./harness/standIn";
import { standInStore } from "./harness/stores";
import { testImages } from "./harness/testRun";
import { waitUntil } from "./harness/wait";

const SECOND = 1000;

/** Service contract, section 1, on running containers. */
describe("the nodes' containers", () => {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;

    beforeAll(async () => {
        deployment = await Deployment.create({ ...standInStore().config, nodeCount: "2" });
        await deployment.up();
        outputs = await deployment.outputs();
    }, 180 * SECOND);

    afterAll(() => deployment.remove(), 120 * SECOND);

    const node = (number: number) => `${deployment.clusterName}-pool1-node${number}`;

    const statusOf = async (container: string, url: string) =>
        Number(
            await host.exec(container, [
                ...["curl", "--silent", "--output", "/dev/null", "--max-time", "5", "--write-out", "%{http_code}"],
                url,
            ]),
        );

    /** The environment of the store's process, which `docker inspect` doesn't show completely. */
    const environment = async (container: string) => {
        const text = await host.environmentOf(container);
        return Object.fromEntries(text.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
    };

    test("S3 is served on port 9000, the console on port 9001", async () => {
        expect(await statusOf(node(1), "http://127.0.0.1:9000/health/ready")).toBe(200);
        expect(await statusOf(node(1), "http://127.0.0.1:9001/service/console/health")).toBe(200);
    });

    test.each([
        ["SERVICE_ACCESS_KEY", () => outputs.accessKey],
        ["SERVICE_SECRET_KEY", () => outputs.secretKey],
        ["SERVICE_CONSOLE_ENABLE", () => "true"],
        ["SERVICE_ADDRESS", () => ":9000"],
        ["SERVICE_CONSOLE_ADDRESS", () => ":9001"],
        ["SERVICE_OBS_LOGGER_LEVEL", () => "error"],
        ["SERVICE_OBS_LOG_DIRECTORY", () => "/logs"],
    ])("%s has its value", async (name, value) => {
        expect((await environment(node(1)))[name]).toBe(value());
    });

    test("log files are written to the log directory, at the level asked for", async () => {
        const log = await host.exec(node(1), ["cat", "/logs/service.log"]);
        expect(log).toContain("a line at the level error");
        expect(log).not.toContain("a line at the level warn");
    });

    test("data lies on a named volume below /data, and outlives its container", async () => {
        const volume = `${node(1)}-drive1`;
        const { Mounts: mounts } = await host.inspect(node(1));
        expect(mounts.filter(({ Destination: path }) => path.startsWith("/data/"))).toMatchObject([
            { Type: "volume", Name: volume, Destination: "/data/drive1", RW: true },
        ]);
        const client = s3ClientFor(outputs);
        const object = { Bucket: "kept", Key: "object" };
        await client.send(new CreateBucketCommand({ Bucket: "kept" }));
        await client.send(new PutObjectCommand({ ...object, Body: "content" }));
        for (const container of [node(1), node(2)]) {
            await host.docker.getContainer(container).remove({ force: true });
        }
        await deployment.refresh();
        await deployment.up();
        const { Body: body } = await client.send(new GetObjectCommand(object));
        expect(await body?.transformToString()).toBe("content");
    }, 180_000);

    test("nodes reach each other's S3 listener", async () => {
        expect(await statusOf(node(1), `http://${node(2)}:9000/health/ready`)).toBe(200);
        expect(await statusOf(node(2), `http://${node(1)}:9000/health/ready`)).toBe(200);
    });

    test("other Docker networks don't reach a node, nor does a port of the host", async () => {
        const { NetworkSettings: settings } = await host.inspect(node(1));
        const addresses = Object.values(settings.Networks).map(({ IPAddress: address }) => address);
        // A port that the image only exposes has null here, which the types don't know.
        const published: unknown[] = Object.values(settings.Ports);
        expect(published.filter((ports) => ports !== null)).toEqual([]);
        const connected =
            "curl --silent --output /dev/null --connect-timeout 3 --max-time 10 --write-out '%{time_connect}'";
        const attempts = addresses.flatMap((address) =>
            [9000, 9001].map((port) => `[ "$(${connected} http://${address}:${port}/)" = 0.000000 ]`),
        );
        // Docker 20.10 removes the rule that separates its networks, and adds it again, whenever a network is created, as
        // another suite may do now. So a connection counts if it is made twice.
        const allFail = attempts.join(" && ");
        for (const network of ["bridge", `${deployment.clusterName}-public`]) {
            await host.runOnNetwork(testImages().clients, network, [
                "/bin/sh",
                "-c",
                `{ ${allFail}; } || { sleep 5; ${allFail}; }`,
            ]);
        }
    }, 60_000);

    test("the health check has the contract's numbers", async () => {
        const { Config: config } = await host.inspect(node(1));
        expect(config.Healthcheck).toMatchObject({
            Interval: 10e9,
            Timeout: 5e9,
            Retries: 5,
            StartPeriod: 30e9,
        });
    });

    test("the health check succeeds only when both listeners answer with a success status", async () => {
        const { Config: config } = await host.inspect(node(1));
        const [, ...command] = config.Healthcheck?.Test ?? [];
        const succeeds = () =>
            host.exec(node(1), command).then(
                () => true,
                () => false,
            );
        const standIn = new StandIn(host, node(1));
        const found: { [answers: string]: boolean } = {};
        for (const [s3, console] of [
            [200, 200],
            [503, 200],
            [200, 503],
            [204, 200],
            [302, 200],
        ] as const) {
            await standIn.setS3Health(s3);
            await standIn.setConsoleHealth(console);
            found[`${s3} and ${console}`] = await succeeds();
        }
        await standIn.setS3Health(200);
        expect(found).toEqual({
            "200 and 200": true,
            "503 and 200": false,
            "200 and 503": false,
            "204 and 200": true,
            "302 and 200": false,
        });
    }, 30_000);

    test("a container whose process is killed is started again; one that is stopped stays so", async () => {
        const state = async () => (await host.inspect(node(2))).State;
        const { Pid: pid } = await state();
        // `docker kill` counts as a stop, so the process is killed from the host.
        await host.runOnNetwork(testImages().clients, "none", ["/bin/sh", "-c", `kill -9 ${pid}`], {
            PidMode: "host",
            UsernsMode: "host",
        });
        await waitUntil("it runs as another process", async () => {
            const { Pid: present, Running: running } = await state();
            return running && present !== pid;
        });
        await host.docker.getContainer(node(2)).stop();
        await sleep(10 * SECOND);
        expect((await state()).Running).toBe(false);
        await host.docker.getContainer(node(2)).start();
    }, 120_000);
});
