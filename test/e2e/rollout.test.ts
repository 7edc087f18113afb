import { setTimeout as sleep } from "node:timers/promises";
import { LastingRequest, type LastingAnswer } from "./harness/lastingRequest";
import { RolloutCluster } from "./harness/rolloutCluster";
import { expectOneAtATime, isTakenOut, RolloutRecord, statesOf, type ProxyView } from "./harness/rolloutRecord";
import { trafficDuring } from "./harness/rolloutTraffic";
import { waitUntil } from "./harness/wait";

const MINUTES = 60_000;

/** Seconds for which the first node has to stay drained while a request runs on it. Without one it takes less than a second. */
const HELD_SECONDS = 5;

// What else may happen during an update: rolloutFailures.test.ts.
describe("a change of a running cluster", () => {
    let cluster: RolloutCluster;

    beforeAll(async () => {
        cluster = await RolloutCluster.start();
    }, 2 * MINUTES);

    afterAll(() => cluster.deployment.remove(), MINUTES);

    /** Releases a request some time after the proxy has shown its node as drained. */
    const endAfterDrain = async (lasting: LastingRequest, views: readonly ProxyView[]): Promise<LastingAnswer> => {
        const isOut = () => Promise.resolve(views.some((seen) => isTakenOut(seen, "node1")));
        await waitUntil("the first node is drained", isOut);
        await sleep(HELD_SECONDS * 1000);
        // Maintenance, which comes before the replacement, must not begin before the request has ended.
        expect(statesOf(await cluster.view(), "node1")).toEqual(["DRAIN", "DRAIN"]);
        return lasting.release();
    };

    test(
        "a new value of restartedAt replaces every node, one at a time, and no request fails",
        async () => {
            const before = await cluster.containers();
            const lasting = new LastingRequest(cluster.outputs, "node1");
            let record: RolloutRecord | undefined;
            let answer: LastingAnswer | undefined;
            await cluster.deployment.configure({ restartedAt: "today" });
            const { answered, failures } = await trafficDuring(cluster.outputs, async () => {
                record = await RolloutRecord.of(cluster.deployment, async (views) => {
                    const rolled = cluster.deployment.up();
                    try {
                        answer = await Promise.race([endAfterDrain(lasting, views), rolled.then(() => undefined)]);
                    } finally {
                        await rolled;
                    }
                });
            });
            expect(failures).toEqual([]);
            expect(answered.length).toBeGreaterThan(100);
            expectOneAtATime(record as RolloutRecord, cluster.servers);
            const after = await cluster.containers();
            expect(after.map(({ id }, index) => id === before[index]?.id)).toEqual([false, false, false]);

            const replacements = (record as RolloutRecord).replacements();
            expect(answer).toMatchObject({ status: 200, node: cluster.nameOf("node1") });
            expect(answer?.ended).toBeLessThan(replacements[0]?.gone ?? 0);

            const { views } = record as RolloutRecord;
            for (const { server, started = 0 } of replacements) {
                // From when the proxy had reported it as out of service until the last query before it reported it as
                // up in one backend.
                const isUpSomewhere = (seen: ProxyView) =>
                    statesOf(seen, server).some((state) => state.startsWith("UP"));
                const up = views.findIndex((seen) => seen.asked > started && isUpSomewhere(seen));
                const out = views.find((seen) => isTakenOut(seen, server))?.answered ?? Infinity;
                const until = views[up - 1]?.asked ?? 0;
                const meanwhile = answered.filter(({ begun, ended: end }) => begun > out && end < until);
                expect(meanwhile.length).toBeGreaterThan(20);
                expect(meanwhile.filter((request) => request.server === server)).toEqual([]);
            }
        },
        5 * MINUTES,
    );
});
