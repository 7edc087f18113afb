import { PutObjectCommand } from "@aws-sdk/client-s3";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { get, s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { HaproxyRuntime, isUp } from "../harness/haproxyRuntime";
import type { Store } from "../harness/stores";
import { checksumOf, exerciseStore, keepObject } from "../harness/traffic";
import { waitUntil } from "../harness/wait";

/** Names of a cluster's containers that the engine created between two times, in milliseconds. */
async function createdContainers(
    host: DockerHost,
    begun: number,
    ended: number,
    clusterName: string,
): Promise<string[]> {
    const stream = await host.docker.getEvents({
        since: begun / 1000,
        until: ended / 1000,
        filters: { type: ["container"], event: ["create"] },
    });
    const events = (await text(stream)).split("\n").filter((line) => line !== "");
    return events
        .map((line) => (JSON.parse(line) as { Actor: { Attributes: { name: string } } }).Actor.Attributes.name)
        .filter((name) => name.startsWith(clusterName));
}

/** Four nodes with two drives each, as one erasure-coded cluster. */
export function clusterSuite(store: () => Store): void {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;

    beforeAll(async () => {
        deployment = await Deployment.create({ ...store().config, nodeCount: "4", drivesPerNode: "2" });
        await deployment.up();
        outputs = await deployment.outputs();
    }, 400_000);

    afterAll(() => deployment.remove(), 180_000);

    test("serves S3 through the proxy", () => exerciseStore(outputs), 240_000);

    test("is one cluster: an object's parts lie on every node", async () => {
        expect(outputs.nodeNames).toHaveLength(4);
        expect(outputs.volumeNames).toHaveLength(8);
        await keepObject(s3ClientFor(outputs), "spread", "object");
        for (const node of outputs.nodeNames) {
            const found = await host.exec(node, ["/bin/sh", "-c", "ls -d /data/drive*/spread/object | wc -l"]);
            expect(Number(found)).toBe(2);
        }
    }, 60_000);

    test("keeps a browser on one node of the console", async () => {
        const { headers } = await get(outputs, `${outputs.consoleUrl}/`);
        const cookie = `${store().config["profile"]}_console=node[1-4]; path=/; HttpOnly; Secure`;
        expect(String(headers["set-cookie"])).toMatch(new RegExp(`^${cookie}$`));
    });

    test("a second update changes nothing, nor does one after a refresh", async () => {
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
        await deployment.refresh();
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
    }, 90_000);

    test("a refresh that runs the program waits for nothing and creates no container, whatever has changed", async () => {
        const ids = () => Promise.all(outputs.nodeNames.map(async (node) => (await host.inspect(node)).Id));
        const before = await ids();
        await deployment.configure({ restartedAt: "later" });
        const begun = Date.now();
        await deployment.refresh("--run-program");
        const ended = Date.now();
        const { clusterName } = deployment;
        expect(await createdContainers(host, begun, ended, clusterName)).toEqual([]);
        expect(ended - begun).toBeLessThan(60_000);
        expect(await ids()).toEqual(before);
        await deployment.unset("restartedAt");
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
    }, 240_000);

    test("with half of its nodes down, objects can be read, but not written", async () => {
        const client = s3ClientFor(outputs);
        const checksum = await keepObject(client, "half", "object");
        const gone = outputs.nodeNames.slice(2).map((node) => host.docker.getContainer(node));
        await Promise.all(gone.map((node) => node.kill()));
        // Requests go to a node until the proxy takes it out of service, and are then aborted. Each remaining node that
        // isn't ready is out of service after three failed checks, each 10 s after the last one, with a timeout of 5 s
        // each.
        await sleep(45_000);
        const proxy = new HaproxyRuntime(host, `${deployment.clusterName}-proxy`);
        await waitUntil("the proxy has put out the nodes that are gone", async () => {
            const backends = await Promise.all([proxy.states("s3"), proxy.states("s3_read")]);
            const states = backends.flatMap((servers) => [servers["node3"], servers["node4"]]);
            return states.every((state) => state === undefined || !isUp(state));
        });
        for (let read = 0; read < 20; read++) {
            expect(await checksumOf(client, "half", "object")).toBe(checksum);
        }
        const write = () => client.send(new PutObjectCommand({ Bucket: "half", Key: "other", Body: "more" }));
        await expect(write()).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });

        await Promise.all(gone.map((node) => node.start()));
        await waitUntil("the whole cluster takes objects", () =>
            write().then(
                () => true,
                () => false,
            ),
        );
        client.destroy();
    }, 240_000);
}
