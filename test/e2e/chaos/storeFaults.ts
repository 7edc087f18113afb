import { setTimeout as sleep } from "node:timers/promises";
import { LOCK_HOLDER_GONE, STALE_AFTER_A_START, type Disturbance } from "./disturbance";

const SECOND = 1000;

/** Seconds for which a node is down in faults that don't end by themselves. */
const AWAY = 60 * SECOND;

/**
 * Longest time, in seconds, that a request may hang on a node: three checks of the service contract, section 8, of 10 s
 * and 5 s, 11 s until the proxy ends it, and the client's next attempt.
 */
const LONGEST_HANG = 45 + 11 + 10;

/** Upper bound for the requests without retries that were running on one node of four: all of them. */
const IN_FLIGHT = 4;

/** Kills the store's process, and with it all that it was doing. */
export const storeKilled: Disturbance = {
    name: "kill -9 of a store's process",
    run: (target) => target.signal(target.node(2), "KILL"),
    expected: {
        failedWithRetries: 0,
        failedWithoutRetries: IN_FLIGHT,
        longestStall: 15,
        ...LOCK_HOLDER_GONE,
        ...STALE_AFTER_A_START,
    },
};

/** An operator stops a node, and starts it again a minute later. */
export const nodeStopped: Disturbance = {
    name: "a node stopped, started after 60 s",
    run: async (target) => {
        const container = target.host.docker.getContainer(target.node(3));
        await container.stop();
        await sleep(AWAY);
        await container.start();
    },
    expected: { failedWithRetries: 0, failedWithoutRetries: IN_FLIGHT, ...STALE_AFTER_A_START },
};

/** The store's process hangs: it accepts connections and never answers. */
export const storeHangs: Disturbance = {
    name: "a store's process hangs (SIGSTOP)",
    run: async (target) => {
        const node = target.node(4);
        const { Pid: hanging } = (await target.host.inspect(node)).State;
        await target.signal(node, "STOP");
        await sleep(AWAY);
        // The health check that kills a hanging process has to be faster than this. If it isn't, the process is
        // resumed.
        if ((await target.host.inspect(node)).State.Pid === hanging) {
            await target.signal(node, "CONT");
        }
    },
    expected: {
        failedWithRetries: 0,
        failedWithoutRetries: IN_FLIGHT,
        longestStall: LONGEST_HANG,
        ...LOCK_HOLDER_GONE,
        ...STALE_AFTER_A_START,
    },
};

/** The whole container hangs, including its health check. */
export const nodePaused: Disturbance = {
    name: "a node paused for 60 s",
    run: async (target) => {
        await target.host.whilePaused(target.node(2), () => sleep(AWAY));
    },
    // MinIO's other nodes wait for the drives of the paused one themselves.
    expected: { failedWithRetries: 0, failedWithoutRetries: IN_FLIGHT, longestStall: AWAY / SECOND + 15 },
};
