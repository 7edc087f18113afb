import { gt, prerelease, rsort, valid } from "semver";
import type { Pin } from "./pins";
import type { Registries } from "./registries";

/** What becomes of a pin. */
export interface Raise {
    pin: Pin;
    /** The pinned version. */
    before: string;
    /** The version to pin; the same one if there is none to raise it to. */
    after: string;
    /** Why it isn't the newest one. Undefined if it is. */
    remark?: string;
}

/** Finds the version of each pin: the newest release that can be had. A pin is never lowered. */
export function planRaises(
    pins: readonly Pin[],
    pinned: (name: string) => string,
    registries: Registries,
): Promise<Raise[]> {
    return Promise.all(
        pins.map(async (pin): Promise<Raise> => {
            const before = pinned(pin.name);
            const newer = releasesAfter(before, await registries.npmVersions(pin.name));
            const [newest] = newer;
            if (newest === undefined) {
                return { pin, before, after: before };
            }
            if (pin.byHand !== undefined) {
                return { pin, before, after: before, remark: `${newest} is out: ${pin.byHand}` };
            }
            const { version = before, missing } = await newestWithModules(pin, newer, registries);
            return { pin, before, after: version, remark: missing };
        }),
    );
}

/** Releases that are newer than a version, the newest first. */
function releasesAfter(version: string, all: string[]): string[] {
    return rsort(all.filter((one) => valid(one) !== null && prerelease(one) === null && gt(one, version)));
}

/** The first of these versions that has all Go modules, and what the very first one lacks. */
async function newestWithModules(
    { goModules }: Pin,
    versions: string[],
    { hasGoModule }: Registries,
): Promise<{ version?: string; missing?: string }> {
    let missing: string | undefined;
    for (const version of versions) {
        const there = await Promise.all(goModules.map((module) => hasGoModule(module, version)));
        const lacking = goModules.filter((_, index) => !there[index]);
        if (lacking.length === 0) {
            return { version, missing };
        }
        missing ??= `${version} is out, but can't be had as Go module ${lacking.join(", ")}`;
    }
    return { missing };
}

/** The plan as a table, one line for each pin. */
export function raiseTable(raises: Raise[]): string {
    const rows = [
        ["", "PACKAGE", "BEFORE", "AFTER", ""],
        ...raises.map(({ pin, before, after, remark = "" }) => [
            pin.title,
            pin.name,
            before,
            after === before ? "=" : after,
            remark,
        ]),
    ];
    const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
    return rows
        .map((row) =>
            row
                .map((cell, column) => cell.padEnd(widths[column] ?? 0))
                .join("  ")
                .trimEnd(),
        )
        .join("\n");
}
