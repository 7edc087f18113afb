import type Docker from "dockerode";
import { rustfsProfile } from "../../components/store/profiles/rustfs";
import { DEFAULT_HAPROXY_IMAGE } from "../../components/haproxy/image";
import { BUILT_IMAGES } from "./builtImages";
import { buildImage, pullImage } from "./engineImages";

/** A store that can be deployed without further settings. */
export type BuiltStore = "rustfs" | "minio";

/** The images of a store and of its proxy. */
export interface StoreImages {
    profile: BuiltStore;
    image: string;
    haproxyImage: string;
}

/** The images of RustFS and HAProxy in a registry, pulled if the engine lacks them. Undefined if no registry has them. */
export async function pullStoreImages(docker: Docker): Promise<StoreImages | undefined> {
    const images = {
        profile: "rustfs" as const,
        image: rustfsProfile.image ?? "",
        haproxyImage: DEFAULT_HAPROXY_IMAGE,
    };
    return (await pullImage(docker, images.image)) && (await pullImage(docker, images.haproxyImage))
        ? images
        : undefined;
}

/** The images that are built from packages, unless the engine has them. */
export async function buildStoreImages(docker: Docker, profile: BuiltStore): Promise<StoreImages> {
    await buildImage(docker, BUILT_IMAGES.haproxy);
    await buildImage(docker, BUILT_IMAGES[profile]);
    return { profile, image: BUILT_IMAGES[profile].reference, haproxyImage: BUILT_IMAGES.haproxy.reference };
}
