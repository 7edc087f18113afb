/** One drive in the description of SERVICE_VOLUMES. */
export interface Drive {
    /** The drive's node; undefined if the description has paths. */
    host?: string;
    /** S3 port of that node. */
    port?: number;
    path: string;
}

/**
 * Every drive that a description names: paths or URLs, with `{1...4}` ranges, separated by spaces.
 *
 * @throws {Error} if the description is invalid.
 */
export function parseVolumes(description: string): Drive[] {
    const drives = description
        .split(" ")
        .filter((part) => part !== "")
        .flatMap(expandRanges)
        .map((text): Drive => {
            const [, host, port, path] = /^(?:http:\/\/([^/:]+):(\d+))?(\/[^:{}]+)$/.exec(text) ?? [];
            if (path === undefined) {
                throw new Error(`"${text}" is neither a path nor http://host:port/path`);
            }
            return host === undefined ? { path } : { host, port: Number(port), path };
        });
    if (drives.length === 0) {
        throw new Error("it names no drive");
    }
    return drives;
}

/** Another node of the cluster. */
export interface Peer {
    host: string;
    /** Its S3 port. */
    port?: number;
}

/** Every other node, once each. */
export function peersOf(drives: Drive[], hostname: string): Peer[] {
    const ports = new Map(
        drives.flatMap(({ host, port }) => (host === undefined || host === hostname ? [] : [[host, port]])),
    );
    return [...ports].map(([host, port]) => ({ host, port }));
}

function expandRanges(text: string): string[] {
    const range = /\{(\d+)\.\.\.(\d+)\}/.exec(text);
    if (range === null) {
        return [text];
    }
    const [whole, first, last] = [range[0], Number(range[1]), Number(range[2])];
    return Array.from({ length: last - first + 1 }, (_, index) => text.replace(whole, String(first + index))).flatMap(
        expandRanges,
    );
}
