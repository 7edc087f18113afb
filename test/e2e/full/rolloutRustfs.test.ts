import { DockerHost } from "../harness/dockerHost";
import { withAnotherBinary, type DerivedImage } from "../harness/rolloutImage";
import { rustfsStore } from "../harness/stores";
import { furtherImage } from "../harness/testRun";
import { rolloutSuite } from "../suites/rollout";

describe("another binary of RustFS, then the previous one again", () => {
    let other: DerivedImage | undefined;

    afterAll(() => other?.remove());

    rolloutSuite(rustfsStore, async () => {
        const image = furtherImage("rustfs");
        if (other !== undefined) {
            return { image };
        }
        other = await withAnotherBinary(new DockerHost(), image, { path: "/usr/bin/rustfs", ending: "another build" });
        return { image: other.reference };
    });
});
