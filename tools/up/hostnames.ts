import { lookup } from "node:dns/promises";
import type { StoreHost } from "../../components/args/hostArgs";
import { namesOfOthers } from "../machine/hostnames";
import { say } from "../cli/step";

/** The store's hostnames, and where its proxies are. */
export interface Hostnames {
    names: string[];
    /** Whether all of them resolve to a proxy. */
    resolve: boolean;
    /** An address of a proxy: of the first host, or of this one. Default: 127.0.0.1. */
    address?: string;
}

/**
 * Checks whether the store's hostnames resolve to its proxies, and says what to do if they don't.
 *
 * @param hosts The hosts with a proxy. Undefined if the proxy is on this host.
 */
export async function checkHostnames(names: string[], hosts?: readonly StoreHost[]): Promise<Hostnames> {
    const addresses = hosts?.map(({ address }) => address) ?? [];
    const [where, address = "127.0.0.1"] = hosts === undefined ? ["this host"] : ["a host of the store", addresses[0]];
    const others = await (hosts === undefined ? namesOfOthers(names) : namesElsewhere(names, addresses));
    if (others.length === 0) {
        say(`${names.join(" and ")} resolve to ${where}`);
        return { names, resolve: true, address };
    }
    say(
        `${others.join(" and ")} ${others.length === 1 ? "doesn't" : "don't"} resolve to ${where}. For clients on ` +
            `${hosts === undefined ? "it" : "this one"}, add this line to /etc/hosts:\n    ${address} ${others.join(" ")}`,
    );
    return { names, resolve: false, address };
}

/** Those of these names that resolve to none of the addresses. */
async function namesElsewhere(hostnames: string[], addresses: string[]): Promise<string[]> {
    const found = await Promise.all(
        hostnames.map(async (hostname) => {
            const known = await lookup(hostname, { all: true }).catch(() => []);
            return known.some(({ address }) => addresses.includes(address)) ? [] : [hostname];
        }),
    );
    return found.flat();
}
