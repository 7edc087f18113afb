/** Where else an image can be had than under its own name. */
interface ImageSources {
    /** Names of the same image in other registries. */
    same: readonly string[];
    /** Images of maintained forks. They are used only where nothing of the image stays in a deployment. */
    forks?: readonly string[];
}

/**
 * Sources of the default images, so that no default depends on one registry. Since September 2026 neither Docker Hub nor quay.io
 * gives MinIO's images without a login; engines and mirrors may still have them.
 */
const SOURCES: { readonly [image: string]: ImageSources } = {
    "rustfs/rustfs:1.0.1": { same: ["ghcr.io/rustfs/rustfs:1.0.1"] },
    "haproxy:3.2.26": { same: ["public.ecr.aws/docker/library/haproxy:3.2.26"] },
    "minio/minio:RELEASE.2025-09-07T16-13-09Z": { same: ["quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z"] },
    "minio/mc:RELEASE.2025-08-13T08-35-41Z": {
        same: ["quay.io/minio/mc:RELEASE.2025-08-13T08-35-41Z"],
        forks: ["pgsty/mc:RELEASE.2026-09-16T00-00-00Z"],
    },
    "rclone/rclone:1.76.0": { same: ["ghcr.io/rclone/rclone:1.76.0"] },
};

/** Further names of an image; none for one that isn't a default. */
export function sourcesOf(image: string): Required<ImageSources> {
    return { same: [], forks: [], ...(Object.hasOwn(SOURCES, image) ? SOURCES[image] : {}) };
}
