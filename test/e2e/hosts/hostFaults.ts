import { setTimeout as sleep } from "node:timers/promises";
import {
    DRIVES_FOUND,
    LOCK_HOLDER_GONE,
    STALE_AFTER_A_START,
    UNDONE_AFTER_STARTS,
    type Disturbance,
} from "../chaos/disturbance";
import type { Way } from "../../../tools/playground/virtualHosts";
import type { HostsTarget } from "./hostsTarget";

/** Seconds that a host is away. */
const AWAY = 60;

/**
 * Longest time, in seconds, of one operation: it hangs on the lost host until that is back, and then two of its attempts are
 * held for 10 s each by the proxy there, which hasn't found a node yet.
 */
const LONGEST_SILENCE = AWAY + 2 * 10 + 10;

/** With the SDK's retries, no operation fails for the loss of one host; without, those under way on it do. */
const ONE_HOST = { failedWithRetries: 0, longestStall: LONGEST_SILENCE, ...LOCK_HOLDER_GONE, ...STALE_AFTER_A_START };

type HostFault = Disturbance<HostsTarget>;

/** Kills all processes of a host at once, as a loss of power does, and starts it some time later. */
export function hostKilled(host: string, seconds = AWAY): HostFault {
    return {
        name: `host ${host} loses power for ${seconds} s`,
        run: async ({ hosts }) => {
            await hosts.kill(host);
            await sleep(seconds * 1000);
            await hosts.start(host);
        },
        expected: ONE_HOST,
        wholeWithin: 180,
    };
}

/** Ends the engine of a host, and its containers with it, and starts it again. */
export function engineRestarted(host: string): HostFault {
    return {
        name: `the Docker daemon of host ${host} is restarted`,
        run: async ({ hosts }) => {
            await hosts.stop(host);
            await hosts.start(host);
        },
        expected: ONE_HOST,
        wholeWithin: 180,
    };
}

/**
 * Kills the engine of a host, and starts it again. Its containers go on until the new engine ends them, which takes them for
 * stopped explicitly; the host's watchdog starts them again.
 */
export function engineKilled(host: string): HostFault {
    return {
        name: `the Docker daemon of host ${host} is killed, and started again`,
        run: ({ hosts }) => hosts.crash(host),
        expected: ONE_HOST,
        wholeWithin: 180,
    };
}

/** Takes a host off the network for a minute. */
export function hostCut(host: string): HostFault {
    return {
        name: `host ${host} is cut off for ${AWAY} s`,
        run: async ({ hosts }) => {
            await hosts.cut(host);
            await sleep(AWAY * 1000);
            await hosts.plug(host);
        },
        expected: ONE_HOST,
        wholeWithin: 180,
    };
}

/** Loses the packets of one direction only: a host hears the others, and isn't heard, or the other way round. */
export function hostCutOneWay(host: string, way: Way): HostFault {
    const lost = way === "in" ? "hears nothing" : "is not heard";
    return {
        name: `host ${host} ${lost} for ${AWAY} s`,
        run: async ({ hosts }) => {
            await hosts.lose(host, way);
            await sleep(AWAY * 1000);
            await hosts.pass(host, way);
        },
        expected: ONE_HOST,
        wholeWithin: 180,
    };
}

/** Stops the proxy of a host, as an operator does, and starts it again. */
export function proxyStopped(host: string): HostFault {
    return {
        name: `the proxy of host ${host} is stopped for ${AWAY} s`,
        run: async (target) => {
            const proxy = target.proxyOf(host);
            await proxy.stop();
            await sleep(AWAY * 1000);
            await proxy.start();
        },
        expected: { failedWithRetries: 0 },
    };
}

/** Kills the proxy of a host; it stays away until it is started. */
export function proxyKilled(host: string): HostFault {
    return {
        name: `the proxy of host ${host} is killed, and away for ${AWAY} s`,
        run: async (target) => {
            const proxy = target.proxyOf(host);
            await proxy.kill();
            await sleep(AWAY * 1000);
            await proxy.start();
        },
        expected: { failedWithRetries: 0 },
    };
}

/** Fills the disk of a host, on which both of its drives are. */
export function diskFull(host: string, seconds = 30): HostFault {
    return {
        name: `the disk of host ${host} full for ${seconds} s`,
        run: async ({ hosts }) => {
            await hosts.fillDisk(host);
            await sleep(seconds * 1000);
            await hosts.emptyDisk(host);
        },
        // MinIO refuses every write with 507 meanwhile, and serves writes again once there is space.
        expected: { servedWithinOfCause: 30 },
    };
}

/** Reboots every host, one after the other, each once everything is healthy. */
export const everyHostInTurn: HostFault = {
    name: "every host rebooted in turn",
    run: async (target) => {
        for (const { name } of target.hosts.hosts) {
            await target.hosts.kill(name);
            await target.hosts.start(name);
            await target.untilWhole(180);
            await sleep(DRIVES_FOUND);
        }
    },
    expected: ONE_HOST,
    wholeWithin: 180,
};

/** All hosts lose power at once. */
export const allHosts: HostFault = {
    name: "all hosts lose power at once",
    run: async ({ hosts }) => {
        await Promise.all(hosts.hosts.map(({ name }) => hosts.kill(name)));
        await Promise.all(hosts.hosts.map(({ name }) => hosts.start(name)));
    },
    expected: UNDONE_AFTER_STARTS,
    wholeWithin: 240,
};
