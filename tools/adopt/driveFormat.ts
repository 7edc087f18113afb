import { isDeepStrictEqual } from "node:util";
import type { AdoptedNode, Drive } from "./adoptedDrives";

/** What a drive's format file says: which drive of which layout it is. */
export interface DriveFormat {
    /** Id of the deployment. */
    id: string;
    /** Id of the drive. */
    drive: string;
    /** Ids of the drives of each erasure set. */
    sets: string[][];
}

/** A drive with what was found on it. */
export interface FoundDrive {
    /** Volume or folder. */
    name: string;
    /** Text of the format file. Undefined if there is none. */
    text: string | undefined;
    /** User and group of the format file, as `1000:1000`. */
    owner?: string;
}

/** Version of the layout that both stores have written since 2018. */
const LAYOUT = "3";

/** Name of a drive in messages: its volume or folder. */
export function nameOf({ volume, path }: Drive): string {
    return volume ?? path;
}

/**
 * The nodes of a pool with their drives in the order that the drives themselves name.
 *
 * @param formatFile Name of the format file.
 * @param problems Gets every reason why this isn't the whole pool in a layout that can be deployed.
 */
export function arrange(
    nodes: readonly AdoptedNode[],
    found: ReadonlyMap<string, FoundDrive>,
    formatFile: string,
    problems: string[],
): AdoptedNode[] {
    const formats = new Map<string, DriveFormat>();
    const before = problems.length;
    for (const name of nodes.flatMap(({ drives }) => drives.map(nameOf))) {
        const format = formatOf(found.get(name)?.text, formatFile);
        if (typeof format === "string") {
            problems.push(`${name} ${format}`);
        } else {
            formats.set(name, format);
        }
    }
    const [first] = formats.values();
    if (problems.length > before || first === undefined) {
        return [];
    }
    const names = [...formats.keys()];
    const strangers = names.filter((name) => !isOfPool(formats.get(name), first));
    if (strangers.length > 0) {
        problems.push(
            `${strangers.join(", ")} and ${names[0]} have different layouts, so they are not one store's, or not one pool's`,
        );
        return [];
    }
    const order = first.sets.flat();
    const placeOf = (drive: Drive) => order.indexOf(formats.get(nameOf(drive))?.drive ?? "");
    if (names.length !== order.length) {
        const missing = order.filter((id) => ![...formats.values()].some(({ drive }) => drive === id));
        problems.push(
            `the layout on ${names[0]} has ${order.length} drives, and ${names.length} are named: name all of them` +
                (missing.length > 0 ? ` (the ids of the others are ${missing.join(", ")})` : ""),
        );
        return [];
    }
    return inOrder(nodes, placeOf, problems);
}

function isOfPool(format: DriveFormat | undefined, { id, sets }: DriveFormat): boolean {
    return format !== undefined && format.id === id && isDeepStrictEqual(format.sets, sets);
}

/** Nodes and drives in the order of the drives' places in the layout, of which the first node has the first one, the second node the second. */
function inOrder(nodes: readonly AdoptedNode[], placeOf: (drive: Drive) => number, problems: string[]): AdoptedNode[] {
    const sorted = nodes
        .map((node) => ({ ...node, drives: [...node.drives].sort((one, other) => placeOf(one) - placeOf(other)) }))
        .sort(({ drives: [one] }, { drives: [other] }) => placeOf(one as Drive) - placeOf(other as Drive));
    const isRegular = sorted.every(({ drives }, node) =>
        drives.every((drive, index) => placeOf(drive) === index * nodes.length + node),
    );
    if (!isRegular) {
        const places = sorted.map(({ drives }) => drives.map(placeOf).join(" ")).join("; ");
        problems.push(
            `the layout's drives are spread over the nodes in an order that can't be deployed once more (${places}): copy the objects ` +
                "to a new cluster",
        );
        return [];
    }
    return sorted;
}

/** What a drive's format file says, or why it can't be used. */
function formatOf(text: string | undefined, file: string): DriveFormat | string {
    if (text === undefined) {
        return `has no ${file}, so it is not a drive of the store, and would come up empty: name the store's own drives`;
    }
    const { format, id, xl: layout } = parse(text);
    if (format === "fs") {
        return (
            `is written in MinIO's former FS mode (${file}), which neither MinIO since October 2022 nor RustFS reads: copy the objects ` +
            "to a new store"
        );
    }
    const { version, this: drive, sets } = layout ?? {};
    if ((format !== "xl" && format !== "xl-single") || version !== LAYOUT || id === undefined || drive === undefined) {
        return `has a ${file} of another kind or version (${format ?? "none"}, ${version ?? "none"}): copy the objects to a new store`;
    }
    return { id, drive, sets: sets ?? [] };
}

interface FormatFile {
    format?: string;
    id?: string;
    xl?: { version?: string; this?: string; sets?: string[][] };
}

function parse(text: string): FormatFile {
    try {
        return (JSON.parse(text) ?? {}) as FormatFile;
    } catch {
        return {};
    }
}
