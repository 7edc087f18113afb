import { GetObjectCommand, GetObjectLockConfigurationCommand } from "@aws-sdk/client-s3";
import { DockerHost } from "../harness/dockerHost";
import type { StoreContents } from "../harness/storeContents";

/** What a store has again that was removed, or that has lost its data. The bucket `locked` has these settings. */
export function returningBucketsSuite(
    { deployment, outputs, root, configure, update, clientOf, put }: StoreContents,
    locked: object,
): void {
    const host = new DockerHost();

    test("a store that was removed and comes back has its buckets, objects and keys, these with new secrets", async () => {
        await configure({ buckets: { locked, last: {} }, accessKeys: { app: { readWrite: ["last"] } } });
        await update();
        await put(root(), "one", "last");
        const before = outputs().accessKeys?.["app"];
        await deployment().down();
        expect(await host.namesOf(`${deployment().clusterName}-pool1-node1`)).not.toContain(
            `${deployment().clusterName}-pool1-node1`,
        );
        await update();
        await root().send(new GetObjectCommand({ Bucket: "last", Key: "one" }));
        const after = outputs().accessKeys?.["app"];
        expect(after?.accessKey).toBe(before?.accessKey);
        expect(after?.secretKey).not.toBe(before?.secretKey);
        const returned = clientOf("app");
        await put(returned, "by-key", "last");
        returned.destroy();
        expect(Object.keys((await update()).changes)).toEqual(["same"]);
    }, 240_000);

    test("a store that has lost its data gets buckets, policies and keys again in the same update, with the same secrets", async () => {
        const keys = outputs().accessKeys;
        const node = `${deployment().clusterName}-pool1-node1`;
        for (const container of [node, `${node}-prepare`]) {
            await host.docker.getContainer(container).remove({ force: true });
        }
        await host.docker.getVolume(`${node}-drive1`).remove();
        await deployment().refresh();
        await deployment().configure({ allowedChanges: JSON.stringify(["emptyDrives:node1"]) });
        await update();
        expect(outputs().accessKeys).toEqual(keys);
        const app = clientOf("app");
        await put(app, "again", "last");
        app.destroy();
        const { ObjectLockConfiguration: lock } = await root().send(
            new GetObjectLockConfigurationCommand({ Bucket: "locked" }),
        );
        expect(lock?.ObjectLockEnabled).toBe("Enabled");
        await deployment().unset("allowedChanges");
        expect(Object.keys((await update()).changes)).toEqual(["same"]);
        await deployment().refresh();
        expect(Object.keys((await update()).changes)).toEqual(["same"]);
    }, 240_000);
}
