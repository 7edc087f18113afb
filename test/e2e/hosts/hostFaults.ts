import { setTimeout as sleep } from "node:timers/promises";
import { STALE_AFTER_A_START, UNDONE_AFTER_STARTS, type Disturbance } from "../chaos/disturbance";
import type { HostsTarget } from "./hostsTarget";

/** Seconds that a host is away. */
const AWAY = 60;

/** Longest time, in seconds, that a request may hang on an unreachable node: until three checks have failed. */
const LONGEST_SILENCE = 60 + 10;

/** With the SDK's retries, no operation fails for the loss of one host; without, those under way on it do. */
const ONE_HOST = { failedWithRetries: 0, longestStall: LONGEST_SILENCE, ...STALE_AFTER_A_START };

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
        name: `the engine of host ${host} is restarted`,
        run: async ({ hosts }) => {
            await hosts.stop(host);
            await hosts.start(host);
        },
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

/** Reboots every host, one after the other, each once everything is healthy. */
export const everyHostInTurn: HostFault = {
    name: "every host rebooted in turn",
    run: async (target) => {
        for (const { name } of target.hosts.hosts) {
            await target.hosts.kill(name);
            await target.hosts.start(name);
            await target.untilWhole(180);
            // Until MinIO's nodes have found each other's drives.
            await sleep(20_000);
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
