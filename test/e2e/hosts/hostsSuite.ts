import { chaosFailures, chaosTable, writeResults, type ChaosRow } from "../chaos/chaosTable";
import { nothingDone } from "../chaos/control";
import { runCourse } from "../chaos/course";
import type { Disturbance } from "../chaos/disturbance";
import { ObjectLedger } from "../chaos/objectLedger";
import { shortfallsOf } from "../chaos/shortfalls";
import { verifyObjects } from "../chaos/verification";
import type { Store } from "../harness/stores";
import {
    allHosts,
    diskFull,
    engineKilled,
    engineRestarted,
    everyHostInTurn,
    proxyKilled,
    proxyStopped,
    hostCut,
    hostCutOneWay,
    hostKilled,
} from "./hostFaults";
import { HostsTarget } from "./hostsTarget";

const MINUTE = 60_000;

/** Size of the disk that is filled. All objects of the load need a fifth of it. */
const DISK_SIZE = "4g";

/** A rolling change: each node is replaced once every proxy has drained it. */
const rolled: Disturbance<HostsTarget> = {
    name: "a new value of restartedAt",
    run: async ({ deployment }) => {
        await deployment.configure({ restartedAt: "today" });
        await deployment.up();
    },
    expected: { failedWithRetries: 0, failedWithoutRetries: 0 },
};

const FAULTS: Disturbance<HostsTarget>[] = [
    nothingDone,
    rolled,
    hostKilled("d"),
    engineRestarted("b"),
    engineKilled("c"),
    hostCut("c"),
    hostCutOneWay("b", "in"),
    hostCutOneWay("b", "out"),
    // The swarm's leader is usually the first host.
    hostKilled("a"),
    proxyStopped("b"),
    proxyKilled("c"),
    diskFull("d"),
    everyHostInTurn,
    allHosts,
];

/** Four nodes with two drives each, each on a host of its own, under load: a rolling change, and every fault of a host. */
export function hostsSuite(store: () => Store): void {
    const ledger = new ObjectLedger();
    const results: ChaosRow[] = [];
    let target: HostsTarget;

    beforeAll(async () => {
        target = await HostsTarget.create(store(), 4, {
            nodeCount: "4",
            drivesPerNode: "2",
            // Both drives of a host are on this machine's disk.
            allowDrivesOnOneDevice: "true",
        });
        await target.putOnOwnDisk("d", DISK_SIZE);
        await target.join();
        await target.up();
        await target.prepareLoad();
    }, 10 * MINUTE);

    afterAll(async () => {
        console.log(`${store().name}\n\n${chaosTable(results)}\n${chaosFailures(results)}`);
        await target.remove();
    }, 4 * MINUTE);

    test.each(FAULTS)(
        "$name: as few requests fail as may, no byte is wrong, everything gets whole by itself",
        async (fault) => {
            const result = await runCourse(target, ledger, fault);
            const shortfalls = shortfallsOf(fault.expected, result, ledger);
            results.push({ ...result, shortfalls });
            writeResults(`hosts-${store().name.toLowerCase()}`, results);
            expect(shortfalls).toEqual([]);
        },
        20 * MINUTE,
    );

    test(
        "every object that was acknowledged, before and after any of it, is there as it was written",
        async () => {
            expect(ledger.keys("").length).toBeGreaterThan(50);
            expect(await verifyObjects(target, ledger, "")).toEqual([]);
        },
        5 * MINUTE,
    );
}
