import { CreateBucketCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { createHash, randomBytes } from "node:crypto";
import type { Pool } from "../../../components";
import { s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { inventoryOf } from "../harness/inventory";
import type { Store } from "../harness/stores";
import { checksumOf } from "../harness/traffic";

const BUCKET = "growing";
const OBJECT_BYTES = 200_000;

/** A cluster grows by another pool at the end of its list. */
export function growthSuite(store: () => Store, [former, added]: [Pool, Pool]): void {
    const host = new DockerHost();
    const user = { accessKeyId: "somebody", secretAccessKey: "somebodys-secret" };
    const checksums = new Map<string, string>();
    let deployment: Deployment;
    let outputs: DeploymentOutputs;

    beforeAll(async () => {
        deployment = await Deployment.create({ ...store().config, pools: JSON.stringify([former]) });
        await deployment.up();
        outputs = await deployment.outputs();
        await store().createUser(host, outputs, user);
        const client = s3ClientFor(outputs, user);
        await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
        await keep(client, "old", 10);
        client.destroy();
    }, 300_000);

    afterAll(() => deployment.remove(), 120_000);

    const keep = async (client: S3Client, kind: string, count: number) => {
        for (let index = 1; index <= count; index++) {
            const [key, bytes] = [`${kind}-${index}`, randomBytes(OBJECT_BYTES)];
            await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: bytes }));
            checksums.set(key, createHash("sha256").update(bytes).digest("hex"));
        }
    };

    /** Keys with data on a node's first drive. */
    const keysOn = async (node: string): Promise<string[]> => {
        const found = await host.exec(node, ["/bin/sh", "-c", `ls /data/drive1/${BUCKET} 2> /dev/null || true`]);
        return found.split("\n").filter((key) => key !== "");
    };

    /** Every object's checksum, read directly from one node. */
    const readThrough = async (node: string): Promise<Map<string, string>> => {
        const { accessKeyId, secretAccessKey } = user;
        const script = [...checksums.keys()]
            .map(
                (key) =>
                    `curl --silent --fail --aws-sigv4 aws:amz:us-east-1:s3 --user '${accessKeyId}:${secretAccessKey}' ` +
                    `-H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' http://127.0.0.1:9000/${BUCKET}/${key} | sha256sum`,
            )
            .join("; ");
        const lines = (await host.exec(node, ["/bin/sh", "-c", script])).trim().split("\n");
        return new Map([...checksums.keys()].map((key, index) => [key, (lines[index] ?? "").split(" ")[0] ?? ""]));
    };

    test("a preview says that it needs an outage, and refuses it unless that is allowed", async () => {
        await deployment.configure({ pools: JSON.stringify([former, added]) });
        const before = await inventoryOf(host, deployment.clusterName);
        for (const output of [await deployment.previewFailing(), await deployment.upFailing()]) {
            expect(output).toMatch(/allowedChanges: doesn't allow an outage, .* all of them are replaced at once/);
            expect(output).toContain('add "outage" to allowedChanges');
        }
        expect(await inventoryOf(host, deployment.clusterName)).toEqual(before);

        await deployment.configure({ allowedChanges: JSON.stringify(["outage"]) });
        expect(await deployment.preview()).toMatch(
            /warning: a change of .* replaces all \d+ nodes of .* at once: .* no request is answered/,
        );
    }, 180_000);

    test("the store has the new pool, with all former objects and users, and no object was moved", async () => {
        await deployment.up();
        outputs = await deployment.outputs();
        const [old, fresh] = [1, 2].map((pool) => outputs.nodeNames.filter((name) => name.includes(`-pool${pool}-`)));
        expect(old).toHaveLength(former.nodeCount);
        expect(fresh).toHaveLength(added.nodeCount);

        const client = s3ClientFor(outputs, user);
        for (const [key, checksum] of checksums) {
            expect(await checksumOf(client, BUCKET, key)).toBe(checksum);
        }
        expect(await keysOn(old?.[0] ?? "")).toEqual([...checksums.keys()].sort());
        expect(await keysOn(fresh?.[0] ?? "")).toEqual([]);

        await keep(client, "new", 30);
        const placed = await keysOn(fresh?.[0] ?? "");
        expect(placed.length).toBeGreaterThan(0);
        expect(placed.every((key) => key.startsWith("new-"))).toBe(true);
        for (const node of outputs.nodeNames) {
            expect([node, await readThrough(node)]).toEqual([node, checksums]);
        }
        client.destroy();
    }, 300_000);

    test("afterwards a second update changes nothing, with or without the entry in allowedChanges", async () => {
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
        await deployment.unset("allowedChanges");
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
    }, 120_000);

    test("the new pool can't be removed again", async () => {
        await deployment.configure({ pools: JSON.stringify([former]) });
        expect(await deployment.previewFailing()).toMatch(/pools: has no pool 2, .*pools can't be removed/);
        await deployment.configure({ pools: JSON.stringify([former, added]) });
    }, 120_000);
}
