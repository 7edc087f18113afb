import { checkImage } from "../../components/inputs/imageChecks";
import type { FoundContainer } from "./foundContainer";

/** A release as MinIO and RustFS tag their images with it. */
const RELEASE_TAG = /^(RELEASE\.[0-9TZ-]+|\d+\.\d+\.\d+.*)$/;

/**
 * A reference to the very image that a container has, which no later release takes over: its own name, if that has an exact version;
 * else the same name with the release and the digest; else another name of it on the engine.
 *
 * @returns The reason, with what to do, if there is none.
 */
export function pinnedImage({
    name,
    image,
    imageFacts,
    release = "",
}: FoundContainer): { image: string } | { problem: string } {
    const { id, tags, digests } = imageFacts;
    if (checkImage("", image).length === 0 && (image.includes("@") || tags.map(plainName).includes(plainName(image)))) {
        return { image };
    }
    const repository = repositoryOf(image);
    const digest = digests.find((one) => plainName(repositoryOf(one)) === plainName(repository)) ?? digests[0];
    if (digest !== undefined) {
        const [named = "", hash = ""] = digest.split("@");
        return { image: `${named}${RELEASE_TAG.test(release) ? `:${release}` : ""}@${hash}` };
    }
    const exact = tags.find((tag) => checkImage("", tag).length === 0);
    return exact === undefined
        ? {
              problem:
                  `the image of ${name}, ${image}, has no digest (it was built here) and no tag with a version, so another one could take its ` +
                  `place: give it a tag (docker tag ${id.slice(0, 19)} ${repository}:${RELEASE_TAG.test(release) ? release : "VERSION"}), then run this again`,
          }
        : { image: exact };
}

/** Name of an image without its tag and digest. */
function repositoryOf(image: string): string {
    return /^(.*?)(:[^/:@]+)?(@.*)?$/.exec(image)?.[1] ?? image;
}

/** A name on Docker Hub has two longer forms. */
function plainName(image: string): string {
    return image.replace(/^docker\.io\/(library\/)?/, "");
}
