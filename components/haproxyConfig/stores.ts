import { TRUSTED_PROXY, type ClientAddressArgs } from "./clientAddress";
import { refuseWith } from "./edgeRules";
import { ownErrors } from "./errors";
import { ANSWERED_BY_SERVER } from "./crossOrigin";
import { FEWER_HEADERS } from "./headerLimits";
import { NOT_OF_THE_STORE } from "./headers";
import { pathAcl } from "./pathRules";
import { namesOf, type HaproxyStore } from "./haproxyStore";
import { hostAcl, section } from "./section";
import type { ClusterEndpoints } from "../args/clusterEndpoints";
import { ASKED_FOR_BODY } from "./unsentBodies";

/**
 * Time by which the response of a failing node is delayed. The three attempts of an SDK then last longer than the three
 * checks, 10 s apart, that take the node out: the last attempt reaches another node. Clients' own timeouts are longer.
 */
const FAILURE_PAUSE = "15s";

/**
 * Time by which a request is delayed while no node is up. Two checks, 10 s apart, return a node to service, so an SDK's three
 * attempts together last until it serves: after a restart of the host, and on a host that the network has lost for a while.
 */
const NO_NODE_PAUSE = "10s";

/** Routing rules 3 to 5: two hostnames. */
export function storeAcls(store: HaproxyStore): string[] {
    const { s3Acl, consoleAcl } = namesOf(store);
    return [hostAcl(s3Acl, store.s3Host), hostAcl(consoleAcl, store.consoleHost)];
}

/** Routing rules 3 and 4. */
export function storeRoutes(store: HaproxyStore): string[] {
    const { s3Backend, s3ReadBackend, consoleBackend, s3Acl, consoleAcl } = namesOf(store);
    return [
        ...(store.cluster.s3ReadHealthPath === undefined
            ? []
            : [
                  `use_backend ${s3ReadBackend} if ${s3Acl} METH_GET { nbsrv(${s3Backend}) eq 0 } { nbsrv(${s3ReadBackend}) gt 0 }`,
              ]),
        `use_backend ${s3Backend} if ${s3Acl}`,
        `use_backend ${consoleBackend} if ${consoleAcl}`,
    ];
}

/** Delays S3 requests that no node can answer. If one is up afterwards, it gets them. */
export function noNodeRules(store: HaproxyStore): string[] {
    const { s3Backend, s3ReadBackend, s3Acl, prefix } = namesOf(store);
    if (store.move?.done === true) {
        return [];
    }
    const here = store.move === undefined ? "" : ` !${prefix}forwarded`;
    const pause = `http-request pause ${NO_NODE_PAUSE} if ${s3Acl}${here} { nbsrv(${s3Backend}) eq 0 }`;
    return store.cluster.s3ReadHealthPath === undefined
        ? [pause]
        : [`${pause} !METH_GET`, `${pause} METH_GET { nbsrv(${s3ReadBackend}) eq 0 }`];
}

/** The servers of one backend. */
export interface BackendServers {
    backend: string;
    port: number;
    servers: ClusterEndpoints["servers"];
}

/** Every backend of a store, in the order of haproxy.cfg. */
export function backendsOf(store: Pick<HaproxyStore, "name" | "cluster">): BackendServers[] {
    const { servers, s3Port, consolePort } = store.cluster;
    return [
        ...s3Backends(store).map(({ backend }) => ({ backend, port: s3Port, servers })),
        { backend: namesOf(store).consoleBackend, port: consolePort, servers },
    ];
}

/**
 * The backends of the S3 API: one with the nodes that are ready, and one with the nodes that can read, if the store reports
 * that.
 */
export function s3Backends({ name, cluster }: Pick<HaproxyStore, "name" | "cluster">) {
    const { s3Backend, s3ReadBackend } = namesOf({ name });
    const { s3HealthPath, s3ReadHealthPath } = cluster;
    const ready = {
        backend: s3Backend,
        purpose: "Routing rules 7, 8 and 10: the S3 API on every node.",
        healthPath: s3HealthPath,
    };
    const purpose = "Reads, while no node is ready: a cluster may have lost too many drives to write.";
    return s3ReadHealthPath === undefined
        ? [ready]
        : [ready, { backend: s3ReadBackend, purpose, healthPath: s3ReadHealthPath }];
}

/**
 * Closes the paths that the store serves only to peers and administrators. S3 clients get an error in S3's own format. A
 * trusted proxy that names no client belongs to no network: behind it could be anybody.
 */
export function closedPathRules(store: HaproxyStore, { trustedProxies }: ClientAddressArgs): string[] {
    const { cluster, adminNetworks, consoleNetworks } = store;
    const { s3Acl, consoleAcl, bucketAcl, prefix } = namesOf(store);
    const { admin, consoleAdmin, internal } = cluster.restrictedPaths;
    const close = (acl: string, paths: string[], conditions: string[]) =>
        paths.length === 0
            ? []
            : [
                  ...pathAcl(`${prefix}${acl}`, paths, store.virtualHostBuckets),
                  `${refuseWith("This path is closed here")} if ` +
                      conditions.map((condition) => `${prefix}${acl} ${condition}`).join(" or "),
              ];
    const outside = (host: string, acl: string) => [
        `${host} !${prefix}${acl}`,
        ...(trustedProxies.length === 0 ? [] : [`${host} ${TRUSTED_PROXY}`]),
    ];
    const network = (acl: string, networks: string[]) =>
        networks.length === 0 ? [] : [`acl ${prefix}${acl} src ${networks.join(" ")}`];
    return [
        ...network("admin_network", adminNetworks),
        ...network("console_network", consoleNetworks),
        ...(consoleNetworks.length === 0
            ? []
            : [`http-request deny deny_status 403 if ${outside(consoleAcl, "console_network").join(" or ")}`]),
        ...close("internal_path", internal, [s3Acl, consoleAcl]),
        ...close(
            "admin_path",
            admin,
            adminNetworks.length === 0
                ? [s3Acl]
                : [...outside(s3Acl, "admin_network"), ...(store.virtualHostBuckets === true ? [bucketAcl] : [])],
        ),
        ...close(
            "closed_console_path",
            admin.filter((path) => !consoleAdmin.includes(path)),
            [consoleAcl],
        ),
    ];
}

/** The backends of a store. */
export function storeBackends(store: HaproxyStore): string[] {
    const { cluster } = store;
    const { consoleBackend } = namesOf(store);
    const { cookie, valueOf } = consoleCookie(cluster);
    return [
        ...s3Backends(store).map(({ backend, purpose, healthPath }) =>
            section(purpose, `backend ${backend}`, s3Servers(cluster, healthPath)),
        ),
        section(
            "Routing rules 7 to 11: the console on every node, each browser kept on one.",
            `backend ${consoleBackend}`,
            [
                "balance leastconn",
                ...ASKED_FOR_BODY,
                ...NOT_OF_THE_STORE,
                `cookie ${cookie} insert indirect nocache httponly secure`,
                // The store doesn't know that its clients use TLS.
                "http-response replace-header Set-Cookie '^((?:(?!;\\s*(?i:secure)).)*)$' '\\1; Secure'",
                ...healthCheck(cluster.consoleHealthPath),
                ...cluster.servers.map(
                    ({ name, address }) => `server ${name} ${address}:${cluster.consolePort} cookie ${valueOf(name)}`,
                ),
            ],
        ),
    ];
}

function s3Servers(cluster: ClusterEndpoints, healthPath: string): string[] {
    return [
        "balance leastconn",
        ...ASKED_FOR_BODY,
        ...NOT_OF_THE_STORE,
        ...healthCheck(healthPath),
        ...downByRefusals(cluster),
        ...onlyNodeAskedOnce(cluster),
        ...slowFailures(cluster),
        ...FEWER_HEADERS,
        ...ANSWERED_BY_SERVER,
        ...ownErrors(),
        ...cluster.servers.map(({ name, address }) => `server ${name} ${address}:${cluster.s3Port}`),
    ];
}

/** A 503 of the only node is its client's: the same node would be asked four times, each time for as long. */
function onlyNodeAskedOnce({ servers }: ClusterEndpoints): string[] {
    return servers.length === 1 ? ["retry-on conn-failure empty-response"] : [];
}

/**
 * Delays the error responses of a failing node to requests that may not be repeated on another node, mainly uploads.
 * Without the delay the failing node would be the least busy one, and would get most requests until three checks have
 * failed. A response that other nodes have refused as well is sent at once.
 */
function slowFailures({ servers }: ClusterEndpoints): string[] {
    return servers.length === 1
        ? []
        : [`http-response pause ${FAILURE_PAUSE} if { status 503 } { txn.conn_retries eq 0 }`];
}

/**
 * Takes a node whose port is closed out at its second refused connection, not at its third failed check. The health checks
 * return it to service, with the contract's numbers. So a killed store gets no requests while it starts. A single node
 * stays in service, since no other node could answer.
 */
function downByRefusals({ servers }: ClusterEndpoints): string[] {
    return servers.length === 1 ? [] : ["default-server observe layer4 error-limit 2 on-error mark-down"];
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
