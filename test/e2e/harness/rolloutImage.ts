import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { DockerHost } from "./dockerHost";
import { runPrefix } from "./testRun";

/** An image that tests have created from another one. */
export interface DerivedImage {
    /** Its reference, with an exact version. */
    reference: string;
    remove: () => Promise<void>;
}

/** Creates an image without any file: no container can start from it. */
export async function emptyImage(host: DockerHost): Promise<DerivedImage> {
    const name = `${runPrefix()}-empty-${randomBytes(4).toString("hex")}`;
    // Two blocks of zeros end a tar archive.
    const answer = await host.docker.importImage(Readable.from([Buffer.alloc(1024)]), { repo: name, tag: "1.0" });
    await new Promise((resolve, reject) => answer.on("end", resolve).on("error", reject).resume());
    return { reference: `${name}:1.0`, remove: () => host.docker.getImage(`${name}:1.0`).remove() as Promise<void> };
}

/**
 * Creates an image whose store is another file: the same program, with additional bytes at its end that it ignores. It has the
 * same tag, and so counts as the same release.
 */
export async function withAnotherBinary(
    host: DockerHost,
    image: string,
    binary: { path: string; ending: string },
): Promise<DerivedImage> {
    const container = await host.docker.createContainer({
        name: `${runPrefix()}-derive-${randomBytes(4).toString("hex")}`,
        Image: image,
        Entrypoint: ["/bin/sh", "-c"],
        Cmd: [`printf '%s' '${binary.ending}' >> ${binary.path}`],
        User: "0:0",
        HostConfig: { NetworkMode: "none" },
    });
    const repo = `${runPrefix()}-derived-${randomBytes(4).toString("hex")}`;
    const tag = image.slice(image.lastIndexOf(":") + 1);
    try {
        await container.start();
        const code = await host.exitCode(container);
        if (code !== 0) {
            throw new Error(`${binary.path} of ${image} can't be changed: ${await host.logs(container.id)}`);
        }
        await container.commit({ repo, tag });
    } finally {
        await container.remove({ force: true, v: true });
    }
    const reference = `${repo}:${tag}`;
    return { reference, remove: () => host.docker.getImage(reference).remove() as Promise<void> };
}
