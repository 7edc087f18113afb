import { rustfsStore, type Store } from "../harness/stores";
import { furtherImage } from "../harness/testRun";
import { chaosSuite } from "../chaos/chaosSuite";
import { nothingDone } from "../chaos/control";
import type { Disturbance } from "../chaos/disturbance";

/** A cluster that begins with the earlier of the two releases. */
function earlierStore(): Store {
    const store = rustfsStore();
    return { ...store, config: { ...store.config, image: furtherImage("earlierRustfs") } };
}

/** Rolls a release out, with nothing but its image in stack config. */
function rolledOut(name: string, release: "rustfs" | "earlierRustfs"): Disturbance {
    return {
        name,
        run: async ({ deployment }) => {
            await deployment.configure({ image: furtherImage(release) });
            await deployment.up();
        },
        expected: { failedWithRetries: 0, failedWithoutRetries: 0 },
    };
}

describe("one release of RustFS after another, under load", () =>
    chaosSuite({
        store: earlierStore,
        config: { nodeCount: "4", drivesPerNode: "2" },
        resultsName: "upgrades-rustfs",
        disturbances: [
            nothingDone,
            rolledOut("an update to the next release", "rustfs"),
            rolledOut("the way back to the release before", "earlierRustfs"),
            rolledOut("the update once more", "rustfs"),
        ],
    }));
