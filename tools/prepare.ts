import Docker from "dockerode";
import { mkdirSync, writeFileSync } from "node:fs";
import { minioProfile } from "../components";
import { DEFAULT_HAPROXY_IMAGE } from "../components/haproxyFrontEndSettings";
import { findOrInstallBrowser } from "./browser";
import { findOrStartDocker } from "./dockerDaemon";
import { BUILT_IMAGES, buildImage, pullImage } from "./images";
import { LOCAL } from "./paths";
import { preparePulumi } from "./pulumiToolchain";
import { main, step } from "./step";
import { prepareStandIn, prepareTestClients } from "./testFixtures";
import { TEST_IMAGES_FILE, type TestImages } from "./testImages";

// npm run prepare-tests [-- --rustfs]: Docker, Pulumi and the images for `npm test` and `npm run test:full`.
void main(async () => {
    const dockerHost = await step("Docker", findOrStartDocker);
    await step("Pulumi", preparePulumi);
    process.env["DOCKER_HOST"] = dockerHost;
    const docker = new Docker();
    const images = await step("Images", async () => {
        const official = minioProfile.image ?? "";
        if ((await pullImage(docker, DEFAULT_HAPROXY_IMAGE)) && (await pullImage(docker, official))) {
            return { haproxy: DEFAULT_HAPROXY_IMAGE, minio: official };
        }
        await buildImage(docker, BUILT_IMAGES.haproxy);
        await buildImage(docker, BUILT_IMAGES.minio);
        return { haproxy: BUILT_IMAGES.haproxy.reference, minio: BUILT_IMAGES.minio.reference };
    });
    const fixtures = await step("Test fixtures", async () => ({
        standIn: await prepareStandIn(docker),
        clients: await prepareTestClients(docker),
    }));
    await step("Browser", findOrInstallBrowser);
    const found: TestImages = { dockerHost, ...images, ...fixtures };
    if (process.argv.includes("--rustfs")) {
        await step("RustFS", () => buildImage(docker, BUILT_IMAGES.rustfs));
        found.rustfs = BUILT_IMAGES.rustfs.reference;
    }
    mkdirSync(LOCAL, { recursive: true });
    writeFileSync(TEST_IMAGES_FILE, JSON.stringify(found, null, 4));
    return 0;
});
