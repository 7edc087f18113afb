import type { DeploymentConfig } from "../harness/deployment";
import type { Store } from "../harness/stores";
import { chaosFailures, chaosTable, writeResults } from "./chaosTable";
import { ChaosTarget, type Surroundings } from "./chaosTarget";
import { runCourse, type ChaosResult, type Quiet } from "./course";
import type { Disturbance } from "./disturbance";
import { ObjectLedger } from "./objectLedger";
import type { Finding } from "./operations";
import { removeMadeImages } from "./plannedChanges";
import { verifyObjects } from "./verification";

const MINUTE = 60_000;

/** What a suite of disturbances runs on. */
export interface ChaosSuiteArgs {
    store: () => Store;
    config: DeploymentConfig;
    disturbances: Disturbance[];
    /** Name of the files that the results are left in; without it they are only printed. */
    resultsName?: string;
    surroundings?: Surroundings;
    /** How long the load runs by itself. Default: 5 s before a disturbance, 8 s after it. */
    quiet?: Quiet;
}

/** Disturbs one cluster in one way after the other, under load, and prints what its clients saw. */
export function chaosSuite(args: ChaosSuiteArgs): void {
    const ledger = new ObjectLedger();
    const results: ChaosResult[] = [];
    let target: ChaosTarget | undefined;

    const deployed = () => {
        if (target === undefined) {
            throw new Error("there is no deployment");
        }
        return target;
    };

    beforeAll(async () => {
        target = await ChaosTarget.deploy(args.store(), args.config, args.surroundings);
    }, 7 * MINUTE);

    afterAll(async () => {
        console.log(`${args.store().name}\n\n${chaosTable(results)}\n${chaosFailures(results)}`);
        if (target !== undefined) {
            await args.surroundings?.release?.(target.deployment);
            await target.deployment.remove();
            await removeMadeImages(target);
        }
    }, 4 * MINUTE);

    test.each(args.disturbances)(
        "$name: as few requests fail as may, no byte is wrong, everything gets whole by itself",
        async (disturbance) => {
            const result = await runCourse(deployed(), ledger, disturbance, args.quiet);
            results.push(result);
            if (args.resultsName !== undefined) {
                writeResults(args.resultsName, results);
            }
            const { staleMeanwhile = [], deletesUndone = [] } = disturbance.expected;
            const accepted = ({ key }: Finding) =>
                deletesUndone.includes(result.store) && ledger.acceptUndoneDelete(key);
            expect(result.wrongAfterwards.filter((finding) => !accepted(finding))).toEqual([]);
            if (!staleMeanwhile.includes(result.store)) {
                expect(result.wrongBytes).toEqual([]);
                expect(result.wrongLists).toEqual([]);
            }
            expect(result.trouble).toBeUndefined();
            expect(beyond(disturbance, result)).toEqual([]);
        },
        15 * MINUTE,
    );

    test(
        "every object that was acknowledged, before and after any of it, is there as it was written",
        async () => {
            expect(ledger.keys("").length).toBeGreaterThan(50);
            expect(await verifyObjects(deployed(), ledger, "")).toEqual([]);
        },
        5 * MINUTE,
    );
}

/** Where a result is beyond what was expected. */
function beyond({ expected }: Disturbance, result: ChaosResult): string[] {
    const limits: [string, number, number | undefined][] = [
        ["operations failed with retries", result.failed.retrying, expected.failedWithRetries],
        ["operations failed without retries", result.failed.single, expected.failedWithoutRetries],
        ["seconds until none failed", result.servedAfter, expected.servedWithin],
        ["seconds without any success", result.longestGap, expected.longestGap],
        ["seconds for one operation", result.longestStall, expected.longestStall],
    ];
    return limits.flatMap(([what, value, limit]) =>
        limit === undefined || value <= limit ? [] : [`${value} ${what}, not at most ${limit}`],
    );
}
