import { rustfsStore, type Store } from "../harness/stores";
import { testImages } from "../harness/testRun";
import { chaosSuite } from "../chaos/chaosSuite";
import { nothingDone } from "../chaos/control";
import type { Disturbance } from "../chaos/disturbance";

function imageOf(release: "rustfs" | "earlierRustfs"): string {
    const image = testImages()[release];
    if (image === undefined) {
        throw new Error("there are no images of two releases of RustFS: run `npm run test:upgrades`");
    }
    return image;
}

/** A cluster that begins with the earlier of the two releases. */
function earlierStore(): Store {
    const store = rustfsStore();
    return { ...store, config: { ...store.config, image: imageOf("earlierRustfs") } };
}

/** Rolls a release out, with nothing but its image in stack config. */
function rolledOut(name: string, release: "rustfs" | "earlierRustfs"): Disturbance {
    return {
        name,
        run: async ({ deployment }) => {
            await deployment.configure({ image: imageOf(release) });
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
