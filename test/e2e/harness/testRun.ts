import { existsSync, readFileSync } from "node:fs";
import { TEST_IMAGES_FILE, type FurtherImage, type TestImages } from "../../setup/testImages";

/** Prefix of every Docker name in one run of the tests. The global setup sets it for every worker. */
export function runPrefix(): string {
    const prefix = process.env["OBJECT_STORE_TEST_RUN"];
    if (prefix === undefined) {
        throw new Error("the global setup didn't run");
    }
    return prefix;
}

/** The engine and the images that `npm run prepare-tests` found or built. */
export function testImages(): TestImages {
    if (!existsSync(TEST_IMAGES_FILE)) {
        throw new Error(`${TEST_IMAGES_FILE} is missing: run npm run prepare-tests first`);
    }
    return JSON.parse(readFileSync(TEST_IMAGES_FILE, "utf8")) as TestImages;
}

/** The Docker host of the engine that the tests deploy to: another one than was prepared, if DOCKER_HOST names one. */
export function testedEngine(): string {
    return process.env["DOCKER_HOST"] ?? testImages().dockerHost;
}

/** Path of that engine's socket, which has to be on this machine. */
export function testedSocket(): string {
    return testedEngine().replace(/^unix:\/\//, "");
}

/** The option of `npm run prepare-tests` with which it also prepares an image that only some runs of the tests need. */
const OPTION_OF = {
    lego: "--full",
    keepalived: "--full",
    pebble: "--full",
    knot: "--full",
    prometheus: "--full",
    restic: "--full",
    rclone: "--full",
    rustfs: "--rustfs",
    earlierRustfs: "--earlier-rustfs",
} satisfies { [Name in FurtherImage]: string };

/** An image that only some runs of the tests need. */
export function furtherImage(name: FurtherImage): string {
    const image = testImages()[name];
    if (image === undefined) {
        throw new Error(`there is no image of ${name}: run npm run prepare-tests -- ${OPTION_OF[name]} first`);
    }
    return image;
}
