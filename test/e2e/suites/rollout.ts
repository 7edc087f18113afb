import { setTimeout as sleep } from "node:timers/promises";
import { s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentConfig, type DeploymentOutputs } from "../harness/deployment";
import { beginUpload, type LastingUpload } from "../harness/lastingTraffic";
import { objectsDuring, type ObjectReport } from "../harness/rolloutObjects";
import { expectOneAtATime, isTakenOut, RolloutRecord, type ProxyView } from "../harness/rolloutRecord";
import type { Store } from "../harness/stores";
import { checksumOf, keepObject } from "../harness/traffic";

const SERVERS = ["node1", "node2", "node3", "node4"];
const MINUTES = 60_000;

/** Rolls a change through four nodes of a real store, while objects are written and read. */
export function rolloutSuite(store: () => Store, change: () => Promise<DeploymentConfig>): void {
    let deployment: Deployment;
    let outputs: DeploymentOutputs;

    beforeAll(async () => {
        deployment = await Deployment.create({ ...store().config, nodeCount: String(SERVERS.length) });
        await deployment.up();
        outputs = await deployment.outputs();
    }, 5 * MINUTES);

    afterAll(() => deployment.remove(), 3 * MINUTES);

    test.each([16, 1])(
        "replaces one node at a time at --parallel %i: no operation fails, running uploads end, data is whole",
        async (parallel) => {
            const bucket = `rolled-${parallel}`;
            const former = await keepObject(s3ClientFor(outputs), `kept-${parallel}`, "object");
            await deployment.configure({ ...(await change()), restartedAt: `at --parallel ${parallel}` });
            let record: RolloutRecord | undefined;
            let uploads: LastingUpload[] = [];
            const report = await objectsDuring(outputs, bucket, async () => {
                let release: () => void = () => undefined;
                const done = new Promise<void>((resolve) => (release = resolve));
                // leastconn sends one to each node.
                uploads = await Promise.all(
                    SERVERS.map((server) => beginUpload(outputs, "h2", { bucket, key: `during-${server}` }, done)),
                );
                record = await RolloutRecord.of(deployment, async (views) => {
                    const rolled = deployment.up(parallel);
                    await untilOneIsTakenOut(views, rolled);
                    await sleep(5000);
                    release();
                    await rolled;
                });
            });
            expectOneAtATime(record as RolloutRecord, SERVERS);
            expect(await Promise.all(uploads.map(({ status }) => status))).toEqual(SERVERS.map(() => 200));
            printResult(store().name, parallel, record as RolloutRecord, report);
            expect(report.failures).toEqual([]);
            const client = s3ClientFor(outputs);
            expect(await checksumOf(client, `kept-${parallel}`, "object")).toBe(former);
            for (const { key, checksum } of uploads) {
                expect(await checksumOf(client, bucket, key)).toBe(checksum);
            }
            client.destroy();
        },
        8 * MINUTES,
    );
}

/** @throws {Error} if the update ends before. */
async function untilOneIsTakenOut(views: readonly ProxyView[], rolled: Promise<unknown>): Promise<void> {
    const ended = rolled.then(() => {
        throw new Error("the update has ended, and no node was taken out");
    });
    ended.catch(() => undefined);
    while (!views.some((view) => SERVERS.some((server) => isTakenOut(view, server)))) {
        await Promise.race([ended, sleep(100)]);
    }
}

function printResult(store: string, parallel: number, record: RolloutRecord, { done, longest }: ObjectReport): void {
    const away = record.replacements().map(({ gone, started = gone }) => `${((started - gone) / 1000).toFixed(1)} s`);
    console.log(
        `${store}, --parallel ${parallel}: nodes without a process for ${away.join(", ")}; ` +
            `${done} operations, the longest ${(longest / 1000).toFixed(1)} s`,
    );
}
