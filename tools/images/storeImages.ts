import type Docker from "dockerode";
import { rustfsProfile } from "../../components/store/profiles/rustfs";
import { DEFAULT_HAPROXY_IMAGE } from "../../components/haproxyConfig/image";
import { BUILT_IMAGES } from "./builtImages";
import { buildImage, pullImage } from "./engineImages";
import { say } from "../cli/step";

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

/** Where the images of a store come from. */
export interface ImageSource {
    /** RustFS's images of a registry. Undefined if none has them. */
    pull: () => Promise<StoreImages | undefined>;
    /** Images of a store that are built from packages. */
    build: (profile: BuiltStore) => Promise<StoreImages>;
}

export function imageSource(docker: Docker): ImageSource {
    return { pull: () => pullStoreImages(docker), build: (profile) => buildStoreImages(docker, profile) };
}

/**
 * The images of the store that is there soonest: RustFS of a registry, otherwise MinIO, which is built in minutes.
 *
 * @param wanted The store that the user asks for. Default: none.
 */
export async function takeStoreImages(
    { pull, build }: ImageSource,
    wanted?: BuiltStore,
): Promise<StoreImages & { isBuilt: boolean }> {
    const pulled = wanted === "minio" ? undefined : await pull();
    if (pulled !== undefined) {
        say("taking RustFS: its images are there");
        return { ...pulled, isBuilt: false };
    }
    say(
        wanted === undefined
            ? "no registry gave the images of RustFS, so MinIO is taken, and built from packages in minutes. For RustFS add " +
                  "--store rustfs: it is built from its crate in 20 minutes to an hour"
            : `taking ${wanted === "rustfs" ? "RustFS" : "MinIO"}, built from packages: --store ${wanted}`,
    );
    return { ...(await build(wanted ?? "minio")), isBuilt: true };
}
