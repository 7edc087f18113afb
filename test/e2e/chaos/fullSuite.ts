import type { Store } from "../harness/stores";
import { testImages } from "../harness/testRun";
import { chaosSuite } from "./chaosSuite";
import { nothingDone } from "./control";
import { engineRestarted } from "./engineFaults";
import { diskFull, smallDrives } from "./diskFault";
import { proxyKilled, restartedInTurn, startedInAnyOrder } from "./hostFaults";
import { networkCut, nodeAnswers503 } from "./networkFaults";
import { OwnEngine } from "./ownEngine";
import {
    certificateReloaded,
    configurationReloaded,
    environmentChanged,
    imageChanged,
    limitChanged,
    nodeRecreated,
    poolAdded,
    portChanged,
    proxyReplaced,
    replacedTogether,
    restartRequested,
} from "./plannedChanges";
import { nodePaused, nodeStopped, storeHangs, storeKilled } from "./storeFaults";

const CLUSTER = { nodeCount: "4", drivesPerNode: "2" };

/** Every fault, on four nodes with two drives each. */
export function faultsSuite(store: () => Store): void {
    describe("faults", () =>
        chaosSuite({
            store,
            config: CLUSTER,
            resultsName: `faults-${store().name.toLowerCase()}`,
            disturbances: [
                nothingDone,
                storeKilled,
                nodeStopped,
                storeHangs,
                nodePaused,
                networkCut,
                nodeAnswers503,
                nodeRecreated,
                proxyKilled,
                restartedInTurn,
                startedInAnyOrder,
            ],
        }));

    describe("a full disk", () =>
        chaosSuite({
            store,
            config: CLUSTER,
            resultsName: `disk-${store().name.toLowerCase()}`,
            disturbances: [diskFull],
            surroundings: smallDrives,
        }));
}

/** Every planned change that a running cluster supports. */
export function changesSuite(store: () => Store): void {
    describe("planned changes", () =>
        chaosSuite({
            store,
            config: CLUSTER,
            resultsName: `changes-${store().name.toLowerCase()}`,
            disturbances: [
                nothingDone,
                environmentChanged,
                limitChanged,
                restartRequested,
                // MinIO's nodes only work with peers of the same binary, so another image needs an outage.
                ...(store().name === "MinIO" ? [replacedTogether] : [imageChanged]),
                configurationReloaded,
                certificateReloaded,
                proxyReplaced,
                portChanged,
                poolAdded,
            ],
        }));
}

/** A restart of the engine, on an engine of the suite's own: the host's engine may have other users. */
export function engineSuite(store: () => Store): void {
    let engine: OwnEngine;

    beforeAll(async () => {
        engine = await OwnEngine.start([testImages().haproxy, testImages().clients, store().config["image"] ?? ""]);
    }, 300_000);

    afterAll(() => engine.remove(), 120_000);

    describe("the engine", () =>
        chaosSuite({
            store,
            config: CLUSTER,
            resultsName: `engine-${store().name.toLowerCase()}`,
            disturbances: [engineRestarted(() => engine)],
            surroundings: { afterUp: ({ httpsPort }) => engine.open(httpsPort), release: () => engine.close() },
        }));
}
