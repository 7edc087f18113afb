import { StepError } from "../../cli/step";

/** `repository` in a package.json, as npm reads it. */
export type RepositoryKey = string | { type?: string; url?: string; directory?: string };

const FORGES: { [prefix: string]: string } = {
    github: "https://github.com",
    gitlab: "https://gitlab.com",
    bitbucket: "https://bitbucket.org",
};

/**
 * Web address of a repository, without a slash or `.git` at its end; undefined if the key isn't set.
 *
 * @throws {StepError} if no web address follows from the key.
 */
export function webAddress(repository: RepositoryKey | undefined): string | undefined {
    if (repository === undefined) {
        return undefined;
    }
    const text = (typeof repository === "string" ? repository : (repository.url ?? "")).trim();
    const [, forge = "github", path] = /^(?:(github|gitlab|bitbucket):)?(\w[\w.-]*\/[\w.-]+)$/.exec(text) ?? [];
    if (path !== undefined) {
        return `${FORGES[forge]}/${path}`;
    }
    const [, host, rest = ""] =
        /^(?:git\+)?(?:https?|ssh|git):\/\/(?:[\w.-]+@)?([\w.-]+(?::\d+)?)\/(.+)$/.exec(text) ??
        /^(?:[\w.-]+)@([\w.-]+):(.+)$/.exec(text) ??
        [];
    if (host === undefined) {
        throw new StepError(
            `package.json: repository: "${text}" is not allowed: no web address follows from it. ` +
                "Set it to an address such as https://github.com/OWNER/NAME, or to github:OWNER/NAME",
        );
    }
    return `https://${host}/${rest.replace(/\/$/, "").replace(/\.git$/, "")}`;
}
