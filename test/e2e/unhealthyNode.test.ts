import { Deployment } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { testImages } from "./harness/testRun";

describe("a node that never gets healthy", () => {
    const host = new DockerHost();
    let deployment: Deployment;

    beforeAll(async () => {
        deployment = await Deployment.create({ nodeCount: "4", drivesPerNode: "1", readyTimeout: "25" });
        // A drive with a format that MinIO can't read: the node with this drive never starts.
        for (const node of [1, 2, 3, 4]) {
            await host.docker.createVolume({ Name: `${deployment.clusterName}-pool1-node${node}-drive1` });
        }
        await onDriveOfNode3("mkdir -p /drive/.minio.sys && echo broken > /drive/.minio.sys/format.json");
    }, 60_000);

    afterAll(() => deployment.remove(), 120_000);

    const onDriveOfNode3 = (script: string) =>
        host.runOnVolumes(testImages().minio, { "/drive": `${deployment.clusterName}-pool1-node3-drive1` }, script);

    const expectNamedFailure = async () => {
        const begin = Date.now();
        const failure = await deployment.upFailing();
        // The rest of the update takes a while on a busy machine. The default for nodes is 300 s.
        expect(Date.now() - begin).toBeLessThan(280_000);
        expect(failure).toContain(`${deployment.clusterName}-pool1-node3 is not healthy after 25 s`);
        expect(failure).toContain("Its last health check");
        expect(failure).toContain("Its last log lines");
        expect(failure).not.toContain("error serializing property");
        expect(await host.namesOf(`${deployment.clusterName}-proxy`)).toEqual([]);
    };

    test("fails the update within the limit, by name, and leaves no proxy", expectNamedFailure, 90_000);

    test("fails the next plain update too, while the cause remains", expectNamedFailure, 90_000);

    test("the next plain update waits for it once the cause is corrected, without a changed input", async () => {
        await onDriveOfNode3("rm -r /drive/.minio.sys");
        await deployment.up();
        expect(await host.namesOf(`${deployment.clusterName}-proxy`)).toHaveLength(1);
    }, 120_000);
});
