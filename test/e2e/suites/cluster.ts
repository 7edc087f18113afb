import { get, s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import type { Store } from "../harness/stores";
import { exerciseStore, keepObject } from "../harness/traffic";

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
}
