import type Docker from "dockerode";
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { minioProfile, rustfsProfile } from "../../components";
import { clientPrograms } from "../differential/clients/clientPrograms";
import { adminClientImage } from "../../tools/images/adminClient";
import { DEFAULT_LEGO_IMAGE } from "../../components/certificate/acmeSettings";
import { DEFAULT_HAPROXY_IMAGE } from "../../components/haproxyConfig/image";
import { findOrStartDocker } from "../../tools/machine/dockerDaemon";
import { BUILT_IMAGES, RCLONE_IMAGE } from "../../tools/images/builtImages";
import { buildImage, hasImage, pullImage } from "../../tools/images/engineImages";
import { namedEngine } from "../../tools/stack/namedEngine";
import { writeWhole } from "../../tools/machine/wholeFiles";
import { prepareOtherLanguages } from "../../tools/pulumi/languageHosts";
import { rcloneImage } from "../../tools/move/objectCopy";
import { LOCAL } from "../../tools/paths";
import { preparePulumi } from "../../tools/pulumi/toolchain";
import { findOrInstallPython } from "../../tools/machine/python";
import { main, step, StepError } from "../../tools/cli/step";
import { KNOT, PEBBLE, PROMETHEUS, RESTIC, SSH_HOST, TEST_CLIENTS, prepareStandIn } from "./testFixtures";
import { imagesThere, TEST_IMAGES_FILE, type TestImages } from "./testImages";
import { findOrInstallTestPrograms } from "./testPrograms";

const OPTIONS = {
    full: { type: "boolean", default: false },
    rustfs: { type: "boolean", default: false },
    "rustfs-binary": { type: "string" },
    "earlier-rustfs": { type: "boolean", default: false },
    official: { type: "boolean", default: false },
} as const;

/** The official images, in place of which small ones are built if no registry answers. */
const OFFICIAL = {
    haproxy: DEFAULT_HAPROXY_IMAGE,
    minio: minioProfile.image ?? "",
    rustfs: rustfsProfile.image ?? "",
    lego: DEFAULT_LEGO_IMAGE,
};

/** What further images are called. */
const FURTHER = {
    lego: [OFFICIAL.lego, BUILT_IMAGES.lego.reference],
    keepalived: [BUILT_IMAGES.keepalived.reference],
    pebble: [PEBBLE.reference],
    knot: [KNOT.reference],
    prometheus: [PROMETHEUS.reference],
    restic: [RESTIC.reference],
    rclone: [BUILT_IMAGES.rclone.reference, RCLONE_IMAGE],
    rustfs: [OFFICIAL.rustfs, BUILT_IMAGES.rustfs.reference],
    earlierRustfs: [BUILT_IMAGES.earlierRustfs.reference],
};

// npm run prepare-tests [-- --full] [-- --rustfs [--rustfs-binary FILE]] [-- --earlier-rustfs] [-- --official]: prepares Docker, Pulumi and the images for
// `npm test`; with --full also for `npm run test:full`, except RustFS; with --official it fails if no registry has the official images.
void main(async () => {
    const { values: desired } = parseArgs({ options: OPTIONS });
    const dockerHost = await step("Docker", findOrStartDocker);
    await step("Pulumi", preparePulumi);
    process.env["DOCKER_HOST"] = dockerHost;
    const docker = await namedEngine();
    if (desired.official) {
        await step("Official images", () => pullOfficial(docker));
    }
    const images = await step("Images", async () => ({
        haproxy: await pulledOrBuilt(docker, "haproxy"),
        minio: await pulledOrBuilt(docker, "minio"),
    }));
    await step("Client of npm run admin", () => adminClientImage(docker));
    const fixtures = await step("Test fixtures", async () => ({
        standIn: await prepareStandIn(docker),
        clients: await buildImage(docker, TEST_CLIENTS),
        sshHost: await buildImage(docker, SSH_HOST),
    }));
    await step("Clients of the differential test", clientPrograms);
    await step("Programs of the tests", () => findOrInstallTestPrograms(desired.full));
    const further = await imagesThere((reference) => hasImage(docker, reference), FURTHER);
    const found: TestImages = { dockerHost, ...images, ...fixtures, ...further };
    if (desired.full) {
        await step("Pulumi for YAML and Python", prepareOtherLanguages);
        await step("Python", findOrInstallPython);
        await step("More test fixtures", async () => {
            found.lego = await pulledOrBuilt(docker, "lego");
            found.keepalived = await buildImage(docker, BUILT_IMAGES.keepalived);
            found.pebble = await buildImage(docker, PEBBLE);
            found.knot = await buildImage(docker, KNOT);
            found.prometheus = await buildImage(docker, PROMETHEUS);
            found.restic = await buildImage(docker, RESTIC);
            found.rclone = await rcloneImage(docker);
        });
    }
    if (desired.rustfs || desired.official) {
        const file = desired["rustfs-binary"];
        found.rustfs = await step("RustFS", () =>
            file === undefined
                ? pulledOrBuilt(docker, "rustfs")
                : buildImage(docker, { ...BUILT_IMAGES.rustfs, program: () => Promise.resolve(file) }),
        );
    }
    if (desired["earlier-rustfs"]) {
        found.earlierRustfs = await step("RustFS, the release before", () =>
            buildImage(docker, BUILT_IMAGES.earlierRustfs),
        );
    }
    mkdirSync(LOCAL, { recursive: true });
    writeWhole(TEST_IMAGES_FILE, JSON.stringify(found, null, 4));
    return 0;
});

/**
 * Pulls all official images.
 *
 * @throws {StepError} with those that no registry has.
 */
async function pullOfficial(docker: Docker): Promise<void> {
    const missing: string[] = [];
    for (const reference of Object.values(OFFICIAL)) {
        if (!(await pullImage(docker, reference))) {
            missing.push(reference);
        }
    }
    if (missing.length > 0) {
        throw new StepError(
            `No registry answers with these official images, so nothing was tested: ${missing.join(", ")}. ` +
                "Run the same command where the engine reaches a registry, or a mirror of one.",
        );
    }
}

/** The official image if a registry has it; otherwise an image that is built from packages. */
async function pulledOrBuilt(docker: Docker, name: keyof typeof OFFICIAL): Promise<string> {
    if (await pullImage(docker, OFFICIAL[name])) {
        return OFFICIAL[name];
    }
    return buildImage(docker, BUILT_IMAGES[name]);
}
