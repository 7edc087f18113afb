import { shown } from "./inputChecks";
import type { Problem } from "./problem";

/**
 * Tags that point to a different image with each release: words alone, such as `lts` or `alpine`, and bare major versions.
 */
const MOVING_TAG = /^(latest|lts|stable|nightly|v?[0-9]{1,3}(-[a-z]+[0-9.]*)?$|[^0-9]*$)/i;

/** Grammar of the distribution project's references: a registry, a path in lower case, a tag, a digest. */
const HOST_PART = "[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*";
const PATH_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const REFERENCE = new RegExp(
    `^(?:${HOST_PART}(?:\\.${HOST_PART})*(?::[0-9]+)?/)?${PATH_PART}(?:/${PATH_PART})*` +
        "(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$",
);

/** Checks an image reference. It needs an exact version: a digest, or a tag that no later release reuses. */
export function checkImage(propertyPath: string, value: string): Problem[] {
    if (!REFERENCE.test(value)) {
        const reason = `${shown(value)} is not the name of an image: give one in lower case, with an exact version, such as haproxy:3.2.26`;
        return [{ propertyPath, reason }];
    }
    const tag = /:([^/:@]+)$/.exec(value.split("@")[0] ?? "")?.[1];
    if (value.includes("@sha256:") || (tag !== undefined && !MOVING_TAG.test(tag))) {
        return [];
    }
    const fault = tag === undefined ? "names no version" : `has the tag ${tag}, which moves from release to release`;
    const reason =
        `${shown(value)} ${fault}: give an exact version, such as haproxy:3.2.26, or a digest (@sha256:…), ` +
        "so that a later update changes nothing by itself";
    return [{ propertyPath, reason }];
}

/**
 * Checks the version of an HAProxy image under any name, by the variable that the official images set. An image without the
 * variable passes.
 */
export function checkHaproxyVersion(propertyPath: string, value: string, variables: string[]): Problem[] {
    const version = variables.find((variable) => variable.startsWith("HAPROXY_VERSION="))?.split("=")[1];
    return version === undefined || version.startsWith(`${HAPROXY_SERIES}.`)
        ? []
        : [
              {
                  propertyPath,
                  reason: `${shown(value)} is HAProxy ${version}: give one of HAProxy ${HAPROXY_SERIES} on Debian`,
              },
          ];
}

/** Series of HAProxy that the configuration is written for. */
const HAPROXY_SERIES = "3.2";

/**
 * Checks the reference of an HAProxy image. An image named `haproxy` has its version as tag: it must be a full version of
 * the series that the configuration is written for, on Debian.
 */
export function checkHaproxyImage(propertyPath: string, value: string): Problem[] {
    const problems = checkImage(propertyPath, value);
    const [, series, rest = ""] = /(?:^|\/)haproxy:([0-9]+\.[0-9]+)([^/:@]*)(@.*)?$/.exec(value) ?? [];
    if (problems.length > 0 || series === undefined) {
        return problems;
    }
    const advice = `give one of HAProxy ${HAPROXY_SERIES} on Debian, such as haproxy:3.2.26`;
    if (series !== HAPROXY_SERIES) {
        return [{ propertyPath, reason: `${shown(value)} is HAProxy ${series}: ${advice}` }];
    }
    if (/alpine/.test(rest)) {
        return [{ propertyPath, reason: `${shown(value)} is based on Alpine: ${advice}` }];
    }
    if (!value.includes("@sha256:") && /^(-[a-z]+)?$/.test(rest)) {
        return [{ propertyPath, reason: `${shown(value)} moves with each release of ${series}: ${advice}` }];
    }
    return [];
}
