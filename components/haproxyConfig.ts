import type { ClusterEndpoints } from "./storageCluster";

/** What an HAProxy in front of a cluster is to do. */
export interface HaproxyConfigArgs {
    /** Public hostname of the S3 API. */
    s3Host: string;
    /** Public hostname of the console. */
    consoleHost: string;
    /** Port of the host by which clients reach TLS, as it stands in redirects. */
    httpsPort: number;
    /** The cluster behind. */
    cluster: ClusterEndpoints;
    /** Name of the PEM file beside the configuration. */
    certificateFile: string;
}

/** Ports that HAProxy listens on in its container, high ones, so that it needs no capability. */
export const HTTP_PORT = 8080;
export const HTTPS_PORT = 8443;

/** Folder in the proxy's container for its sockets. */
export const SOCKET_DIRECTORY = "/run/haproxy";

/** Socket of the runtime API of the worker. */
export const STATS_SOCKET = `${SOCKET_DIRECTORY}/stats.sock`;

/** Socket of the master, which is asked for reloads. */
export const MASTER_SOCKET = `${SOCKET_DIRECTORY}/master.sock`;

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

const LOG_FORMAT =
    "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %HM %HPO %HV";

/** The text of haproxy.cfg: the proxy's part of the service contract, section by section. */
export function renderHaproxyConfig(args: HaproxyConfigArgs): string {
    return [
        globalSection(),
        defaultsSection(),
        httpFrontend(args),
        httpsFrontend(args),
        s3Backend(args.cluster),
        consoleBackend(args.cluster),
    ].join("\n");
}

function section(comment: string, head: string, lines: string[]): string {
    return [`# ${comment}`, head, ...lines.map((line) => `    ${line}`), ""].join("\n");
}

function globalSection(): string {
    return section("The process: logs to standard output, files beside this one, TLS 1.2 and 1.3 only.", "global", [
        "log stdout format raw local0 info",
        "default-path config",
        // A worker of a former configuration ends when its last connection does, and at the latest after the longest
        // timeout below.
        "hard-stop-after 1h",
        "mworker-max-reloads 50",
        `stats socket ${STATS_SOCKET} mode 600 level admin`,
        "ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets",
        `ssl-default-bind-ciphers ${TLS12_CIPHERS.join(":")}`,
        `ssl-default-bind-ciphersuites ${TLS13_CIPHERSUITES.join(":")}`,
        "ssl-default-bind-curves X25519:prime256v1:secp384r1",
        // Uploads over h2: the default window of 64 KiB allows one window for each round trip.
        "tune.h2.fe.initial-window-size 1m",
    ]);
}

function defaultsSection(): string {
    return section("Service contract, section 8: timeouts and health check timing.", "defaults", [
        "mode http",
        "log global",
        // HAProxy's own HTTP log, with the path in place of the whole request line: the query of a presigned URL is a
        // credential.
        `log-format "${LOG_FORMAT}"`,
        "option dontlognull",
        "option idle-close-on-response",
        "timeout connect 10s",
        "timeout client 1h",
        "timeout server 1h",
        "timeout http-request 30s",
        // Idle clients hold a worker that is to stop for no longer than this.
        "timeout http-keep-alive 10s",
        "timeout tunnel 1h",
        "timeout check 5s",
        "option redispatch",
        "retries 3",
        // fastinter and downinter stay at inter: one check each 10 s in every state.
        "default-server check inter 10s fall 3 rise 2",
    ]);
}

function httpFrontend({ s3Host, httpsPort }: HaproxyConfigArgs): string {
    const port = httpsPort === 443 ? "" : `:${httpsPort}`;
    return section("Routing rule 1: port 80 redirects every request to HTTPS.", "frontend http", [
        `bind :${HTTP_PORT}`,
        "http-request set-var(txn.host) req.hdr(host),host_only",
        // A client of HTTP/1.0 need not name a host.
        `http-request set-var(txn.host) str(${s3Host.toLowerCase()}) unless { var(txn.host) -m len gt 0 }`,
        `http-request redirect code 301 location https://%[var(txn.host)]${port}%[pathq]`,
    ]);
}

function httpsFrontend({ s3Host, consoleHost, certificateFile }: HaproxyConfigArgs): string {
    return section(
        "Routing rules 2 to 6: TLS ends here; Host decides, and it and the path stay as they came.",
        "frontend https",
        [
            `bind :${HTTPS_PORT} ssl crt ${certificateFile} alpn h2,http/1.1`,
            `acl s3_host req.hdr(host),host_only,lower -m str ${s3Host.toLowerCase()}`,
            `acl console_host req.hdr(host),host_only,lower -m str ${consoleHost.toLowerCase()}`,
            'http-request return status 404 content-type text/plain string "Not found" unless s3_host or console_host',
            "option forwardfor",
            "http-request set-header X-Forwarded-Proto https",
            "use_backend s3 if s3_host",
            "use_backend console if console_host",
        ],
    );
}

function s3Backend(cluster: ClusterEndpoints): string {
    return section("Routing rules 7, 8 and 10: the S3 API on every node.", "backend s3", [
        "balance leastconn",
        ...healthCheck(cluster.s3HealthPath),
        ...cluster.servers.map(({ name, address }) => `server ${name} ${address}:${cluster.s3Port}`),
    ]);
}

function consoleBackend(cluster: ClusterEndpoints): string {
    const { cookie, valueOf } = consoleCookie(cluster);
    return section("Routing rules 7 to 11: the console on every node, each browser kept on one.", "backend console", [
        "balance leastconn",
        `cookie ${cookie} insert indirect nocache httponly secure`,
        ...healthCheck(cluster.consoleHealthPath),
        ...cluster.servers.map(
            ({ name, address }) => `server ${name} ${address}:${cluster.consolePort} cookie ${valueOf(name)}`,
        ),
    ]);
}

/** Name and values of the console's cookie (service contract, section 4, rule 9). */
function consoleCookie({ profileName, servers }: ClusterEndpoints): {
    cookie: string;
    valueOf: (server: string) => string;
} {
    return servers.length === 1
        ? { cookie: `${profileName}_console`.toUpperCase(), valueOf: () => profileName }
        : { cookie: `${profileName}_console`, valueOf: (server) => server };
}

function healthCheck(path: string): string[] {
    return [
        "option httpchk",
        `http-check send meth GET uri ${path} ver HTTP/1.1 hdr Host localhost`,
        "http-check expect status 200",
    ];
}
