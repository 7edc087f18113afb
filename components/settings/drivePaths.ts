import { normalize } from "node:path/posix";
import type { Problem } from "../checks/problem";
import type { GivenPath } from "./pools";

/**
 * Problems of folders that hold drives: each has an absolute path of its own, and none contains another. Where symbolic links lead
 * is checked on the host.
 */
export function checkDrivePaths(paths: readonly GivenPath[]): Problem[] {
    return paths.flatMap(({ propertyPath, path, host }, index): Problem[] => {
        if (!path.startsWith("/")) {
            const reason = `"${path}" is not an absolute path: give that of a folder on the Docker host, such as /mnt/disk1`;
            return [{ propertyPath, reason }];
        }
        if (path.split("/").includes("..")) {
            const reason = `"${path}" has "..", and where that leads depends on symbolic links: give the path without it`;
            return [{ propertyPath, reason }];
        }
        return overlapsWith({ propertyPath, path, host }, paths.slice(0, index));
    });
}

/** The problem of a folder that is, contains or is in one of the others. */
export function overlapsWith({ propertyPath, path, host }: GivenPath, others: readonly GivenPath[]): Problem[] {
    const own = folder(path);
    const other = others.find((found) => {
        const theirs = folder(found.path);
        return found.host === host && (own.startsWith(theirs) || theirs.startsWith(own));
    });
    if (other === undefined) {
        return [];
    }
    const what =
        folder(other.path) === own
            ? `is ${other.propertyPath} already`
            : `and "${other.path}" of ${other.propertyPath} overlap, since one contains the other`;
    return [{ propertyPath, reason: `"${path}" ${what}: set a folder of its own for each drive` }];
}

/** A path in one spelling, with a slash at its end. */
function folder(path: string): string {
    return `${normalize(path).replace(/\/+$/, "")}/`;
}
