import { BASE_PACKAGES, BUILT_IMAGES, RELEASE_RUSTFS, type BuiltImage } from "../tools/images/builtImages";
import { buildImage, pullImage } from "../tools/images/engineImages";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import { furtherImage } from "../test/e2e/harness/testRun";

/** Images that only the benchmark needs. */
export interface BenchImages {
    /** h2load and openssl. */
    load: string;
    nginx: string;
    caddy: string;
    /** Undefined if no registry has it: its Go module can't be built from the module proxy alone. */
    traefik?: string;
}

const BUILT = {
    load: {
        reference: "pulumi-docker-object-store/bench-load:1",
        folder: "benchLoad",
        packages: [...BASE_PACKAGES, "nghttp2-client", "openssl"],
    },
    nginx: {
        reference: "pulumi-docker-object-store/bench-nginx:1",
        folder: "benchNginx",
        packages: [...BASE_PACKAGES, "nginx"],
    },
    caddy: {
        reference: "pulumi-docker-object-store/bench-caddy:1",
        folder: "benchCaddy",
        packages: [...BASE_PACKAGES, "caddy"],
    },
} satisfies { [name: string]: BuiltImage };

const DEBIAN = "deb http://deb.debian.org/debian";

/** The LTS release after the front end's, which Debian has in experimental alone. */
const NEXT_HAPROXY: BuiltImage = {
    reference: "pulumi-docker-object-store/bench-haproxy:3.4-experimental-1",
    folder: BUILT_IMAGES.haproxy.folder,
    packages: BUILT_IMAGES.haproxy.packages.map((name) => (name === "haproxy" ? "haproxy=3.4*" : name)),
    debian: { release: "forky", sources: [`${DEBIAN} forky main`, `${DEBIAN} experimental main`] },
};

/** Prepares the image of HAProxy 3.4, and returns its name. */
export async function prepareNextHaproxy(): Promise<string> {
    await buildImage(new DockerHost().docker, NEXT_HAPROXY);
    return NEXT_HAPROXY.reference;
}

/** Prepares an image of RustFS that is optimised, and returns its name: the official one, or one that is built so. */
export async function prepareReleaseRustfs(): Promise<string> {
    const prepared = furtherImage("rustfs");
    if (prepared !== BUILT_IMAGES.rustfs.reference) {
        return prepared;
    }
    await buildImage(new DockerHost().docker, RELEASE_RUSTFS);
    return RELEASE_RUSTFS.reference;
}

const TRAEFIK = "traefik:v3.7.13";

/** Prepares the images of the load generators and of the other proxies. */
export async function prepareBenchImages(): Promise<BenchImages> {
    const { docker } = new DockerHost();
    for (const image of Object.values(BUILT)) {
        await buildImage(docker, image);
    }
    return {
        load: BUILT.load.reference,
        nginx: BUILT.nginx.reference,
        caddy: BUILT.caddy.reference,
        ...((await pullImage(docker, TRAEFIK)) ? { traefik: TRAEFIK } : {}),
    };
}
