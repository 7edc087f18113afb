import { CLIENTS, clientPrograms } from "../../differential/clients/clientPrograms";
import { findDifference } from "../../differential/differential";
import { Sides } from "../../differential/sides";
import type { Store } from "../harness/stores";

/** Sequences of each client and protocol. A long run: `npm run test:differential`. */
const RUNS = 40;

/** After so many seconds, a busy machine begins no further sequence. */
const MOST_SECONDS = 60;

/** The edge answers as the node does, whatever a client asks: real clients, with random sequences of requests. */
export function differentialSuite(store: () => Store): void {
    let sides: Sides | undefined;

    beforeAll(async () => {
        sides = await Sides.deploy(store(), await clientPrograms());
    }, 400_000);

    afterAll(() => sides?.remove(), 120_000);

    test.each(CLIENTS)(
        "$name over $protocol",
        async (client) => {
            if (sides === undefined) {
                throw new Error("the store isn't deployed");
            }
            const run = { store: store().name.toLowerCase(), runs: RUNS, seconds: MOST_SECONDS };
            const { failure } = await findDifference(sides, client, run);
            if (failure !== undefined) {
                throw new Error(failure);
            }
        },
        120_000,
    );
}
