import { rustfsProfile } from "../../../components";
import { BucketDurability } from "../../../components/storeClient/bucketDurability";
import { NodeRequests } from "../../../components/storeClient/nodeRequests";
import { DockerHost } from "../harness/dockerHost";
import type { StoreContents } from "../harness/storeContents";

/** Durability of buckets, in a store that has it: as asked for, and as an earlier release gave it to new buckets. */
export function bucketDurabilitySuite({ deployment, configure, update }: StoreContents): void {
    const host = new DockerHost();
    const byStore = () => {
        const node = `${deployment().clusterName}-pool1-node1`;
        const run = async (command: string[]) => ({ code: 0, output: await host.exec(node, command) });
        return new BucketDurability(new NodeRequests(run, rustfsProfile), rustfsProfile.durabilityPath ?? "");
    };

    test("a preview names a bucket with a weak durability, unless the config asks for it", async () => {
        const buckets = { strict: { forceDestroy: true }, fast: { forceDestroy: true, durability: "relaxed" } };
        await configure({ buckets });
        await update();
        expect(await byStore().weak()).toEqual(["fast"]);
        expect(await deployment().preview()).not.toContain("durability is relaxed");
        await byStore().write("strict", "relaxed");
        expect(await deployment().preview()).toMatch(
            /a power failure can lose objects of strict that were acknowledged/,
        );
        await configure({ buckets: { ...buckets, strict: { forceDestroy: true, durability: "strict" } } });
        expect(await deployment().preview()).not.toContain("durability is relaxed");
        await deployment().refresh();
        await update();
        expect(await byStore().weak()).toEqual(["fast"]);
        await configure({ buckets: {} });
        await update();
    }, 600_000);
}
