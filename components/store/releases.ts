import { satisfies, valid } from "semver";

/** The tag of an image; empty if its reference has none. */
export function tagOf(image: string): string {
    return /:([^/:@]+)(?:@[^@]*)?$/.exec(image)?.[1] ?? "";
}

/**
 * The store's release according to an image's tag, such as `1.0.1`. Undefined for a tag that isn't a semantic version, as
 * `latest`, and for a reference without a tag.
 */
export function releaseOf(image: string): string | undefined {
    return valid(tagOf(image).replace(/-glibc$/, "")) ?? undefined;
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
