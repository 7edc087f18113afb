import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LOCAL } from "../paths";

/** The images that end-to-end tests deploy. */
export interface TestImages {
    dockerHost: string;
    haproxy: string;
    minio: string;
    /** The contract stand-in. */
    standIn: string;
    /** Clients that run in containers: AWS CLI, boto3, slowhttptest, openssl, curl. */
    clients: string;
    /** A host with sshd and Docker's client. */
    sshHost: string;
    /** The ACME client. Available after `npm run prepare-tests -- --full`, as are the next six. */
    lego?: string;
    /** Keepalived, for floating addresses. */
    keepalived?: string;
    /** The ACME test server Pebble, with its name server. */
    pebble?: string;
    /** The name server Knot DNS. */
    knot?: string;
    /** Prometheus, with promtool. */
    prometheus?: string;
    /** The backup program restic. */
    restic?: string;
    rclone?: string;
    /** Available after `npm run prepare-tests -- --rustfs`. */
    rustfs?: string;
    /** The release before it. Available after `npm run prepare-tests -- --earlier-rustfs`. */
    earlierRustfs?: string;
}

/** File in which {@link TestImages} are recorded for the tests. */
export const TEST_IMAGES_FILE = join(LOCAL, "test-images.json");

/** The images of an earlier run that the engine still has. Empty before the first run. */
export async function imagesOfEarlierRuns(
    hasImage: (reference: string) => Promise<boolean>,
    file: string = TEST_IMAGES_FILE,
): Promise<Partial<TestImages>> {
    if (!existsSync(file)) {
        return {};
    }
    const kept: Partial<TestImages> = {};
    const recorded = JSON.parse(readFileSync(file, "utf8")) as TestImages;
    for (const [name, reference] of Object.entries(recorded) as [keyof TestImages, string][]) {
        if (name !== "dockerHost" && (await hasImage(reference))) {
            kept[name] = reference;
        }
    }
    return kept;
}
