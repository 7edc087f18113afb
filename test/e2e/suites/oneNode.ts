import { HeadBucketCommand, ListBucketsCommand } from "@aws-sdk/client-s3";
import { get, requestPlain, s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { HaproxyRuntime } from "../harness/haproxyRuntime";
import type { Store } from "../harness/stores";
import { checksumOf, exerciseStore, keepObject } from "../harness/traffic";
import { waitUntil } from "../harness/wait";

/** One node of a store: from the first deployment to traffic, then down and up again. */
export function oneNodeSuite(store: () => Store): void {
    const host = new DockerHost();
    const user = { accessKeyId: "somebody", secretAccessKey: "somebodys-secret" };
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let checksum: string;

    beforeAll(async () => {
        deployment = await Deployment.create(store().config);
        await deployment.up();
        outputs = await deployment.outputs();
    }, 240_000);

    afterAll(() => deployment.remove(), 120_000);

    test("serves S3 through the proxy", () => exerciseStore(outputs), 180_000);

    test("answers at the console's hostname, through the proxy", async () => {
        const { status } = await get(outputs, outputs.consoleUrl + store().consolePath);
        expect(status).toBe(200);
    });

    test("answers 404 at any other hostname", async () => {
        const { status } = await get(outputs, `${outputs.s3Endpoint}/`, { host: "other.localhost" });
        expect(status).toBe(404);
    });

    test("closes at the proxy the paths that the store answers to peers and administrators", async () => {
        for (const path of store().closedPaths) {
            const { status, body } = await get(outputs, outputs.s3Endpoint + path);
            expect([path, status]).toEqual([path, 403]);
            expect(body.toString()).toContain("This path is closed here");
            const curl = ["curl", "--silent", `http://127.0.0.1:9000${path}`];
            expect(await host.exec(outputs.nodeNames[0] ?? "", curl)).not.toContain("This path is closed here");
        }
    });

    test("leaves open at the proxy the paths that are listed as open", async () => {
        for (const path of Object.keys(store().openPaths)) {
            const { body } = await get(outputs, outputs.s3Endpoint + path);
            expect([path, body.toString().includes("This path is closed here")]).toEqual([path, false]);
        }
    });

    test("redirects every request on the HTTP port to HTTPS: same host, path and query, the port that is published", async () => {
        const target = "/a%2Fb//c?d=e%20f";
        for (const method of ["GET", "HEAD", "PUT", "POST", "DELETE"]) {
            const { status, location } = await requestPlain(deployment.httpPort, method, target, "console.localhost:1");
            expect(status).toBe(301);
            expect(location).toBe(`https://console.localhost:${deployment.httpsPort}${target}`);
        }
        const { location } = await requestPlain(deployment.httpPort, "GET", "/", undefined);
        expect(location).toBe(`https://s3.localhost:${deployment.httpsPort}/`);
    });

    test("runs a configuration about which HAProxy reports no problem", async () => {
        const proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
        expect(await proxy.check()).not.toMatch(/warning|alert/i);
    }, 30_000);

    test("publishes no port but the proxy's", async () => {
        const published = (await host.docker.listContainers())
            .filter(({ Names: [name = ""] }) => name.slice(1).startsWith(deployment.clusterName))
            .flatMap(({ Names: [name = ""], Ports: ports }) =>
                ports
                    .filter(({ PublicPort: port }) => port > 0)
                    .map(({ IP: ip, PublicPort: port }) => ({ name, ip, port })),
            )
            .sort((one, other) => one.port - other.port);
        const name = `/${deployment.clusterName}-proxy`;
        const ports = [deployment.httpPort, deployment.httpsPort].sort((one, other) => one - other);
        expect(published).toEqual(ports.map((port) => ({ name, ip: "127.0.0.1", port })));
    });

    test("a second update changes nothing, nor does one after a refresh", async () => {
        const { changes } = await deployment.up();
        expect(Object.keys(changes)).toEqual(["same"]);
        await deployment.refresh();
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
    }, 60_000);

    test("shows no secret in state, preview or logs", async () => {
        const containers = (await host.namesOf(deployment.clusterName)).filter((name) =>
            /proxy|node1$|prepare|configure/.test(name),
        );
        const places: { [place: string]: string } = { state: deployment.state(), preview: await deployment.preview() };
        for (const name of containers) {
            places[`log of ${name}`] = await host.logs(name);
            places[`inspect of ${name}`] = JSON.stringify(await host.inspect(name));
        }
        expect(containers).toHaveLength(4);
        expect(places["state"]).toContain("store-cluster-node1");
        const secrets = [outputs.accessKey, outputs.secretKey, "PRIVATE KEY"];
        // Compares without printing the secrets, so that a failure doesn't show them.
        const shown = Object.keys(places).filter((place) => secrets.some((secret) => places[place]?.includes(secret)));
        expect(shown).toEqual([]);
    }, 60_000);

    test("leaves no secret in a container's layers, running or ended", async () => {
        const containers = (await host.docker.listContainers({ all: true }))
            .map(({ Names: [name = ""], State: state }) => ({ name: name.slice(1), state }))
            .filter(({ name }) => name.startsWith(deployment.clusterName));
        expect(containers.filter(({ state }) => state === "exited")).toHaveLength(2);
        const pem = await host.exec(`${deployment.clusterName}-proxy`, [
            "cat",
            "/usr/local/etc/haproxy/current/certificate.pem",
        ]);
        const [, key = ""] = /BEGIN PRIVATE KEY-----\n.*\n(.*)\n/.exec(pem) ?? [];
        expect(key).toMatch(/^[A-Za-z0-9+/=]{40,}$/);
        // Only names, so that a failure doesn't print the contents.
        const holding: string[] = [];
        for (const { name } of containers) {
            if ((await host.textsInLayers(name, [outputs.accessKey, outputs.secretKey, key])).length > 0) {
                holding.push(name);
            }
        }
        expect(holding).toEqual([]);
    }, 120_000);

    test("keeps data and users through down and up", async () => {
        checksum = await keepObject(s3ClientFor(outputs), "kept", "object");
        await store().createUser(host, outputs, user);
        const before = { names: await host.namesOf(deployment.clusterName), outputs };

        await deployment.down();
        const secrets = outputs.nodeNames.map((name) => `${name}-secrets`);
        expect((await host.namesOf(deployment.clusterName)).sort()).toEqual(
            [...outputs.volumeNames, ...secrets].sort(),
        );
        await deployment.up();
        outputs = await deployment.outputs();

        expect((await host.namesOf(deployment.clusterName)).sort()).toEqual(before.names.sort());
        expect(outputs).toEqual({ ...before.outputs, certificateNotAfter: outputs.certificateNotAfter });
        expect(await checksumOf(s3ClientFor(outputs, user), "kept", "object")).toBe(checksum);
    }, 180_000);

    test("gets an error in S3's format from the proxy while the store is stopped", async () => {
        await host.docker.getContainer(outputs.nodeNames[0] ?? "").stop();
        const proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
        await waitUntil("the proxy has the node down", async () => (await proxy.states("s3"))["node1"] === "DOWN");
        const client = s3ClientFor(outputs, user);
        const failureOf = (sent: Promise<unknown>) =>
            sent.then(
                () => "no failure",
                (error: unknown) => error,
            );
        const unavailable = { $metadata: { httpStatusCode: 503 } };
        expect(await failureOf(client.send(new ListBucketsCommand({})))).toMatchObject({
            ...unavailable,
            name: "ServiceUnavailable",
            message: "No node is available.",
        });
        expect(await failureOf(client.send(new HeadBucketCommand({ Bucket: "kept" })))).toMatchObject(unavailable);
        client.destroy();
    }, 120_000);

    test("waits with requests while the store starts, so that an SDK's attempts last long enough", async () => {
        const client = s3ClientFor(outputs, user, 3);
        await host.docker.getContainer(outputs.nodeNames[0] ?? "").start();
        expect((await client.send(new ListBucketsCommand({}))).$metadata.httpStatusCode).toBe(200);
        client.destroy();
    }, 120_000);
}
