import { buildGoProgram } from "./goPrograms";
import { buildRustfs } from "./rustfsProgram";

/** An image that is built from packages if no registry answers. */
export interface BuiltImage {
    /** Its own name: it isn't the image that a registry has under the official name. */
    reference: string;
    /** Folder below tools/images that contains its Dockerfile. */
    folder: string;
    /** Debian packages in it. */
    packages: string[];
    /** Where they come from. Default: the release with HAProxy 3.2. */
    debian?: DebianArchive;
    /** Builds the program for which there is no Debian package, and returns its file. */
    program?: () => Promise<string>;
    /** Whether it is a store without console pages. Default: false. */
    lacksConsole?: boolean;
}

/** Debian release with HAProxy 3.2. */
export const DEBIAN_RELEASE = "forky";

/** A release of Debian, and lines of sources.list in place of the usual ones. */
export interface DebianArchive {
    release: string;
    sources: string[];
}

const MINIO_MODULE = "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c";
const MC_MODULE = "github.com/minio/mc@v0.0.0-20250313080218-cf909e1063a9";
const RUSTFS_VERSION = "1.0.1";
const RCLONE_VERSION = "1.76.0";

/** The official image of rclone. */
export const RCLONE_IMAGE = `rclone/rclone:${RCLONE_VERSION}`;

/** The release before it, from which tests update to it. */
const EARLIER_RUSTFS_VERSION = "1.0.0";

/** Packages that every image needs: users, a shell, and its tools. */
export const BASE_PACKAGES = ["base-files", "base-passwd", "dash", "coreutils"];

/** Packages that every store image also needs: certificates, and the program of the health check. */
export const STORE_PACKAGES = [...BASE_PACKAGES, "ca-certificates", "curl"];

/** The images in `Pulumi.offline.yaml` and `Pulumi.offline-rustfs.yaml`, and the ACME client's image. */
export const BUILT_IMAGES = {
    haproxy: {
        reference: `pulumi-docker-object-store/haproxy:3.2-${DEBIAN_RELEASE}-2`,
        folder: "haproxy",
        packages: [...BASE_PACKAGES, "openssl", "perl-base", "haproxy"],
    },
    keepalived: {
        reference: `pulumi-docker-object-store/keepalived:2.3-${DEBIAN_RELEASE}-1`,
        folder: "keepalived",
        packages: [...BASE_PACKAGES, "perl-base", "iproute2", "nftables", "keepalived"],
    },
    lego: {
        reference: "pulumi-docker-object-store/lego:4.35.2",
        folder: "lego",
        packages: [...BASE_PACKAGES, "ca-certificates", "wget", "libc-bin", "lego"],
    },
    minio: {
        reference: "pulumi-docker-object-store/minio:20260212",
        folder: "minio",
        packages: STORE_PACKAGES,
        program: () => buildGoProgram("MinIO", "minio", MINIO_MODULE, "4 minutes", { tags: ["kqueue"] }),
    },
    mc: {
        reference: "pulumi-docker-object-store/mc:20250313",
        folder: "mc",
        packages: BASE_PACKAGES,
        program: () => buildGoProgram("MinIO's client", "mc", MC_MODULE, "30 s"),
    },
    rclone: {
        reference: `pulumi-docker-object-store/rclone:${RCLONE_VERSION}`,
        folder: "rclone",
        packages: BASE_PACKAGES,
        program: () => buildGoProgram("rclone", "rclone", `github.com/rclone/rclone@v${RCLONE_VERSION}`, "2 minutes"),
    },
    rustfs: rustfsImage(RUSTFS_VERSION),
    earlierRustfs: rustfsImage(EARLIER_RUSTFS_VERSION),
} satisfies { [name: string]: BuiltImage };

/**
 * RustFS as built for a release, where no registry gives it: for figures of its speed. Takes much longer to build than
 * that of tests.
 */
export const RELEASE_RUSTFS: BuiltImage = rustfsImage(RUSTFS_VERSION, { release: true });

function rustfsImage(version: string, options?: { release: boolean }): BuiltImage {
    return {
        reference: `pulumi-docker-object-store/rustfs:${version}${options?.release === true ? "-release" : ""}`,
        folder: "rustfs",
        packages: STORE_PACKAGES,
        program: () => buildRustfs(version, options),
        // The crate doesn't contain the console pages.
        lacksConsole: true,
    };
}

/** Whether an image is a built image of a store without a console. */
export function lacksConsole(reference: string | undefined): boolean {
    return Object.values<BuiltImage>(BUILT_IMAGES).some(
        (image) => image.reference === reference && image.lacksConsole === true,
    );
}
