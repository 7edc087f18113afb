import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";

/** Those of these names that don't resolve to this host. */
export async function namesOfOthers(hostnames: string[]): Promise<string[]> {
    const own = Object.values(networkInterfaces()).flatMap((addresses) =>
        (addresses ?? []).map(({ address }) => address),
    );
    const found = await Promise.all(
        hostnames.map(async (hostname) => {
            const addresses = await lookup(hostname, { all: true }).catch(() => []);
            return addresses.some(({ address }) => own.includes(address)) ? [] : [hostname];
        }),
    );
    return found.flat();
}
