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
 * Names of the image that runs, where a name is one of the same image; none where that is another. What the engine has under the name
 * decides; where it has nothing, a name that differs in the registry alone counts as the same.
 *
 * @param name Name in stack config.
 * @param running Names by which the engine has the image that runs.
 * @param isThere Whether the engine has an image under the name.
 */
export function namesOfSameImage(name: string, running: readonly string[], isThere: boolean): string[] {
    const names = running.flatMap((known) =>
        parseImageName(known).host === "" ? [known, `docker.io/${known}`] : [known],
    );
    const wished = parseImageName(name);
    const isSame = (known: string) => {
        const { path, version } = parseImageName(known);
        return known === name || (!isThere && path === wished.path && version === wished.version && version !== "");
    };
    return names.some(isSame) ? names : [];
}
