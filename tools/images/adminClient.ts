import type Docker from "dockerode";
import { DEFAULT_CLIENT_IMAGE } from "../../components/storeClient/storeReference";
import { BUILT_IMAGES } from "./builtImages";
import { buildImage, hasImage, pullImage } from "./engineImages";

/** An image of the client that the engine has. If it has none, the image is pulled, or built if no registry answers. */
export async function adminClientImage(docker: Docker): Promise<string> {
    const built = BUILT_IMAGES.mc;
    if (await hasImage(docker, DEFAULT_CLIENT_IMAGE)) {
        return DEFAULT_CLIENT_IMAGE;
    }
    if (await hasImage(docker, built.reference)) {
        return built.reference;
    }
    if (await pullImage(docker, DEFAULT_CLIENT_IMAGE)) {
        return DEFAULT_CLIENT_IMAGE;
    }
    return buildImage(docker, built);
}
