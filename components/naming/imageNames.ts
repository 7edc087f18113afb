/** An image that the engine has. */
export interface KnownImage {
    id: string;
    /** Its names: tags and digests. */
    names: readonly string[];
}

/** Parts of an image's name. */
interface ImageName {
    /** Registry and path, as written. */
    repository: string;
    /** Path without the registry. */
    path: string;
    /** Tag with its colon, and digest with its at sign; empty if missing. */
    tag: string;
    digest: string;
}

/**
 * Splits an image's name. A first part with a dot or a port, or `localhost`, is a registry (grammar of the distribution
 * project's references).
 */
function parseImageName(name: string): ImageName {
    const [, repository = name, tag = "", digest = ""] = /^(.*?)(:[^/:@]+)?(@.*)?$/.exec(name) ?? [];
    const [first = "", ...rest] = repository.split("/");
    const hasHost = rest.length > 0 && /[.:]|^localhost$/.test(first);
    return { repository, path: hasHost ? rest.join("/") : repository, tag, digest };
}

/**
 * All names of an image. Docker Hub names are added with their registry, and each tag is combined with each digest of its
 * repository.
 */
function allNames(known: readonly string[]): string[] {
    const parts = known.map(parseImageName);
    const pinned = parts.flatMap(({ repository, tag }) =>
        parts
            .filter((other) => tag !== "" && other.digest !== "" && other.repository === repository)
            .map(({ digest }) => repository + tag + digest),
    );
    return [...known, ...pinned].flatMap((name) => {
        const { repository, path } = parseImageName(name);
        return repository === path ? [name, `docker.io/${name}`] : [name];
    });
}

/**
 * Names of the running image, if a name denotes the same image; empty if it denotes another one. If the engine has an image
 * under the name, that decides. If not, the digest decides. Without a digest, names that differ only in the registry count
 * as the same.
 *
 * @param name Name in stack config.
 * @param running The running image.
 * @param there Id of the image that the engine has under the name, if any.
 */
export function namesOfSameImage(name: string, running: KnownImage, there: string | undefined): string[] {
    const wanted = parseImageName(name);
    const isCalledSo = running.names.map(parseImageName).some(({ path, tag, digest }) => {
        const isSameVersion = wanted.digest !== "" ? wanted.digest === digest : wanted.tag !== "" && wanted.tag === tag;
        return path === wanted.path && isSameVersion;
    });
    return (there === undefined ? isCalledSo : there === running.id) ? allNames(running.names) : [];
}
