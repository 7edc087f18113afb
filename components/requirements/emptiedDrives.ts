import type { Problem } from "../checks/problem";
import { documentReference } from "../naming/documentation";
import { isNamedBy, namesOf, targetsOf, wordsFor, type NamedNode } from "./driveWords";

/** A drive of an erasure set, as far as the rule needs it. */
export interface RuledDrive {
    node: NamedNode;
    /** Name of its node's container. */
    container: string;
    /** `node2 drive 1`. */
    name: string;
    /** Why it would be without data once the update has ended, and where. Undefined if it wouldn't. */
    emptied?: Problem;
    /**
     * Whether the store says that nothing is missing on it. `stopped`: its node was stopped for a drive beside it, which is emptied;
     * it comes back with that one.
     */
    healing: "healed" | "unhealed" | "unknown" | "stopped";
    /** Why it isn't `healed`: `is being healed since …`. */
    reason: string;
    /** Whether the store has it in use. */
    inUse: boolean;
}

/** An erasure set. */
export interface RuledSet {
    drives: RuledDrive[];
    /** Number of drives that it can lose without losing an object. */
    parity: number;
}

/** What the rule decides. */
export interface Ruling {
    /** Reasons why the update is refused. Empty if it isn't. */
    problems: Problem[];
    /** The values of `allowedChanges` for drives that the update needs. */
    needed: string[];
    /** The drives that the update makes empty. */
    emptied: RuledDrive[];
}

/**
 * The one rule for drives: none is emptied, replaced or given to a store without its data unless its erasure set bears it, and
 * all others of the set are healed.
 *
 * - The drives that are emptied, those that the store says aren't healed, and those whose node was stopped for it, are at most as
 *   many as the parity. No word allows more. A set of which nothing is left begins from the start, once a word names each of its
 *   drives.
 * - A drive is emptied only if `emptyDrives` names its node or host, and only if the store doesn't have it in use.
 * - Meanwhile all others of its set that run are healed, or `unhealedDrives` names their node or host. What the store doesn't say
 *   counts as not healed.
 */
export function ruleOnDrives(sets: readonly RuledSet[], allowedChanges: readonly string[]): Ruling {
    const affected = sets.filter(({ drives }) => drives.some(({ emptied }) => emptied !== undefined));
    const emptied = affected.flatMap(({ drives }) => drives.filter((drive) => drive.emptied !== undefined));
    const unhealed = affected.flatMap(({ drives }) => drives.filter(hasToBeHealed));
    const isAllowed = ({ node }: RuledDrive) => isNamedBy("emptyDrives", allowedChanges, node);
    const problems = affected.flatMap((set) => [
        ...beyondParity(set),
        ...notNamed(
            set,
            set.drives.filter((drive) => drive.emptied !== undefined && !isAllowed(drive)),
        ),
        ...notHealed(set, allowedChanges),
    ]);
    const needs = (word: "emptyDrives" | "unhealedDrives", drives: RuledDrive[]) =>
        targetsOf(word, allowedChanges)
            .filter((target) => drives.some(({ node }) => namesOf(node).includes(target)))
            .map((target) => `${word}:${target}`);
    return {
        problems: [...inUse(emptied), ...problems].filter(isFirst),
        needed: [...needs("emptyDrives", emptied), ...needs("unhealedDrives", unhealed)],
        emptied: emptied.filter(isAllowed),
    };
}

function hasToBeHealed({ emptied, healing }: RuledDrive): boolean {
    return emptied === undefined && ["unhealed", "unknown"].includes(healing);
}

/** A drive that the store has in use isn't lost: the update looks for it on another machine, or its folder was unmounted below it. */
function inUse(emptied: readonly RuledDrive[]): Problem[] {
    return emptied
        .filter((drive) => drive.inUse)
        .map(({ name, node, container, emptied: problem }) => ({
            propertyPath: problem?.propertyPath ?? "",
            reason:
                `${problem?.reason ?? ""}, but the other nodes have ${name} in use: is ${node.host === undefined ? node.server : `host "${node.host}"`} ` +
                "still there, where it was before? Set the change back; or, if its drive is to be replaced, first stop the node " +
                `(docker stop ${container})`,
        }));
}

function beyondParity({ drives, parity }: RuledSet): Problem[] {
    const emptied = drives.filter((drive) => drive.emptied !== undefined);
    const unhealed = drives.filter(
        (drive) => drive.emptied === undefined && ["unhealed", "stopped"].includes(drive.healing),
    );
    const nothingIsLeft = emptied.length === drives.length;
    if (emptied.length + unhealed.length <= parity || nothingIsLeft) {
        return [];
    }
    const also =
        unhealed.length === 0 ? "" : `, and ${unhealed.map(({ name, reason }) => `${name} ${reason}`).join("; ")}`;
    return emptied.slice(0, 1).map(({ emptied: problem }) => ({
        propertyPath: problem?.propertyPath ?? "",
        reason:
            `${listOf(emptied)} would be empty${also}. An erasure set of ${drives.length} drives can lose ${parity}, so objects would be ` +
            `lost, and no value of allowedChanges allows that. ${emptied.map((drive) => drive.emptied?.reason).join("; ")}. ` +
            (unhealed.length === 0
                ? `Bring the drives back, or restore a backup (${documentReference("how-to/restore", "Steps")})`
                : "Bring the drives back, or wait until the store has healed the others (npm run status)"),
    }));
}

function notNamed({ drives, parity }: RuledSet, unnamed: RuledDrive[]): Problem[] {
    const isTooMuch = beyondParity({ drives, parity }).length > 0;
    return isTooMuch
        ? []
        : unnamed.map(({ node, emptied }) => ({
              propertyPath: emptied?.propertyPath ?? "",
              reason:
                  `${emptied?.reason ?? ""}, or, to have the store heal an empty one from the others, add ` +
                  `${wordsFor("emptyDrives", [node])} to allowedChanges`,
          }));
}

function notHealed({ drives, parity }: RuledSet, allowedChanges: readonly string[]): Problem[] {
    const emptied = drives.filter((drive) => drive.emptied !== undefined);
    const unhealed = drives.filter(
        (drive) => hasToBeHealed(drive) && !isNamedBy("unhealedDrives", allowedChanges, drive.node),
    );
    if (unhealed.length === 0 || beyondParity({ drives, parity }).length > 0) {
        return [];
    }
    const reason =
        `${listOf(emptied)} can't be emptied now, since others of the erasure set aren't healed, or it isn't known: ` +
        `${unhealed.map((drive) => `${drive.name} ${describe(drive)}`).join("; ")}. Wait until the store has healed them (npm run status), ` +
        "then run this update again; or, if objects may be lost, add " +
        `${wordsFor(
            "unhealedDrives",
            unhealed.map(({ node }) => node),
        )} to allowedChanges`;
    return [{ propertyPath: "allowedChanges", reason }];
}

function describe({ healing, reason }: RuledDrive): string {
    return healing === "unknown" ? `isn't known to be healed (${reason})` : reason;
}

function listOf(drives: readonly RuledDrive[]): string {
    return drives.map(({ name }) => name).join(", ");
}

function isFirst({ propertyPath, reason }: Problem, index: number, problems: Problem[]): boolean {
    return problems.findIndex((other) => other.propertyPath === propertyPath && other.reason === reason) === index;
}
