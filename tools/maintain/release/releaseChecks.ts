import { gt, rcompare, valid } from "semver";

/** A checkout from which a release is asked for. */
export interface ReleaseRequest {
    /** The version that is asked for; undefined: that of the changelog. */
    version: string | undefined;
    /** Version in package.json. */
    current: string;
    /** Version of the changelog's heading of unreleased changes. */
    unreleased: string | undefined;
    /** Names of the repository's tags. */
    tags: string[];
    /** Branch of the checkout. */
    branch: string;
    /** Changed and new files of the checkout. */
    changes: string[];
    dryRun: boolean;
}

const BRANCH = "main";

/** The version that a request means, and all reasons why it can't be released. */
export function checkRelease(request: ReleaseRequest): { version: string; problems: string[] } {
    const { unreleased, current, tags, branch, changes, dryRun } = request;
    const version = request.version ?? unreleased ?? current;
    const [last] = tags
        .map((tag) => (/^v\d/.test(tag) ? valid(tag) : null))
        .filter((found) => found !== null)
        .sort(rcompare);
    const problems = [
        changes.length > 0 &&
            `the checkout has changes that no commit has: ${changes.join(", ")}. Commit or stash them`,
        !dryRun &&
            branch !== BRANCH &&
            `the branch is ${branch}: a release is made from ${BRANCH}. Only --dry-run works on another one`,
        unreleased === undefined &&
            `CHANGELOG.md has no unreleased changes. Write them below the heading "## VERSION, unreleased"`,
        ...versionProblems(version, current, last),
    ];
    return { version, problems: problems.filter((problem) => problem !== false) };
}

function versionProblems(version: string, current: string, last: string | undefined): (string | false)[] {
    if (valid(version) !== version) {
        return [`the version "${version}" is not allowed: it has to be MAJOR.MINOR.PATCH, as 1.2.3, or 1.2.3-rc.1`];
    }
    return [
        gt(current, version) && `the version ${version} is lower than ${current}, that of package.json`,
        last !== undefined &&
            !gt(version, last) &&
            `the version ${version} is not higher than ${last}, the last release (tag v${last})`,
    ];
}
