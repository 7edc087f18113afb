import { satisfies, valid } from "semver";

/** The tag of an image; empty if its reference has none. */
export function tagOf(image: string): string {
    return /:([^/:@]+)(?:@[^@]*)?$/.exec(image)?.[1] ?? "";
}

/** What images append to a release: what they are built on, or Debian's own revision. */
const BUILT_ON =
    /-(?:[0-9]+(?![.0-9])[A-Za-z0-9+~.]*|glibc|cpuv1|release|slim|bullseye|bookworm|trixie|forky|alpine[0-9.]*)$/;

/** A date and a time as releases of MinIO have them, or a date alone. */
const DATED = /^(?:RELEASE\.([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2})-([0-9]{2})-([0-9]{2})Z.*|([0-9]{8}))$/;

/**
 * The release according to an image's tag, as a semantic version: `1.0.1`, or `20250907.161309.0` for MinIO's
 * `RELEASE.2025-09-07T16-13-09Z`. Undefined for any other tag, as `latest` or `3.2`, and for a reference without a tag.
 */
export function releaseOf(image: string): string | undefined {
    const tag = tagOf(image);
    const dated = DATED.exec(tag);
    if (dated !== null) {
        const [, year = "", month = "", day = "", hour = "", minute = "", second = "", date] = dated;
        return `${date ?? year + month + day}.${Number(hour + minute + second)}.0`;
    }
    return valid(tag.replace(BUILT_ON, "")) ?? undefined;
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
