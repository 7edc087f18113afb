import type Docker from "dockerode";
import { BUILT_IMAGES, buildImage, hasImage, pullImage } from "./images";

/** Image of the administration's client. */
export const ADMIN_CLIENT_IMAGE = "minio/mc:RELEASE.2025-08-13T08-35-41Z";

/** An image of the client that the engine has. If it has none, the image is pulled, or built if no registry answers. */
export async function adminClientImage(docker: Docker): Promise<string> {
    const built = BUILT_IMAGES.mc;
    if (await hasImage(docker, ADMIN_CLIENT_IMAGE)) {
        return ADMIN_CLIENT_IMAGE;
    }
    if (await hasImage(docker, built.reference)) {
        return built.reference;
    }
    if (await pullImage(docker, ADMIN_CLIENT_IMAGE)) {
        return ADMIN_CLIENT_IMAGE;
    }
    await buildImage(docker, built);
    return built.reference;
}
