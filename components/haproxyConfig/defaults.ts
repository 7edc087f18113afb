import type { HaproxyConfigArgs } from "./args";
import type { ClientAddressArgs } from "./clientAddress";
import { SERVER_STATE_FILE, STATS_SOCKET } from "../proxyControl/proxyFiles";
import { accessLogDefaults, accessLogGlobal } from "./accessLog";
import { MAX_HEADERS } from "./headerLimits";
import { section } from "./section";

/** TLS 1.2 cipher suites: Mozilla's "intermediate" list, version 5.7, for ECDSA and RSA certificates. */
const TLS12_CIPHERS = [
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
];

const TLS13_CIPHERSUITES = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

export function globalSection({ accessLog, hardStopAfter }: HaproxyConfigArgs, more: string[]): string {
    return section(
        "Routing rule 2: TLS 1.2 and 1.3 alone. Logs go to standard output; files lie beside this one.",
        "global",
        [
            ...accessLogGlobal(accessLog),
            "default-path config",
            // A worker of a former configuration ends with its last connection. The timeouts below end idle connections.
            // This limit counts from the reload and ends active ones too.
            `hard-stop-after ${hardStopAfter}s`,
            "mworker-max-reloads 50",
            `stats socket ${STATS_SOCKET} mode 600 level admin`,
            `server-state-file ${SERVER_STATE_FILE}`,
            "ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets prefer-client-ciphers",
            `ssl-default-bind-ciphers ${TLS12_CIPHERS.join(":")}`,
            `ssl-default-bind-ciphersuites ${TLS13_CIPHERSUITES.join(":")}`,
            "ssl-default-bind-curves X25519:prime256v1:secp384r1",
            // Buffer size for bodies: with it, HTTP/2 uploads take a third less CPU than with the default of 16 KiB.
            "tune.bufsize 32768",
            `tune.http.maxhdr ${MAX_HEADERS}`,
            // A client that repeatedly violates HTTP/2 loses its connection; occasional violations are tolerated.
            "tune.h2.fe.glitches-threshold 1000",
            ...more,
        ],
    );
}

/** Longest time for a connection to a server, in seconds (service contract, section 8). */
export const CONNECT_SECONDS = 10;

/**
 * Time after which the proxy closes a client's connection on which nothing was sent, in seconds. A load balancer that keeps
 * connections for longer would send a request at the moment at which they are closed; most keep them for 60 s or 90 s.
 */
export function idleSeconds({ trustedProxies, proxyProtocol }: ClientAddressArgs): number {
    return trustedProxies.length > 0 && proxyProtocol === undefined ? 120 : 10;
}

export function defaultsSection(args: HaproxyConfigArgs): string {
    return section("Service contract, section 8: timeouts and health check timing.", "defaults", [
        "mode http",
        "log global",
        ...accessLogDefaults(args.accessLog),
        "option dontlognull",
        "option idle-close-on-response",
        // HAProxy could turn trailers into headers after the rules that check these (RFC 9110, section 6.5.1).
        "option http-drop-request-trailers",
        `timeout connect ${CONNECT_SECONDS}s`,
        "timeout client 1h",
        "timeout client-hs 10s",
        // For an HTTP/2 client that gets GOAWAY and doesn't close its connection.
        "timeout client-fin 30s",
        "timeout server 1h",
        "timeout http-request 30s",
        // Idle clients delay the end of a stopping worker by at most this time.
        `timeout http-keep-alive ${idleSeconds(args)}s`,
        "timeout tunnel 1h",
        "timeout check 5s",
        "option redispatch 1",
        "retries 3",
        "retry-on conn-failure empty-response 503",
        // fastinter and downinter keep the value of inter: one check every 10 s in every state. A server that leaves
        // maintenance, or is new, gets traffic after two successful checks. A reload keeps every state.
        "default-server check inter 10s fall 3 rise 2 init-state fully-down",
        "load-server-state-from-file global",
    ]);
}
