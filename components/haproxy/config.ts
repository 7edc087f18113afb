import { accessLogDefaults, accessLogGlobal, accessLogRules, type AccessLog } from "./accessLog";
import { CERTIFICATE_FILE, CHALLENGE_PATH, CHALLENGE_PORT, SELF_CHECK_PATH, VALUES_FILE } from "../certificate/acmeScripts";
import { addressTable, limitConnections, limitRequests, requestTable, type AddressLimits } from "./limits";
import { readPath } from "./pathRules";
import { oneHostRule, REQUESTED_HOST, section } from "./section";
import {
    aclOf,
    nameResolution,
    serviceAcl,
    serviceBackend,
    serviceRoute,
    type HaproxyService,
} from "./services";
import {
    closedPathRules,
    namesOf,
    storeAcls,
    storeBackends,
    storeRoutes,
    unverifiedUploadRules,
    type HaproxyStore,
} from "./stores";

/** A certificate that lies beside the configuration. */
export interface FixedCertificate {
    /** Name of the PEM file. */
    file: string;
    /** End of its validity, RFC 3339. */
    notAfter: string;
}

/** A certificate that changes while the configuration stays. */
export interface ChangingCertificate {
    /** Address of the ACME client, which answers challenges. */
    acmeAddress: string;
    /** What tells whoever asks for {@link SELF_CHECK_PATH} that it is this proxy. */
    selfCheck: string;
}

/** What an HAProxy in front of stores is to do. */
export interface HaproxyConfigArgs extends AddressLimits {
    /** The stores behind, at least one. */
    stores: HaproxyStore[];
    /** Other services behind. */
    services: HaproxyService[];
    /** Port of the host by which clients reach TLS, as it stands in redirects. */
    httpsPort: number;
    /** The certificate: a file beside the configuration, or one that an ACME client looks after. */
    certificate: FixedCertificate | ChangingCertificate;
    /** Seconds for which browsers are told to use nothing but HTTPS; none to tell them nothing. */
    hstsMaxAge?: number;
    /** Seconds that a worker of a former configuration has from the reload on to end its requests. */
    hardStopAfter: number;
    /** What the access log is made of. */
    accessLog: AccessLog;
}

/** Ports that HAProxy listens on in its container, high ones, so that it needs no capability. */
export const HTTP_PORT = 8080;
export const HTTPS_PORT = 8443;

/** Port of statistics and Prometheus metrics, answered on the node network alone. */
export const METRICS_PORT = 8404;

/** Folder in the proxy's container for its sockets. */
export const SOCKET_DIRECTORY = "/run/haproxy";

/** Socket of the runtime API of the worker. */
export const STATS_SOCKET = `${SOCKET_DIRECTORY}/stats.sock`;

/** Socket of the master, which is asked for reloads. */
export const MASTER_SOCKET = `${SOCKET_DIRECTORY}/master.sock`;

/** What the servers' states were when this worker was started (HAProxy manual, `server-state-file`). */
export const SERVER_STATE_FILE = `${SOCKET_DIRECTORY}/servers.state`;

/** Lock file of whoever changes servers' states or reloads: both write what the next worker starts with. */
export const RELOAD_LOCK = `${SOCKET_DIRECTORY}/reload.lock`;

const ACME_BACKEND = "acme";

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

/** The text of haproxy.cfg: the proxy's part of the service contract, section by section. */
export function renderHaproxyConfig(args: HaproxyConfigArgs): string {
    return [
        globalSection(args),
        defaultsSection(args),
        addressTable(),
        requestTable(),
        httpFrontend(args),
        httpsFrontend(args),
        ...args.stores.flatMap(storeBackends),
        ...args.services.map(serviceBackend),
        ...(args.services.length === 0 ? [] : [nameResolution()]),
        ...("acmeAddress" in args.certificate ? [challengeBackend(args.certificate)] : []),
        metricsFrontend(args),
    ].join("\n");
}

function globalSection({ accessLog, hardStopAfter }: HaproxyConfigArgs): string {
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

function defaultsSection({ accessLog }: HaproxyConfigArgs): string {
    return section("Service contract, section 8: timeouts and health check timing.", "defaults", [
        "mode http",
        "log global",
        ...accessLogDefaults(accessLog),
        "option dontlognull",
        "option idle-close-on-response",
        // Trailers could become headers behind the rules that judge these (RFC 9110, section 6.5.1).
        "option http-drop-request-trailers",
        "timeout connect 10s",
        "timeout client 1h",
        "timeout client-hs 10s",
        // An HTTP/2 client that is told to go, and doesn't.
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

function httpFrontend(args: HaproxyConfigArgs): string {
    const port = args.httpsPort === 443 ? "" : `:${args.httpsPort}`;
    return section(
        "Routing rules 1 and 12: port 80 redirects every request but ACME challenges to HTTPS.",
        "frontend http",
        [
            `bind :${HTTP_PORT}`,
            ...limitConnections(args),
            // The container's own health check asks every other second.
            "http-request set-log-level silent if { src 127.0.0.1 }",
            ...accessLogRules(args.accessLog),
            ...selfCheckRule(args.certificate),
            oneHostRule(),
            `http-request set-var(txn.host) ${REQUESTED_HOST}`,
            // A client of HTTP/1.0 need not name a host.
            `http-request set-var(txn.host) str(${args.stores[0]?.s3Host.toLowerCase()}) unless { var(txn.host) -m len gt 0 }`,
            `http-request redirect code 301 location https://%[var(txn.host)]${port}%[pathq]${isChallenge(args.certificate, " unless")}`,
            ...challengeRule(args.certificate),
        ],
    );
}

/** The proxy itself answers whoever wants to know whether a hostname leads here. */
function selfCheckRule(certificate: FixedCertificate | ChangingCertificate): string[] {
    return "acmeAddress" in certificate
        ? [
              `http-request return status 200 content-type text/plain string "${certificate.selfCheck}" if { path ${SELF_CHECK_PATH} }`,
          ]
        : [];
}

/** HTTP-01 challenges (RFC 8555, section 8.3) come by port 80. */
function challengeRule(certificate: FixedCertificate | ChangingCertificate): string[] {
    return "acmeAddress" in certificate ? [`use_backend ${ACME_BACKEND}${isChallenge(certificate, " if")}`] : [];
}

/** A condition that holds for challenges; nothing where there are none. */
function isChallenge(certificate: FixedCertificate | ChangingCertificate, keyword: string): string {
    return "acmeAddress" in certificate ? `${keyword} { path_beg ${CHALLENGE_PATH} }` : "";
}

function challengeBackend({ acmeAddress }: ChangingCertificate): string {
    return section(
        "Routing rule 12: the ACME client answers while it has a challenge, and nobody else.",
        `backend ${ACME_BACKEND}`,
        [
            "retries 0",
            "timeout connect 5s",
            "timeout server 10s",
            // Nothing listens there but while a challenge is under way.
            `server acme ${acmeAddress}:${CHALLENGE_PORT} no-check init-state fully-up`,
        ],
    );
}

function httpsFrontend(args: HaproxyConfigArgs): string {
    return section(
        "Routing rules 2 to 6: TLS ends here; Host decides, and it and the path stay as they came. Closed paths get 403.",
        "frontend https",
        [
            `bind :${HTTPS_PORT} ssl crt ${"file" in args.certificate ? args.certificate.file : CERTIFICATE_FILE} alpn h2,http/1.1`,
            ...limitConnections(args),
            ...accessLogRules(args.accessLog),
            ...limitRequests(args),
            ...args.stores.flatMap(storeAcls),
            ...args.services.map(serviceAcl),
            oneHostRule(),
            `http-request return status 404 content-type text/plain string "Not found" unless ${hostAcls(args).join(" or ")}`,
            'http-request return status 405 content-type text/plain string "Method not allowed" if METH_CONNECT or METH_TRACE',
            ...readPath(),
            ...args.stores.flatMap(closedPathRules),
            ...args.stores.flatMap(unverifiedUploadRules),
            ...headerRules([...args.stores.map((store) => namesOf(store).consoleAcl), ...args.services.map(aclOf)]),
            args.hstsMaxAge === undefined
                ? undefined
                : `http-after-response set-header Strict-Transport-Security "max-age=${args.hstsMaxAge}"`,
            ...args.stores.flatMap(storeRoutes),
            ...args.services.map(serviceRoute),
        ],
    );
}

/** An ACL for each hostname that there is. */
function hostAcls({ stores, services }: HaproxyConfigArgs): string[] {
    return [...stores.map(namesOf).flatMap(({ s3Acl, consoleAcl }) => [s3Acl, consoleAcl]), ...services.map(aclOf)];
}

/** What `Connection` may say: all of it ends at the proxy. */
const KNOWN_CONNECTION_OPTIONS = "close|keep-alive|te|upgrade|http2-settings";

/** What a client says of its own address counts for nothing, nor does what it says to the next hop alone. */
function headerRules(withWebSockets: string[]): string[] {
    const upgrade = withWebSockets.map((acl) => `${acl} websocket`).join(" or ");
    return [
        // HTTP/1.0 has no chunks: whoever frames a message so is not to be trusted (RFC 9112, section 6.1).
        "http-request deny deny_status 400 if HTTP_1.0 { req.hdr(transfer-encoding) -m found }",
        // What Connection names would have to be dropped with it (RFC 9110, section 7.6.1).
        `http-request deny deny_status 400 if { req.hdr(connection) -m reg -i '^(?!(?:${KNOWN_CONNECTION_OPTIONS})?$)' }`,
        "http-request del-header http2-settings",
        "http-request del-header x-forwarded- -m beg",
        "http-request del-header forwarded",
        "http-request del-header keep-alive",
        "http-request del-header proxy- -m beg",
        "http-request del-header te",
        "http-request set-header X-Forwarded-For %[src]",
        "http-request set-header X-Forwarded-Proto https",
        "http-request set-header X-Real-IP %[src]",
        "acl websocket req.hdr(upgrade) -m str -i websocket",
        "http-request del-header connection",
        `http-request del-header upgrade unless ${upgrade}`,
        `http-request set-header Connection Upgrade if ${upgrade}`,
        // A request that changes something is not sent twice, unless it says the whole result.
        "http-request disable-l7-retry unless METH_GET or METH_HEAD or METH_PUT or METH_DELETE",
        "http-request disable-l7-retry if { req.hdr(if-match) -m found } or { req.hdr(if-none-match) -m found }",
    ];
}

function metricsFrontend({ stores, certificate }: HaproxyConfigArgs): string {
    const nodeNetworks = stores.map(({ cluster: { subnet } }) => `{ src ${subnet} } { dst ${subnet} }`);
    return section(
        "Routing rule 14: statistics and metrics are read-only, and open to the node network alone.",
        "frontend metrics",
        [
            `bind :${METRICS_PORT}`,
            `tcp-request connection reject unless ${nodeNetworks.join(" or ")}`,
            "http-request set-log-level silent",
            "http-request use-service prometheus-exporter if { path /metrics }",
            `http-request return status 200 content-type "text/plain; version=0.0.4" lf-string "${certificateMetrics(certificate)}" if { path /metrics/certificate }`,
            "stats enable",
            "stats uri /stats",
            "stats refresh 10s",
        ],
    );
}

/** What Prometheus is told of the certificate, in its text format, version 0.0.4; HAProxy's own metrics have nothing of it. */
function certificateMetrics(certificate: FixedCertificate | ChangingCertificate): string {
    const value = (name: string) => `%[str(${name}),map(${VALUES_FILE})]`;
    const [notAfter, failures] =
        "file" in certificate
            ? [String(Math.floor(Date.parse(certificate.notAfter) / 1000)), "0"]
            : [value("not_after"), value("renewal_failures")];
    const metrics: [string, string, string][] = [
        [
            "not_after_seconds",
            "End of the validity of the certificate that is served, in seconds since 1970.",
            notAfter,
        ],
        ["renewal_failures", "Attempts to renew it that have failed since one succeeded.", failures],
    ];
    return metrics
        .map(([name, help, sample]) => {
            const metric = `object_store_certificate_${name}`;
            return `# HELP ${metric} ${help}\\n# TYPE ${metric} gauge\\n${metric} ${sample}\\n`;
        })
        .join("");
}
