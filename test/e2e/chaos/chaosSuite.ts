import type { DeploymentConfig } from "../harness/deployment";
import type { Store } from "../harness/stores";
import { chaosFailures, chaosTable, writeResults, type ChaosRow } from "./chaosTable";
import { ChaosTarget, type Surroundings } from "./chaosTarget";
import { runCourse, type Quiet } from "./course";
import type { Disturbance } from "./disturbance";
import { ObjectLedger } from "./objectLedger";
import { removeMadeImages } from "./plannedChanges";
import { shortfallsOf } from "./shortfalls";
import { verifyObjects } from "./verification";

const MINUTE = 60_000;

/** What a suite of disturbances runs on. */
export interface ChaosSuiteArgs {
    store: () => Store;
    config: DeploymentConfig;
    disturbances: Disturbance[];
    /** Base name of the result files. Without it, results are only printed. */
    resultsName?: string;
    surroundings?: Surroundings;
    /** Seconds of load before and after a disturbance. Default: 5 s before, 8 s after. */
    quiet?: Quiet;
}

/** Runs disturbances on one cluster under load, one after the other, and prints what the clients saw. */
export function chaosSuite(args: ChaosSuiteArgs): void {
    const ledger = new ObjectLedger();
    const results: ChaosRow[] = [];
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
            const shortfalls = shortfallsOf(disturbance.expected, result, ledger);
            results.push({ ...result, shortfalls });
            if (args.resultsName !== undefined) {
                writeResults(args.resultsName, results);
            }
            expect(shortfalls).toEqual([]);
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
