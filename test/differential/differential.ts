import fc from "fast-check";
import type { Client } from "./clients/clientPrograms";
import { sequence } from "./operations";
import type { Command } from "./protocol";
import { reportOf } from "./report";
import type { Comparison, Sides } from "./sides";

/** Settings of a run. */
export interface Run {
    /** The store, for the command that repeats a run. */
    store: string;
    /** Sequences per client. */
    runs: number;
    /** Default: a random one. */
    seed?: number;
    /** Path of a counterexample, which is then all that is played. */
    path?: string;
    /** Seconds after which no further sequence begins. Default: no limit. */
    seconds?: number;
}

/** What a run has found. */
export interface Found {
    seed: number;
    /** Sequences that were played, without those of the search for a shorter one. */
    runs: number;
    /** The shortest sequence found that is answered differently, with its outcomes; undefined if there is none. */
    failure: string | undefined;
}

/** Plays random sequences of one client at both sides, until one is answered differently; searches for a shorter one. */
export async function findDifference(sides: Sides, client: Client, run: Run): Promise<Found> {
    const clients = sides.clients(client);
    let last: Comparison | undefined;
    const agrees = async (commands: Command[]): Promise<boolean> => {
        const before = last;
        last = undefined;
        const compared = await sides.compare(clients, commands);
        last = compared.differences.length > 0 ? compared : before;
        return compared.differences.length === 0;
    };
    try {
        const found = await fc.check(fc.asyncProperty(sequence, agrees), {
            numRuns: run.runs,
            seed: run.seed,
            path: run.path,
            endOnFailure: run.path !== undefined,
            interruptAfterTimeLimit: run.seconds === undefined ? undefined : run.seconds * 1000,
            markInterruptAsFailure: false,
        });
        const { counterexample, seed, numRuns, counterexamplePath: path } = found;
        if (counterexample === null) {
            return { seed, runs: numRuns, failure: undefined };
        }
        if (last === undefined) {
            // The sequence couldn't be played: a client has ended, or a side doesn't answer.
            throw found.errorInstance;
        }
        const { name, protocol } = client;
        const options = `--store ${run.store} --client ${JSON.stringify(name)} --protocol ${protocol} --seed ${seed}`;
        const again = await sides.compare(clients, counterexample[0]);
        const steady = again.differences.length > 0 ? "" : ", but not when they were played once more";
        const failure =
            `${name} over ${protocol}: edge and node answer differently, found by sequence ${numRuns}${steady}\n` +
            `${reportOf(last)}\nTo repeat it: npm run test:differential -- ${options} --path ${path}`;
        return { seed, runs: numRuns, failure };
    } finally {
        await Promise.all([clients.edge.stop(), clients.node.stop()]);
    }
}
