import type { LocalHost } from "../../../components/docker/localHost";

/** Properties of a host for the checks. */
export interface HostContent {
    /** Folders by their real paths: owner, group, device and entries. */
    folders?: { [path: string]: { owner?: number; group?: number; device?: number; entries?: string[] } };
    /** Links, by their paths. */
    links?: { [path: string]: string };
    /** Contents of files. */
    files?: { [path: string]: string };
    addresses?: string[];
    /** Addresses on which other programs listen: `127.0.0.1:443`. */
    listeners?: string[];
}

/** A host with only these properties. */
export function mockHost(content: HostContent): LocalHost {
    const { folders = {}, links = {}, files = {}, addresses = ["127.0.0.1", "192.0.2.2"], listeners = [] } = content;
    const real = (path: string) => links[path] ?? (path.replace(/\/(\.\/?)*$/, "") || "/");
    const resolved = <Value>(value: Value) => Promise.resolve(value);
    return {
        realPath: (path) => resolved(folders[real(path)] === undefined ? undefined : real(path)),
        folder: (path) => {
            const found = folders[real(path)];
            const inode = Object.keys(folders).indexOf(real(path));
            return resolved(
                found && { device: found.device ?? inode, inode, owner: found.owner ?? 0, group: found.group ?? 0 },
            );
        },
        entries: (path) => resolved(folders[real(path)]?.entries),
        lacks: (path) => resolved(files[path] === undefined),
        text: (path) => resolved(files[path]),
        networks: () => resolved([]),
        ipv6Networks: () => resolved([]),
        addresses: () => addresses,
        refusalToListen: (port, address) => {
            const everywhere = ["0.0.0.0", "::"].includes(address);
            if (!everywhere && !addresses.includes(address)) {
                return resolved("EADDRNOTAVAIL");
            }
            const meets = listeners.filter((other) => {
                const [held, taken] = other.split(":");
                return Number(taken) === port && (everywhere || held === "0.0.0.0" || held === address);
            });
            return resolved(meets.length > 0 ? "EADDRINUSE" : undefined);
        },
    };
}
