import type { Problem } from "../checks/problem";

/** Values of `allowedChanges` that name a node or a host: `emptyDrives:node2`. */
export const DRIVE_WORDS = ["emptyDrives", "unhealedDrives"] as const;

/** One of {@link DRIVE_WORDS}. */
export type DriveWord = (typeof DRIVE_WORDS)[number];

/** A drive's node, as a word may name it. */
export interface NamedNode {
    /** Its name in the proxies: `node2`. */
    server: string;
    /** Name of its host. Undefined in a cluster on one host. */
    host?: string;
}

/** The words that are for drives, as the node or host that each names. */
export function targetsOf(word: DriveWord, allowedChanges: readonly string[]): string[] {
    return allowedChanges.filter((one) => one.startsWith(`${word}:`)).map((one) => one.slice(word.length + 1));
}

/** Whether a word names a node, or its host. */
export function isNamedBy(word: DriveWord, allowedChanges: readonly string[], node: NamedNode): boolean {
    return targetsOf(word, allowedChanges).some((target) => namesOf(node).includes(target));
}

/** The names by which a word may name a node. */
export function namesOf({ server, host }: NamedNode): string[] {
    return [server, ...(host === undefined ? [] : [host])];
}

/** The values that allow something for all of these nodes: by their hosts, if they have any. In quotation marks. */
export function wordsFor(word: DriveWord, nodes: readonly NamedNode[]): string {
    const targets = new Set(nodes.map(({ host, server }) => host ?? server));
    return [...targets].map((target) => `"${word}:${target}"`).join(", ");
}

/** Whether a value is one of the words that name a node or a host, and what it names. Undefined if it is another value. */
export function driveWordIn(value: string): { word: DriveWord; target: string } | undefined {
    const [name, ...rest] = value.split(":");
    const word = DRIVE_WORDS.find((one) => one === name);
    return word === undefined ? undefined : { word, target: rest.join(":") };
}

/** Checks that a word names a node or a host of a cluster. */
export function checkDriveWord(
    propertyPath: string,
    value: string,
    nodeCount: number,
    hosts: readonly string[],
): Problem[] {
    const { word, target } = driveWordIn(value) ?? { word: value, target: "" };
    const [, number] = /^node([1-9]\d*)$/.exec(target) ?? [];
    if (hosts.includes(target) || (number !== undefined && Number(number) <= nodeCount)) {
        return [];
    }
    const nodes = nodeCount === 1 ? `"${word}:node1"` : `one of "${word}:node1" to "${word}:node${nodeCount}"`;
    const ofHosts =
        hosts.length === 0 ? "" : `, or that of a host: ${hosts.map((host) => `"${word}:${host}"`).join(", ")}`;
    const what = target === "" ? "doesn't say for which drives" : "names no node or host of this cluster";
    return [{ propertyPath, reason: `"${value}" ${what}: give ${nodes}${ofHosts}` }];
}
