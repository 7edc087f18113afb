import type { AddressHost } from "./keepalivedConfig";
import type { FloatingAddressArgs } from "../../args/floatingAddressArgs";

/** Folder in the container for keepalived's files. */
export const KEEPALIVED_FOLDER = "/run/keepalived";

/** File whose existence asks a host to hand the address over. */
export const HAND_OVER_FILE = `${KEEPALIVED_FOLDER}/hand-over`;

/** Seconds after which a request to hand over expires. */
const HAND_OVER_SECONDS = 15;

const TABLE_PREFIX = "floating_address_";

/** Name of the nftables table that passes on packets to the host that had an address before. */
export function tableOf({ address }: Pick<FloatingAddressArgs, "address">): string {
    return `${TABLE_PREFIX}${address.replaceAll(".", "_")}`;
}

/** The floating address of a container with these variables, each as `NAME=VALUE`; undefined if it isn't keepalived's. */
export function addressOfKeepalived(environment: readonly string[]): string | undefined {
    const start = `TABLE=${TABLE_PREFIX}`;
    const table = environment.find((variable) => variable.startsWith(start));
    return table?.slice(start.length).replaceAll("_", ".");
}

/** Command in keepalived's container that fails while its host must not have the address. */
export function checkCommand(host: AddressHost, httpPort: number): string[] {
    return [
        "/usr/bin/perl",
        `${KEEPALIVED_FOLDER}/check.pl`,
        host.address,
        String(httpPort),
        HAND_OVER_FILE,
        String(HAND_OVER_SECONDS),
    ];
}
