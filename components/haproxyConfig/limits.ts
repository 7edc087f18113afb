import { connectionRuleSet, TRUSTED_PROXY, type ClientAddressArgs } from "./clientAddress";
import { s3Error } from "./errors";
import { section } from "./section";

/** Limits of one client address. */
export interface AddressLimits {
    /** Number of connections that the proxy accepts, of all clients and on all of its ports. */
    maxConnections: number;
    /** Maximum number of its concurrent connections, and of its running requests. */
    maxConnectionsPerAddress: number;
}

/** What decides how clients are counted. */
type LimitArgs = AddressLimits & ClientAddressArgs & { ipv6: boolean };

/**
 * What counts as one client: an address; of IPv6 addresses the first 64 bits, since a client can use all addresses with the
 * same ones.
 */
function clientOf({ ipv6, trustedProxies }: LimitArgs): string {
    return ipv6 || trustedProxies.length > 0 ? "src,ipmask(32,64)" : "src";
}

/**
 * Connections that each public port may have. What is left is for the ports that no client reaches: metrics, and those by
 * which proxies reach each other. A flood on one port doesn't affect the checks that use the other one.
 */
export function connectionShares({ maxConnections }: AddressLimits): { http: number; https: number } {
    return { http: Math.floor(maxConnections / 8), https: Math.floor((maxConnections * 3) / 4) };
}

/** Tables that count the connections of each address, on each port. */
export function addressTables(): string[] {
    return Object.values(TABLES).map((table) =>
        section(
            "Service contract, section 8, leaves rates open: connections of each address are counted.",
            `backend ${table}`,
            ["stick-table type ipv6 size 100k expire 10m store conn_cur"],
        ),
    );
}

const TABLES = { http: "redirected_addresses", https: "addresses" };

/**
 * Table that counts the running requests of each address. HTTP/2 can have a hundred of them on one connection; each may
 * take buffers and a connection to a node.
 */
export function requestTable(): string {
    return section("Requests of each address are counted besides.", "backend requests", [
        "stick-table type ipv6 size 100k expire 10m store conn_cur",
    ]);
}

/**
 * Rules of a frontend that close connections beyond the limit. Those of trusted proxies, which are shared by many clients,
 * have no limit. On the port that only redirects, the proxy is checked too, so one address may have a quarter of it.
 */
export function limitConnections(args: LimitArgs, port: "http" | "https"): string[] {
    const { maxConnectionsPerAddress } = args;
    const limit =
        port === "https"
            ? maxConnectionsPerAddress
            : Math.min(maxConnectionsPerAddress, Math.ceil(connectionShares(args).http / 4));
    const rule = connectionRuleSet(args);
    const direct = args.trustedProxies.length === 0 ? "" : ` unless ${TRUSTED_PROXY}`;
    return [
        `${rule} track-sc0 ${clientOf(args)} table ${TABLES[port]}${direct}`,
        `${rule} reject if { sc0_conn_cur gt ${limit} }`,
    ];
}

/**
 * Limits concurrent requests to the same number as connections; over HTTP/1.1 both are the same. An SDK slows down and
 * repeats refused requests.
 */
export function limitRequests(args: LimitArgs): string[] {
    return [
        `http-request track-sc1 ${clientOf(args)} table requests`,
        `http-request return status 503 content-type application/xml string '${SLOW_DOWN}' if { sc1_conn_cur gt ${args.maxConnectionsPerAddress} }`,
    ];
}

const SLOW_DOWN = s3Error("SlowDown", "Too many requests at once from this address");
