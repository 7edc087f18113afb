import { lt } from "semver";
import { checkImage } from "../../components/checks/imageChecks";
import { releaseOf } from "../../components/store/releases";
import type { FoundContainer } from "./foundContainer";

/**
 * The image that a store goes on with: its own, or the given one, unless that is of an earlier release than what has written the drives.
 *
 * @returns The reason, with what to do, if it can't.
 */
export function imageOf(container: FoundContainer, given: string | undefined): { image: string } | { problem: string } {
    if (given === undefined) {
        return pinnedImage(container);
    }
    const [release, running] = [releaseOf(given), releaseOf(tagged(container.release) ?? "")];
    return release !== undefined && running !== undefined && lt(release, running)
        ? {
              problem: `--image ${given} is earlier than the release that runs, ${container.release}: give that or a later one`,
          }
        : { image: given };
}

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
    release,
}: FoundContainer): { image: string } | { problem: string } {
    const { id, tags, digests } = imageFacts;
    const repository = repositoryOf(image);
    const [, given] = image.split("@");
    if (given !== undefined) {
        return {
            image: releaseOf(image) === undefined ? `${tagged(release, repository) ?? repository}@${given}` : image,
        };
    }
    if (checkImage("", image).length === 0 && tags.map(plainName).includes(plainName(image))) {
        return { image };
    }
    const digest = digests.find((one) => plainName(repositoryOf(one)) === plainName(repository)) ?? digests[0];
    if (digest !== undefined) {
        const [named = "", hash = ""] = digest.split("@");
        return { image: `${tagged(release, named) ?? named}@${hash}` };
    }
    const exact = tags.find((tag) => checkImage("", tag).length === 0);
    return exact === undefined
        ? {
              problem:
                  `the image of ${name}, ${image}, has no digest (it was built here) and no tag with a version, so another one could take its ` +
                  `place: give it a tag (docker tag ${id.slice(0, 19)} ${tagged(release, repository) ?? `${repository}:VERSION`}), then run this again`,
          }
        : { image: exact };
}

/** An image's name with a release as its tag. Undefined without one. */
function tagged(release: string | undefined, repository = "image"): string | undefined {
    const name = `${repository}:${release ?? ""}`;
    return releaseOf(name) === undefined ? undefined : name;
}

/** Name of an image without its tag and digest. */
function repositoryOf(image: string): string {
    return /^(.*?)(:[^/:@]+)?(@.*)?$/.exec(image)?.[1] ?? image;
}

/** A name on Docker Hub has two longer forms. */
function plainName(image: string): string {
    return image.replace(/^docker\.io\/(library\/)?/, "");
}
