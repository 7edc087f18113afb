import { satisfies, valid } from "semver";

/** A release that is named after its date, such as MinIO's `RELEASE.2025-09-07T16-13-09Z`, or `20260212` of an image built here. */
const DATE = /^(?:RELEASE\.)?(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d)-(\d\d)-(\d\d)Z)?(?:$|[.-])/;

/** The tag of an image; empty if its reference has none. */
export function tagOf(image: string): string {
    return /:([^/:@]+)(?:@[^@]*)?$/.exec(image)?.[1] ?? "";
}

/**
 * The store's release according to an image's tag, as a semantic version, such as `1.0.1`. A date is one too: that of
 * `RELEASE.2025-09-07T16-13-09Z` is `2025.907.161309`. Undefined for another tag, as `latest`, and for a reference without a tag.
 */
export function releaseOf(image: string): string | undefined {
    const tag = tagOf(image);
    const [, year, month, day, ...time] = DATE.exec(tag) ?? [];
    return year === undefined
        ? (valid(tag.replace(/-glibc$/, "")) ?? undefined)
        : [year, `${month}${day}`, time.join("") || "0"].map(Number).join(".");
}

/** Whether an image is of one of these releases, a range of semantic versions. An unknown release is not. */
export function isRelease(image: string, range: string): boolean {
    const release = releaseOf(image);
    return release !== undefined && satisfies(release, range);
}

/**
 * Whether nodes of two releases work in one cluster.
 *
 * @param ranges Ranges of semantic versions. Any two releases in one of them work together.
 */
export function mayRunMixed(one: string | undefined, other: string | undefined, ranges: readonly string[]): boolean {
    return (
        one !== undefined &&
        other !== undefined &&
        (one === other || ranges.some((range) => satisfies(one, range) && satisfies(other, range)))
    );
}
