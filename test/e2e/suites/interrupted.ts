import { s3ClientFor } from "../harness/clients";
import { DockerHost, type ContainerEvent } from "../harness/dockerHost";
import { expectSuccess, InterruptCheckout, type RunningCommand } from "../harness/interruptCheckout";
import { killTree } from "../harness/interruptProcessTree";
import type { Store } from "../harness/stores";
import { checksumOf, keepObject } from "../harness/traffic";

/** Selects the steps of updates that are killed. */
export interface Interruptions {
    first: (step: string) => boolean;
    change: (step: string) => boolean;
    removal: (step: string) => boolean;
}

/** One node of a store. Updates of it are killed at one step after the other. */
export function interruptedSuite(store: () => Store, killedAt: Interruptions): void {
    const host = new DockerHost();
    let checkout: InterruptCheckout;
    let recording: { stop: () => ContainerEvent[] };
    let checksum: string;

    beforeAll(async () => {
        checkout = await InterruptCheckout.create(store().config);
        recording = await host.recordEvents(checkout.clusterName);
    }, 60_000);

    afterAll(async () => {
        recording.stop();
        await checkout.remove();
    }, 60_000);

    const node = () => `${checkout.clusterName}-pool1-node1`;

    const interrupt = async (start: () => RunningCommand, isStep: (step: string) => boolean): Promise<string[]> => {
        const steps = await killAtEachStep(checkout, start, isStep);
        expect(checkout.pending()).toEqual([]);
        return steps.map((step) => step.replaceAll(checkout.clusterName, "CLUSTER"));
    };

    const parts = () =>
        [
            ...["nodes", "public", "sockets", "acme", "certificate", "configuration", "configure", "proxy"],
            ...["", "-drive1", "-secrets", "-prepare"].map((part) => `pool1-node1${part}`),
        ]
            .map((part) => `${checkout.clusterName}-${part}`)
            .sort();

    test("the first update: its incomplete resources are settled, and the store accepts data", async () => {
        const steps = await interrupt(() => checkout.startUp(), killedAt.first);
        expect(steps).toEqual(expect.arrayContaining(FIRST_STEPS));
        expect((await host.namesOf(checkout.clusterName)).sort()).toEqual(parts());
        checksum = await keepObject(s3ClientFor(await checkout.outputs()), "kept", "object");
    }, 3_600_000);

    test("a change that replaces the node and reloads the proxy: the data is complete", async () => {
        const { Id: former } = await host.inspect(node());
        checkout.configure({ memory: "512", s3Host: "other.localhost" });
        const steps = await interrupt(() => checkout.startUp(), killedAt.change);
        expect(steps).toEqual(expect.arrayContaining(CHANGE_STEPS));

        const { Id: id, HostConfig: limits } = await host.inspect(node());
        expect(id).not.toBe(former);
        expect(limits.Memory).toBe(512 * 1024 * 1024);
        const outputs = await checkout.outputs();
        expect(outputs.s3Endpoint).toContain("other.localhost");
        expect(await checksumOf(s3ClientFor(outputs), "kept", "object")).toBe(checksum);
        expect((await host.namesOf(checkout.clusterName)).sort()).toEqual(parts());
    }, 3_600_000);

    test("a removal: the data is kept, and is complete when the store is deployed again", async () => {
        const steps = await interrupt(() => checkout.start("down"), killedAt.removal);
        expect(steps).toEqual(expect.arrayContaining(REMOVAL_STEPS));
        expect(await host.namesOf(checkout.clusterName)).toContain(`${node()}-drive1`);
        expect(await host.namesOf(checkout.clusterName)).not.toContain(node());
        await checkout.up();
        expect(await checksumOf(s3ClientFor(await checkout.outputs()), "kept", "object")).toBe(checksum);
    }, 3_600_000);

    test("two containers never used a data volume at the same time", () => {
        const { starts, together } = runsOn(`${node()}-drive1`, checkout.door.volumes, recording.stop());
        // The volume's writer and its node: both in the first update, the node in the change, both after the removal.
        expect(starts).toBeGreaterThanOrEqual(5);
        expect(together).toEqual([]);
    });
}

/** Steps that a suite must at least be killed at. */
const FIRST_STEPS = [
    "after create network CLUSTER-nodes",
    "after create volume CLUSTER-pool1-node1-drive1",
    "after create container CLUSTER-pool1-node1-prepare",
    "after start container CLUSTER-pool1-node1",
    "after create container CLUSTER-configure",
    "after start container CLUSTER-proxy",
];
const CHANGE_STEPS = [
    "after remove container CLUSTER-pool1-node1",
    "after start container CLUSTER-pool1-node1",
    "after create container CLUSTER-configure",
];
const REMOVAL_STEPS = ["after stop container CLUSTER-pool1-node1"];

/** Only these steps. */
export const FEWEST_INTERRUPTIONS: Interruptions = {
    first: isAmong(FIRST_STEPS),
    change: isAmong(CHANGE_STEPS),
    removal: isAmong(REMOVAL_STEPS),
};

/**
 * Every request that changes something on the engine, before and after its execution, and the start and end of each
 * resource.
 */
export const EVERY_INTERRUPTION: Interruptions = { first: () => true, change: () => true, removal: () => true };

/** Whether a step is one of these, whatever the cluster's name. */
export function isAmong(steps: string[]): (step: string) => boolean {
    const endings = steps.map((step) => step.split("CLUSTER"));
    return (step) => endings.some(([verb = "", name = ""]) => step.startsWith(verb) && step.endsWith(name));
}

/** A line in which Pulumi reports the start or the end of a resource's operation. */
const PROGRESS = /^ *\S+ +(\S+:\S+) (\S+) ((?:creat|updat|delet|replac)[a-z ]+) \(/;

/**
 * Runs a command repeatedly. Each run is killed, with all its descendants, at the first step at which no run was killed
 * before, so each run has to settle the resources that the previous one left. Returns the steps, once a run has ended
 * by itself.
 */
export async function killAtEachStep(
    checkout: InterruptCheckout,
    start: () => RunningCommand,
    isStep: (step: string) => boolean,
): Promise<string[]> {
    const steps: string[] = [];
    for (;;) {
        const before = steps.length;
        const running = start();
        const reach = (step: string): boolean => {
            if (steps.length === before && !steps.includes(step) && isStep(step)) {
                steps.push(step);
                killTree(running.pid);
            }
            return steps.length > before;
        };
        checkout.door.gate = reach;
        running.onLine((line) => {
            const [, type, name, stage] = PROGRESS.exec(line) ?? [];
            if (stage !== undefined) {
                reach(`${stage} ${type} ${name}`);
            }
        });
        const ending = await running.ended;
        if (steps.length === before) {
            expectSuccess(ending);
            return steps;
        }
        expect(ending.code).toBeNull();
    }
}

/**
 * Number of container starts on a volume, and the containers that ran on it at the same time, from the engine's own
 * events.
 */
export function runsOn(
    volume: string,
    volumesOf: Map<string, string[]>,
    events: ContainerEvent[],
): { starts: number; together: string[][] } {
    const running: string[] = [];
    const together: string[][] = [];
    let starts = 0;
    for (const { container, action } of [...events].sort((one, other) => (one.time < other.time ? -1 : 1))) {
        if (action === "start" && volumesOf.get(container)?.includes(volume) === true) {
            starts++;
            together.push(...(running.length > 0 ? [[...running, container]] : []));
            running.push(container);
        } else if (action === "die" && running.includes(container)) {
            running.splice(running.indexOf(container), 1);
        }
    }
    return { starts, together };
}
