import { section } from "./section";

/** What one address may take of the proxy. */
export interface AddressLimits {
    /** Connections that it may have at once, and requests that may run. */
    maxConnectionsPerAddress: number;
}

/** Table of the connections of each address. */
export function addressTable(): string {
    return section(
        "Service contract, section 8, leaves rates open: connections of each address are counted, over both ports.",
        "backend addresses",
        ["stick-table type ipv6 size 100k expire 10m store conn_cur"],
    );
}

/** Requests that run, which HTTP/2 has a hundred of on one connection: each may take buffers, and a connection to a node. */
export function requestTable(): string {
    return section("Requests of each address are counted besides.", "backend requests", [
        "stick-table type ipv6 size 100k expire 10m store conn_cur",
    ]);
}

/** Rules of a frontend that close what is beyond the limit. */
export function limitConnections({ maxConnectionsPerAddress }: AddressLimits): string[] {
    return [
        "tcp-request connection track-sc0 src table addresses",
        `tcp-request connection reject if { sc0_conn_cur gt ${maxConnectionsPerAddress} }`,
    ];
}

/** As many requests at once as connections, which over HTTP/1.1 is the same. An SDK slows down, and sends what is refused again. */
export function limitRequests({ maxConnectionsPerAddress }: AddressLimits): string[] {
    return [
        "http-request track-sc1 src table requests",
        `http-request return status 503 content-type application/xml string '${SLOW_DOWN}' if { sc1_conn_cur gt ${maxConnectionsPerAddress} }`,
    ];
}

const SLOW_DOWN =
    '<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Too many requests at once from this address</Message></Error>';
