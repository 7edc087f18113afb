import type Docker from "dockerode";
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { minioProfile } from "../../components";
import { adminClientImage } from "../images/adminClient";
import { DEFAULT_LEGO_IMAGE } from "../../components/certificate/acmeSettings";
import { DEFAULT_HAPROXY_IMAGE } from "../../components/frontEnd/haproxyFrontEndSettings";
import { findOrStartDocker } from "../machine/dockerDaemon";
import { BUILT_IMAGES, buildImage, hasImage, pullImage, type BuiltImage } from "../images/images";
import { namedEngine } from "../machine/namedEngine";
import { prepareOtherLanguages } from "../pulumi/languageHosts";
import { rcloneImage } from "../move/objectCopy";
import { LOCAL } from "../paths";
import { preparePulumi } from "../pulumi/toolchain";
import { findOrInstallPython } from "../machine/python";
import { main, step } from "../machine/step";
import {
    prepareKnot,
    preparePebble,
    preparePrometheus,
    prepareRestic,
    prepareSshHost,
    prepareStandIn,
    prepareTestClients,
} from "../images/testFixtures";
import { TEST_IMAGES_FILE, type TestImages } from "../images/testImages";
import { findOrInstallTestPrograms } from "../machine/testPrograms";

const OPTIONS = {
    full: { type: "boolean", default: false },
    rustfs: { type: "boolean", default: false },
    "earlier-rustfs": { type: "boolean", default: false },
} as const;

// npm run prepare-tests [-- --full] [-- --rustfs] [-- --earlier-rustfs]: prepares Docker, Pulumi and the images for `npm test`; with --full
// also for `npm run test:full`, except RustFS.
void main(async () => {
    const { values: desired } = parseArgs({ options: OPTIONS });
    const dockerHost = await step("Docker", findOrStartDocker);
    await step("Pulumi", preparePulumi);
    process.env["DOCKER_HOST"] = dockerHost;
    const docker = await namedEngine();
    const { haproxy, minio, lego } = BUILT_IMAGES;
    const images = await step("Images", async () => ({
        haproxy: await pulledOrBuilt(docker, DEFAULT_HAPROXY_IMAGE, haproxy),
        minio: await pulledOrBuilt(docker, minioProfile.image ?? "", minio),
    }));
    await step("Client of npm run admin", () => adminClientImage(docker));
    const fixtures = await step("Test fixtures", async () => ({
        standIn: await prepareStandIn(docker),
        clients: await prepareTestClients(docker),
        sshHost: await prepareSshHost(docker),
    }));
    await step("Programs of the tests", () => findOrInstallTestPrograms(desired.full));
    const found: TestImages = { dockerHost, ...images, ...fixtures };
    if (desired.full) {
        await step("Pulumi for YAML and Python", prepareOtherLanguages);
        await step("Python", findOrInstallPython);
        await step("More test fixtures", async () => {
            found.lego = await pulledOrBuilt(docker, DEFAULT_LEGO_IMAGE, lego);
            await buildImage(docker, BUILT_IMAGES.keepalived);
            found.keepalived = BUILT_IMAGES.keepalived.reference;
            found.pebble = await preparePebble(docker);
            found.knot = await prepareKnot(docker);
            found.prometheus = await preparePrometheus(docker);
            found.restic = await prepareRestic(docker);
            found.rclone = await rcloneImage(docker);
        });
    }
    // One that is there already stays in the file.
    if (desired.rustfs || (await hasImage(docker, BUILT_IMAGES.rustfs.reference))) {
        await step("RustFS", () => buildImage(docker, BUILT_IMAGES.rustfs));
        found.rustfs = BUILT_IMAGES.rustfs.reference;
    }
    if (desired["earlier-rustfs"]) {
        await step("RustFS, the release before", () => buildImage(docker, BUILT_IMAGES.earlierRustfs));
        found.earlierRustfs = BUILT_IMAGES.earlierRustfs.reference;
    }
    mkdirSync(LOCAL, { recursive: true });
    writeFileSync(TEST_IMAGES_FILE, JSON.stringify(found, null, 4));
    return 0;
});

/** The official image if a registry has it; otherwise an image that is built from packages. */
async function pulledOrBuilt(docker: Docker, official: string, built: BuiltImage): Promise<string> {
    if (await pullImage(docker, official)) {
        return official;
    }
    await buildImage(docker, built);
    return built.reference;
}
