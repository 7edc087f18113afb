import { join } from "node:path";
import { LOCAL } from "../../tools/paths";

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

/** Names of the images that only some runs of the tests need. */
export type FurtherImage = Exclude<
    keyof TestImages,
    "clients" | "dockerHost" | "haproxy" | "minio" | "sshHost" | "standIn"
>;

/**
 * The further images that the engine has already, whichever run prepared them.
 *
 * @param references For each, the references that it may have, the preferred one first.
 */
export async function imagesThere(
    hasImage: (reference: string) => Promise<boolean>,
    references: { [Name in FurtherImage]: readonly string[] },
): Promise<{ [Name in FurtherImage]?: string }> {
    const there: { [Name in FurtherImage]?: string } = {};
    for (const [name, candidates] of Object.entries(references) as [FurtherImage, string[]][]) {
        for (const reference of candidates) {
            if (there[name] === undefined && (await hasImage(reference))) {
                there[name] = reference;
            }
        }
    }
    return there;
}
