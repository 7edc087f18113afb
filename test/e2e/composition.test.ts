import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../tools/paths";
import { PROGRAM_ENVIRONMENT } from "../../tools/pulumi/programEnvironment";
import { get, s3ClientFor } from "./harness/clients";
import type { DeploymentOutputs } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { freeClusterName, freePorts } from "./harness/freeResources";
import { trafficDuring } from "./harness/rolloutTraffic";
import { testedEngine, testImages } from "./harness/testRun";
import { waitUntil } from "./harness/wait";

const MINUTES = 60_000;

const STORES = ["one", "two", "third"] as const;

type StoreName = (typeof STORES)[number];

/** What a client needs to reach one of the program's stores. */
type StoreOutputs = Pick<DeploymentOutputs, "s3Endpoint" | "accessKey" | "secretKey" | "caCertificate">;

const [BUCKET, KEY] = ["bucket", "the/same key"];

describe("components composed by a program", () => {
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "composition-"));
    const accessKey = randomBytes(10).toString("hex");
    const secretKey = randomBytes(20).toString("hex");
    let prefix: string;
    let volume: string;
    let stack: Stack;
    let stores: { [Name in StoreName]: StoreOutputs };

    beforeAll(async () => {
        const program = join(PROJECT, "test", "e2e", "programs", "composition.ts");
        writeFileSync(join(folder, "Pulumi.yaml"), `name: composition\nruntime: nodejs\nmain: ${program}\n`);
        const envVars = {
            PULUMI_BACKEND_URL: `file://${folder}`,
            PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
            ...PROGRAM_ENVIRONMENT,
            // Only the program's own provider can reach the engine.
            DOCKER_HOST: "unix:///nowhere/docker.sock",
        };
        const stackName = `test-${randomBytes(4).toString("hex")}`;
        stack = await LocalWorkspace.createOrSelectStack({ stackName, workDir: folder }, { envVars });
        prefix = await freeClusterName();
        volume = `${prefix}-adopted`;
        await host.docker.createVolume({ Name: volume });
        const [httpPort, httpsPort] = await freePorts();
        const [thirdHttpPort, thirdHttpsPort] = await freePorts();
        const { standIn, minio, haproxy } = testImages();
        await configure({
            prefix,
            volume,
            dockerHost: testedEngine(),
            standInImage: standIn,
            minioImage: minio,
            haproxyImage: haproxy,
            httpPort: String(httpPort),
            httpsPort: String(httpsPort),
            thirdHttpPort: String(thirdHttpPort),
            thirdHttpsPort: String(thirdHttpsPort),
            clusterComponent: "one",
            shmSize: "64",
        });
        await stack.setConfig("composition:accessKey", { value: accessKey, secret: true });
        await stack.setConfig("composition:secretKey", { value: secretKey, secret: true });
        await up();
        await readOutputs();
    }, 5 * MINUTES);

    afterAll(async () => {
        await stack.cancel().catch(() => undefined);
        await stack.destroy().catch(() => undefined);
        await host.removeEverythingOf(prefix);
        rmSync(folder, { recursive: true });
    }, 3 * MINUTES);

    const configure = (values: { [key: string]: string }) =>
        stack.setAllConfig(
            Object.fromEntries(Object.entries(values).map(([key, value]) => [`composition:${key}`, { value }])),
        );

    const readOutputs = async () => {
        stores = (await stack.outputs())["stores"]?.value as typeof stores;
    };

    const up = async () => (await stack.up({ color: "never" })).summary.resourceChanges ?? {};

    const previewFailing = () =>
        stack.preview({ color: "never" }).then(
            () => "the preview succeeded",
            (error: unknown) => String(error),
        );

    const clientOf = (name: StoreName): S3Client => s3ClientFor(stores[name] as DeploymentOutputs);

    const contentOf = async (name: StoreName) => {
        const client = clientOf(name);
        const { Body: body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: KEY }));
        const content = await body?.transformToString();
        client.destroy();
        return content;
    };

    const contents = async () => {
        const read = await Promise.all(STORES.map(async (name) => [name, await contentOf(name)] as const));
        return Object.fromEntries(read);
    };

    const nodes = async () => {
        const found = await Promise.all([1, 2, 3].map((node) => host.inspect(`${prefix}-one-pool1-node${node}`)));
        return found.map(({ Id: id, HostConfig: { ShmSize: size = 0 } }) => ({ id, mebibytes: size / 1024 / 1024 }));
    };

    test("stores with the same bucket and key behind one proxy are never mixed up", async () => {
        for (const name of STORES) {
            const client = clientOf(name);
            await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
            await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: KEY, Body: `content of ${name}` }));
            client.destroy();
        }
        const expected = Object.fromEntries(STORES.map((name) => [name, `content of ${name}`]));
        for (let round = 0; round < 20; round++) {
            expect(await contents()).toEqual(expected);
        }
        // Keys of one store give no access to another one.
        const crossed = s3ClientFor({ ...stores.one, s3Endpoint: stores.two.s3Endpoint } as DeploymentOutputs);
        await expect(crossed.send(new GetObjectCommand({ Bucket: BUCKET, Key: KEY }))).rejects.toThrow(
            /InvalidAccessKeyId|does not exist/,
        );
        crossed.destroy();
    }, 60_000);

    test(
        "another service has its own hostname, and keeps it when its container is replaced",
        async () => {
            const url = new URL(stores.one.s3Endpoint);
            url.hostname = "application.localhost";
            const answer = () =>
                get(stores.one as DeploymentOutputs, url.href).then(
                    ({ status, body }) => `${status} ${body.toString()}`,
                );
            expect(await answer()).toBe("200 the application");
            // The replacement may have another address.
            const network = host.docker.getNetwork(`${prefix}-applications`);
            await network.disconnect({ Container: `${prefix}-application` });
            await host.docker
                .createContainer({
                    name: `${prefix}-holder`,
                    Image: testImages().standIn,
                    Entrypoint: ["sleep", "60"],
                    HostConfig: { NetworkMode: `${prefix}-applications`, AutoRemove: true },
                })
                .then((holder) => holder.start());
            await network.connect({ Container: `${prefix}-application`, EndpointConfig: { Aliases: ["application"] } });
            await waitUntil("the application answers", async () => (await answer()) === "200 the application");
            await host.docker.getContainer(`${prefix}-holder`).remove({ force: true });
        },
        2 * MINUTES,
    );

    test(
        "a second update and a refresh change nothing",
        async () => {
            expect(Object.keys(await up())).toEqual(["same"]);
            expect(Object.keys((await stack.refresh()).summary.resourceChanges ?? {})).toEqual(["same"]);
            expect(Object.keys(await up())).toEqual(["same"]);
        },
        3 * MINUTES,
    );

    test("a user's own label is on all containers", async () => {
        const all = await host.docker.listContainers({ all: true });
        const deployed = all.filter(
            ({ Names: [name = ""] }) => name.startsWith(`/${prefix}-`) && name !== `/${prefix}-application`,
        );
        expect(deployed.length).toBe(14);
        expect(
            deployed.filter(({ Labels: given }) => given["team"] !== "platform").map(({ Names: names }) => names),
        ).toEqual([]);
    });

    test(
        "clients use the existing network, and its gateway can't be a trusted address",
        async () => {
            const { NetworkSettings: settings } = await host.inspect(`${prefix}-edge-proxy`);
            expect(Object.keys(settings.Networks).sort()).toEqual(
                ["applications", "clients", "one-nodes", "two-nodes"].map((name) => `${prefix}-${name}`),
            );
            expect(await host.namesOf(`${prefix}-edge-public`)).toEqual([]);
            const { Gateway: gateway } = settings.Networks[`${prefix}-clients`] ?? {};
            await configure({ adminNetworks: JSON.stringify([`${gateway}/32`]) });
            expect(await previewFailing()).toContain(
                `stores[0].adminNetworks[0]: "${gateway}/32" holds ${gateway}, the gateway of the proxy's own network`,
            );
            await stack.removeConfig("composition:adminNetworks");
            await configure({ publicNetworkName: `${prefix}-one-nodes` });
            expect(await previewFailing()).toContain(`publicNetworkName: "${prefix}-one-nodes" is an internal network`);
            await stack.removeConfig("composition:publicNetworkName");
        },
        2 * MINUTES,
    );

    test(
        "a volume without the cluster's data is refused, and so is one that doesn't exist or is in use",
        async () => {
            await configure({ volume: `${prefix}-other` });
            const missing = await previewFailing();
            expect(missing).toContain(
                `volumeNames[0][0]: "${prefix}-other" is not where the data of ${prefix}-two is: that drive is the volume ${volume}`,
            );
            expect(missing).toContain(
                `volumeNames[0][0]: "${prefix}-other" doesn't exist on the Docker daemon: create it first`,
            );
            await configure({ volume });
            const user = await host.docker.createContainer({
                name: `${prefix}-user`,
                Image: testImages().standIn,
                Entrypoint: ["sleep", "60"],
                HostConfig: { Binds: [`${volume}:/mnt`] },
            });
            await user.start();
            expect(await previewFailing()).toContain(
                `volumeNames[0][0]: "${volume}" is in use by ${prefix}-user: stop that first`,
            );
            await user.remove({ force: true });
        },
        2 * MINUTES,
    );

    test(
        "a component with another name and an alias replaces nothing",
        async () => {
            const before = await nodes();
            await configure({ clusterComponent: "renamed", formerName: "one" });
            expect(Object.keys(await up())).toEqual(["same"]);
            expect(await nodes()).toEqual(before);
        },
        2 * MINUTES,
    );

    test(
        "a transform reaches the containers; another one, together with restartedAt, is rolled out with no failed request",
        async () => {
            const before = await nodes();
            expect(before.map(({ mebibytes }) => mebibytes)).toEqual([64, 64, 64]);
            await configure({ shmSize: "128", restartedAt: "today" });
            const recording = await host.recordEvents(`${prefix}-one-`);
            const { s3Endpoint } = stores.one;
            const consoleUrl = s3Endpoint.replace("//s3.", "//console.");
            const traffic = await trafficDuring({ ...stores.one, consoleUrl } as DeploymentOutputs, up);
            expect(traffic.failures).toEqual([]);
            expect(traffic.answered.length).toBeGreaterThan(100);
            const after = await nodes();
            expect(after.map(({ mebibytes }) => mebibytes)).toEqual([128, 128, 128]);
            expectOneAfterTheOther(recording.stop());
        },
        3 * MINUTES,
    );

    test(
        "a transform that changes alone replaces one node after the other too",
        async () => {
            await configure({ shmSize: "96" });
            const recording = await host.recordEvents(`${prefix}-one-`);
            await up();
            expect((await nodes()).map(({ mebibytes }) => mebibytes)).toEqual([96, 96, 96]);
            expectOneAfterTheOther(recording.stop());
        },
        3 * MINUTES,
    );

    test(
        "a volume that existed before is kept with its content when everything else is removed",
        async () => {
            await stack.destroy();
            expect(await host.namesOf(prefix)).toEqual([volume]);
            await up();
            await readOutputs();
            expect(await contentOf("two")).toBe("content of two");
        },
        5 * MINUTES,
    );

    /** Expects that each node had started before the next one stopped. */
    function expectOneAfterTheOther(events: { container: string; action: string }[]): void {
        const recorded = events
            .filter(({ container, action }) => /-pool1-node\d$/.test(container) && ["die", "start"].includes(action))
            .map(({ container, action }) => `${container.slice(-5)} ${action}`);
        expect(recorded).toEqual(["node1", "node2", "node3"].flatMap((node) => [`${node} die`, `${node} start`]));
    }
});
