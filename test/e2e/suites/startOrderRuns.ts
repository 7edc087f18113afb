import type { Store } from "../harness/stores";
import { expectProxyStartsLast } from "./startOrder";

const RUNS = [1, 2, 3, 4, 5];
const SHAPES = [1, 4].flatMap((nodeCount) => [1, 16].map((parallel) => ({ nodeCount, parallel })));

/** Five starts from nothing for each shape. */
export function startOrderRuns(store: () => Store): void {
    test.each(SHAPES.flatMap((shape) => RUNS.map((run) => ({ ...shape, run }))))(
        "$nodeCount node(s), --parallel $parallel, run $run",
        ({ nodeCount, parallel }) => expectProxyStartsLast(store(), nodeCount, parallel),
        300_000,
    );
}
