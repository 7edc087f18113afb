const HEADING = /^## (\S+), (unreleased|\d{4}-\d{2}-\d{2})$/m;

/** The version under whose heading unreleased changes are written; undefined if the newest heading has a date. */
export function unreleasedVersion(changelog: string): string | undefined {
    const [, version, date] = HEADING.exec(changelog) ?? [];
    return date === "unreleased" ? version : undefined;
}

/** The changelog in which the unreleased changes are those of this version, with its date. */
export function datedChangelog(changelog: string, version: string, date: string): string {
    return changelog.replace(HEADING, `## ${version}, ${date}`);
}
