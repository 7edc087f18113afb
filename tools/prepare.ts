import { mkdirSync, writeFileSync } from "node:fs";
import { minioProfile } from "../components";
import { DEFAULT_LEGO_IMAGE } from "../components/acmeSettings";
import { DEFAULT_HAPROXY_IMAGE } from "../components/haproxyFrontEndSettings";
import { findOrStartDocker } from "./dockerDaemon";
import { BUILT_IMAGES, buildImage, pullImage } from "./images";
import { namedEngine } from "./namedEngine";
import { prepareOtherLanguages } from "./languageHosts";
import { LOCAL } from "./paths";
import { preparePulumi } from "./pulumiToolchain";
import { findOrInstallPython } from "./python";
import { main, step } from "./step";
import { preparePebble, preparePrometheus, prepareStandIn, prepareTestClients } from "./testFixtures";
import { TEST_IMAGES_FILE, type TestImages } from "./testImages";
import { findOrInstallTestPrograms } from "./testPrograms";

// npm run prepare-tests [-- --rustfs]: Docker, Pulumi and the images for `npm test` and `npm run test:full`.
void main(async () => {
    const dockerHost = await step("Docker", findOrStartDocker);
    await step("Pulumi", preparePulumi);
    await step("Pulumi for YAML and Python", prepareOtherLanguages);
    await step("Python", findOrInstallPython);
    process.env["DOCKER_HOST"] = dockerHost;
    const docker = await namedEngine();
    const images = await step("Images", async () => {
        const official = { haproxy: DEFAULT_HAPROXY_IMAGE, minio: minioProfile.image ?? "", lego: DEFAULT_LEGO_IMAGE };
        if (
            (await pullImage(docker, official.haproxy)) &&
            (await pullImage(docker, official.minio)) &&
            (await pullImage(docker, official.lego))
        ) {
            return official;
        }
        const { haproxy, minio, lego } = BUILT_IMAGES;
        for (const image of [haproxy, minio, lego]) {
            await buildImage(docker, image);
        }
        return { haproxy: haproxy.reference, minio: minio.reference, lego: lego.reference };
    });
    const fixtures = await step("Test fixtures", async () => ({
        standIn: await prepareStandIn(docker),
        clients: await prepareTestClients(docker),
        pebble: await preparePebble(docker),
        prometheus: await preparePrometheus(docker),
    }));
    await step("Programs of the tests", findOrInstallTestPrograms);
    const found: TestImages = { dockerHost, ...images, ...fixtures };
    if (process.argv.includes("--rustfs")) {
        await step("RustFS", () => buildImage(docker, BUILT_IMAGES.rustfs));
        found.rustfs = BUILT_IMAGES.rustfs.reference;
    }
    mkdirSync(LOCAL, { recursive: true });
    writeFileSync(TEST_IMAGES_FILE, JSON.stringify(found, null, 4));
    return 0;
});
