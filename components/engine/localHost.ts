import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { networkOf, toCidr } from "../naming/ipv4Network";

/** A folder of the host. */
export interface HostFolder {
    /** Number of the device that it is on. */
    device: number;
    /** Inode number of the folder on its device. It is the same for two paths to the same folder. */
    inode: number;
    /** User id of its owner. */
    owner: number;
}

/** An IPv4 network that the host reaches without its default route. */
export interface HostNetwork {
    /** Name of the interface: `eth0`, `tun0` … */
    interface: string;
    /** Its subnet, in CIDR notation. */
    subnet: string;
}

/** The host that this program runs on, as far as the checks query it. It changes nothing. */
export interface LocalHost {
    /** The path with symbolic links resolved. Undefined if it doesn't exist or can't be resolved. */
    realPath(path: string): Promise<string | undefined>;
    /** A folder. Undefined if there is none. */
    folder(path: string): Promise<HostFolder | undefined>;
    /** Names in a folder. Undefined if it can't be read. */
    entries(path: string): Promise<string[] | undefined>;
    /** Whether a file is missing. False as well if that can't be determined. */
    lacks(path: string): Promise<boolean>;
    /** The text of a file. Undefined if it doesn't exist or can't be read. */
    text(path: string): Promise<string | undefined>;
    /** Networks of its interfaces and routes, without loopback and the default route. */
    networks(): Promise<HostNetwork[]>;
    /** Its own addresses of one family, 4 or 6. */
    addresses(family: 4 | 6): string[];
    /** Error code if a program can't listen there (`EADDRINUSE` …). Undefined if it can. Port 0: any free port. */
    refusalToListen(port: number, address: string): Promise<string | undefined>;
}

/** The host that the program runs on. */
export const localHost: LocalHost = {
    realPath: (path) => realpath(path).catch(() => undefined),
    async folder(path) {
        const found = await stat(path).catch(() => undefined);
        return found?.isDirectory() === true ? { device: found.dev, inode: found.ino, owner: found.uid } : undefined;
    },
    entries: (path) => readdir(path).catch(() => undefined),
    lacks: (path) =>
        stat(path).then(
            () => false,
            (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT",
        ),
    text: (path) => readFile(path, "utf8").catch(() => undefined),
    async networks() {
        const ofInterfaces = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
            addresses.flatMap(({ family, internal, cidr }) =>
                family === "IPv4" && !internal && cidr !== null ? [{ interface: name, subnet: networkOf(cidr) }] : [],
            ),
        );
        return [...ofInterfaces, ...routesOf((await localHost.text("/proc/net/route")) ?? "")];
    },
    addresses: (family) =>
        Object.values(networkInterfaces()).flatMap((addresses = []) =>
            addresses
                // A link-local IPv6 address belongs to an interface, and can't be listened on without the interface's name.
                .filter((other) => other.family === `IPv${family}` && !other.address.startsWith("fe80:"))
                .map(({ address }) => address),
        ),
    refusalToListen: (port, address) =>
        new Promise((resolve) => {
            const server = createServer();
            server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
            server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve(undefined)));
        }),
};

/** Flags of a route (linux/route.h). */
const [ROUTE_UP, ROUTE_REJECT] = [0x1, 0x200];

/** Routes with a shorter prefix lead everywhere, like the default route: VPNs split that in two halves. */
const SHORTEST_ROUTE = 4;

/**
 * Networks that routes lead to, without the default route and without routes that reject.
 *
 * @param table Text of `/proc/net/route`: interface, destination, gateway, flags, …, mask. Addresses are in hexadecimal
 * digits, in the processor's byte order, which is little-endian on all processors that the engine runs on.
 */
export function routesOf(table: string): HostNetwork[] {
    return table
        .split("\n")
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .flatMap(([name = "", destination = "", , flags = "", , , , mask = ""]) => {
            const bytes = (digits: string) => (digits.match(/../g) ?? []).reverse().map((byte) => parseInt(byte, 16));
            const prefix = bytes(mask)
                .map((byte) => byte.toString(2))
                .join("")
                .replace(/0/g, "").length;
            const leads = (parseInt(flags, 16) & (ROUTE_UP | ROUTE_REJECT)) === ROUTE_UP;
            return leads && prefix >= SHORTEST_ROUTE
                ? [{ interface: name, subnet: toCidr(bytes(destination).join("."), prefix) }]
                : [];
        });
}
