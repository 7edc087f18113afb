import type { HaproxyConfigArgs } from "./args";
import { SERVER_STATE_FILE, STATS_SOCKET } from "../traffic/proxyFiles";
import { accessLogDefaults, accessLogGlobal } from "./accessLog";
import { section } from "./section";

/** TLS 1.2 cipher suites: Mozilla's "intermediate" list, version 5.7, for certificates of either kind. */
const TLS12_CIPHERS = [
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
];

const TLS13_CIPHERSUITES = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

export function globalSection({ accessLog, hardStopAfter }: HaproxyConfigArgs): string {
    return section(
        "Routing rule 2: TLS 1.2 and 1.3 alone. Logs go to standard output; files lie beside this one.",
        "global",
        [
            ...accessLogGlobal(accessLog),
            "default-path config",
            // A worker of a former configuration ends when its last connection does. The timeouts below end those that don't
            // move; this counts from the reload, and ends those that do.
            `hard-stop-after ${hardStopAfter}s`,
            "mworker-max-reloads 50",
            `stats socket ${STATS_SOCKET} mode 600 level admin`,
            `server-state-file ${SERVER_STATE_FILE}`,
            "ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets prefer-client-ciphers",
            `ssl-default-bind-ciphers ${TLS12_CIPHERS.join(":")}`,
            `ssl-default-bind-ciphersuites ${TLS13_CIPHERSUITES.join(":")}`,
            "ssl-default-bind-curves X25519:prime256v1:secp384r1",
            // Bodies are moved in these: uploads by HTTP/2 take a third less CPU than with the default of 16 KiB.
            "tune.bufsize 32768",
            // A client that keeps breaking HTTP/2 loses its connection; an odd one does not.
            "tune.h2.fe.glitches-threshold 1000",
        ],
    );
}

export function defaultsSection({ accessLog }: HaproxyConfigArgs): string {
    return section("Service contract, section 8: timeouts and health check timing.", "defaults", [
        "mode http",
        "log global",
        ...accessLogDefaults(accessLog),
        "option dontlognull",
        "option idle-close-on-response",
        // Trailers could become headers behind the rules that check these (RFC 9110, section 6.5.1).
        "option http-drop-request-trailers",
        "timeout connect 10s",
        "timeout client 1h",
        "timeout client-hs 10s",
        // An HTTP/2 client that gets GOAWAY and stays.
        "timeout client-fin 30s",
        "timeout server 1h",
        "timeout http-request 30s",
        // Idle clients hold a worker that is to stop for no longer than this.
        "timeout http-keep-alive 10s",
        "timeout tunnel 1h",
        "timeout check 5s",
        "option redispatch 1",
        "retries 3",
        "retry-on conn-failure empty-response 503",
        // fastinter and downinter stay at inter: one check each 10 s in every state. A server that leaves maintenance,
        // or is new, takes traffic after its two checks; a reload keeps every state.
        "default-server check inter 10s fall 3 rise 2 init-state fully-down",
        "load-server-state-from-file global",
    ]);
}
