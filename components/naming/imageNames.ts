/** Parts of an image's name. */
interface ImageName {
    /** Registry; empty for Docker Hub. */
    host: string;
    path: string;
    /** Tag and digest, as written. */
    version: string;
}

/** A first part with a dot or a port, or localhost, is a registry (grammar of the distribution project's references). */
function parseImageName(name: string): ImageName {
    const [, repository = name, version = ""] = /^(.*?)((?::[^/:@]+)?(?:@.*)?)$/.exec(name) ?? [];
    const [first = "", ...rest] = repository.split("/");
    const hasHost = rest.length > 0 && /[.:]|^localhost$/.test(first);
    return hasHost ? { host: first, path: rest.join("/"), version } : { host: "", path: repository, version };
}

/**
 * Other names of an image, where one of them is that of the image that runs, or differs from it in the registry alone; none where
 * the image is another.
 *
 * @param name Name in stack config.
 * @param running Names by which the engine has the image that runs.
 */
export function namesOfSameImage(name: string, running: readonly string[]): string[] {
    const names = running.flatMap((known) =>
        parseImageName(known).host === "" ? [known, `docker.io/${known}`] : [known],
    );
    const wished = parseImageName(name);
    const isSame = (known: string) => {
        const { path, version } = parseImageName(known);
        return known === name || (path === wished.path && version === wished.version && version !== "");
    };
    return names.some(isSame) ? names : [];
}
