import { addressAt } from "../../components/naming/ipv4Network";
import { get } from "./harness/clients";
import { Deployment } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { emptyImage } from "./harness/rolloutImage";
import { testImages } from "./harness/testRun";

describe("a change of one part leaves the others alone", () => {
    const host = new DockerHost();
    let deployment: Deployment;

    beforeAll(async () => {
        deployment = await Deployment.create({ memory: "512" });
        await deployment.up();
    }, 120_000);

    afterAll(() => deployment.remove(), 120_000);

    const idOf = async (part: string) => (await host.inspect(`${deployment.clusterName}-${part}`)).Id;

    test("a hostname is loaded by the proxy without being replaced, and its certificate with it", async () => {
        const [proxy, node] = [await idOf("proxy"), await idOf("pool1-node1")];
        await deployment.configure({ s3Host: "other.localhost" });
        await deployment.up();

        const outputs = await deployment.outputs();
        expect(outputs.s3Endpoint).toBe(`https://other.localhost:${deployment.httpsPort}`);
        expect((await get(outputs, `${outputs.s3Endpoint}/minio/health/live`)).status).toBe(200);
        expect(await idOf("proxy")).toBe(proxy);
        expect(await idOf("pool1-node1")).toBe(node);
    }, 120_000);

    test("a limit replaces the node, not the proxy, and is set on the engine", async () => {
        const [proxy, node] = [await idOf("proxy"), await idOf("pool1-node1")];
        await deployment.configure({ memory: "640", cpus: "1.5" });
        await deployment.up();

        const { Id: id, HostConfig: limits } = await host.inspect(`${deployment.clusterName}-pool1-node1`);
        expect(id).not.toBe(node);
        expect(limits.Memory).toBe(640 * 1024 * 1024);
        expect(limits.NanoCpus).toBe(1.5e9);
        expect(await idOf("proxy")).toBe(proxy);
    }, 120_000);

    test("an input that the engine refuses leaves node and proxy unchanged", async () => {
        const [proxy, node] = [await idOf("proxy"), await idOf("pool1-node1")];
        const serving = (await deployment.outputs()).s3Endpoint;
        await deployment.configure({ cpus: "64" });
        for (const output of [await deployment.previewFailing(), await deployment.upFailing()]) {
            expect(output).toContain("cpus: 64 is not allowed: the Docker daemon has");
        }
        await deployment.configure({ cpus: "1.5" });

        // A preview can't see that the image has no shell. The container that tests the image can.
        const image = await emptyImage(host);
        await deployment.configure({ image: image.reference });
        expect(await deployment.upFailing()).toMatch(/image: .* can't be used for a container/);
        await deployment.configure({ image: testImages().minio });

        expect(await idOf("proxy")).toBe(proxy);
        expect(await idOf("pool1-node1")).toBe(node);
        expect((await get(await deployment.outputs(), `${serving}/minio/health/live`)).status).toBe(200);
        expect((await host.namesOf(deployment.clusterName)).filter((name) => name.includes("-probe-"))).toEqual([]);
        await image.remove();
    }, 120_000);

    test("another public network replaces the proxy, not the node", async () => {
        const [proxy, node] = [await idOf("proxy"), await idOf("pool1-node1")];
        const network = await host.docker.getNetwork(`${deployment.clusterName}-public`).inspect();
        const [{ Subnet: former = "" } = {}] = (network as { IPAM: { Config: { Subnet?: string }[] } }).IPAM.Config;
        await deployment.configure({ publicSubnet: `${addressAt(former, 0)}/25` });
        await deployment.up();

        const outputs = await deployment.outputs();
        expect((await get(outputs, `${outputs.s3Endpoint}/minio/health/live`)).status).toBe(200);
        expect(await idOf("proxy")).not.toBe(proxy);
        expect(await idOf("pool1-node1")).toBe(node);
    }, 120_000);

    test("a node that was removed by hand is named in the error, and is recreated after a refresh", async () => {
        await host.docker.getContainer(`${deployment.clusterName}-pool1-node1`).remove({ force: true });
        expect(await deployment.upFailing()).toContain(
            `${deployment.clusterName}-pool1-node1: there is no such container any more. Run \`pulumi refresh\``,
        );
        await deployment.refresh();
        await deployment.up();
        expect((await host.inspect(`${deployment.clusterName}-pool1-node1`)).State.Health?.Status).toBe("healthy");
    }, 120_000);

    test("helpers that `docker container prune` removed are not needed", async () => {
        const node = await idOf("pool1-node1");
        await host.docker.getContainer(`${deployment.clusterName}-pool1-node1-prepare`).remove();
        await deployment.up();
        await deployment.refresh();
        await deployment.up();
        expect(await idOf("pool1-node1")).toBe(node);
    }, 120_000);

    test("a cluster shape that doesn't fit the data is refused, and nothing is changed", async () => {
        const node = await idOf("pool1-node1");
        await deployment.configure({ nodeCount: "4", profile: "rustfs" });
        const failure = await deployment.upFailing();
        await deployment.configure({ nodeCount: "1", profile: "minio" });

        expect(failure).toContain("nodeCount: 4 doesn't match the data of the cluster");
        expect(failure).toContain("profile: rustfs doesn't match the data of the cluster");
        expect(await idOf("pool1-node1")).toBe(node);
    }, 60_000);
});
