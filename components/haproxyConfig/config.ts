import { metricsFrontend } from "./metrics";
import { headerLimitRules } from "./headerLimits";
import { headerRules, keepAliveRule } from "./headers";
import { challengeRule, isChallenge, renewalSections, selfCheckRule } from "./challenges";
import { defaultsSection, globalSection } from "./defaults";
import { hangingRequestsSection } from "./hangingRequests";
import { HTTPS_PORT, HTTP_PORT, IPV6_PORTS, type HaproxyConfigArgs } from "./args";
import { accessLogRules } from "./accessLog";
import { connectionSource, requestSource } from "./clientAddress";
import { crossOriginRules } from "./crossOrigin";
import { edgeRules } from "./edgeRules";
import { refusedRequest } from "./errors";
import { CERTIFICATE_FILE } from "../certificate/acmeScripts";
import { addressTables, connectionShares, limitConnections, limitRequests, requestTable } from "./limits";
import { bucketHostAcls, readBucketPaths, spellingRules } from "./bucketHosts";
import { moveGlobal, moveRoutes, moveRules, moveSections } from "./moves";
import { readPath } from "./pathRules";
import { oneHostRule, REQUESTED_HOST, section } from "./section";
import { startedNodesSections } from "./startedNodes";
import { retryRules } from "./retries";
import { UNSENT_BODY_RULES } from "./unsentBodies";
import { aclOf, nameResolution, serviceAcl, serviceBackend, serviceRoute } from "./services";
import { namesOf } from "./haproxyStore";
import { closedPathRules, noNodeRules, storeAcls, storeBackends, storeRoutes } from "./stores";

/** Address of the container's own health check. */
const LOOPBACK = "127.0.0.1";

/** The text of haproxy.cfg: it implements the proxy's part of the service contract, section by section. */
export function renderHaproxyConfig(args: HaproxyConfigArgs): string {
    return [
        globalSection(args, moveGlobal(args.stores)),
        hangingRequestsSection(args.stores),
        ...startedNodesSections(args.stores),
        defaultsSection(args),
        ...addressTables(),
        requestTable(),
        httpFrontend(args),
        httpsFrontend(args),
        ...args.stores.flatMap(storeBackends),
        ...args.stores.flatMap(moveSections),
        ...args.services.map(serviceBackend),
        ...(args.services.length === 0 ? [] : [nameResolution()]),
        ...("file" in args.certificate ? [] : renewalSections(args, args.certificate)),
        metricsFrontend(args),
    ].join("\n");
}

function httpFrontend(args: HaproxyConfigArgs): string {
    const port = args.httpsPort === 443 ? "" : `:${args.httpsPort}`;
    return section(
        "Routing rules 1 and 12: port 80 redirects every request but ACME challenges to HTTPS.",
        "frontend http",
        [
            `maxconn ${connectionShares(args).http}`,
            ...binds(args, HTTP_PORT),
            ...connectionSource(args, LOOPBACK),
            ...limitConnections(args, "http"),
            ...UNSENT_BODY_RULES,
            // The container's own health check sends a request every two seconds.
            `http-request set-log-level silent if { src ${LOOPBACK} }`,
            args.checkedFrom === undefined
                ? undefined
                : `http-request set-log-level silent if { src ${args.checkedFrom} } { req.hdr(host) -m str localhost }`,
            ...requestSource(args),
            ...accessLogRules(args),
            ...selfCheckRule(args.certificate),
            oneHostRule(),
            `http-request set-var(txn.host) ${REQUESTED_HOST}`,
            // An HTTP/1.0 client may omit the Host header.
            `http-request set-var(txn.host) str(${args.stores[0]?.s3Host.toLowerCase()}) unless { var(txn.host) -m len gt 0 }`,
            `http-request redirect code 301 location https://%[var(txn.host)]${port}%[pathq]${isChallenge(args.certificate, " unless")}`,
            ...challengeRule(args.certificate),
        ],
    );
}

function binds({ ipv6 }: HaproxyConfigArgs, port: keyof typeof IPV6_PORTS, options = ""): string[] {
    return [`bind :${port}${options}`, ...(ipv6 ? [`bind [::]:${IPV6_PORTS[port]} v6only${options}`] : [])];
}

function httpsFrontend(args: HaproxyConfigArgs): string {
    return section(
        "Routing rules 2 to 6: TLS ends here; Host decides, and it and the path stay as they came. Closed paths get 403.",
        "frontend https",
        [
            `maxconn ${connectionShares(args).https}`,
            refusedRequest(),
            ...binds(
                args,
                HTTPS_PORT,
                ` ssl crt ${"file" in args.certificate ? args.certificate.file : CERTIFICATE_FILE} alpn h2,http/1.1`,
            ),
            ...connectionSource(args),
            ...limitConnections(args, "https"),
            ...UNSENT_BODY_RULES,
            ...args.stores.flatMap((store) => [...storeAcls(store), ...bucketHostAcls(store)]),
            ...args.services.map(serviceAcl),
            ...crossOriginRules(args.stores),
            ...requestSource(args),
            ...accessLogRules(args),
            ...limitRequests(args),
            oneHostRule(),
            `http-request return status 404 content-type text/plain string "Not found" unless ${hostAcls(args).join(" or ")}`,
            'http-request return status 405 content-type text/plain string "Method not allowed" if METH_CONNECT or METH_TRACE',
            ...headerLimitRules(args.stores),
            ...args.stores.flatMap(spellingRules),
            ...readPath(),
            ...readBucketPaths(args.stores),
            ...args.stores.flatMap((store) => closedPathRules(store, args)),
            ...args.stores.flatMap(edgeRules),
            ...headerRules([...args.stores.map((store) => namesOf(store).consoleAcl), ...args.services.map(aclOf)]),
            ...retryRules(args.stores),
            keepAliveRule(args),
            args.hstsMaxAge === undefined
                ? undefined
                : `http-after-response set-header Strict-Transport-Security "max-age=${args.hstsMaxAge}"`,
            ...args.stores.flatMap(moveRules),
            ...args.stores.flatMap(noNodeRules),
            ...args.stores.flatMap(moveRoutes),
            ...args.stores.flatMap(storeRoutes),
            ...args.services.map(serviceRoute),
        ],
    );
}

/** The ACL of each configured hostname. */
function hostAcls({ stores, services }: HaproxyConfigArgs): string[] {
    return [...stores.map(namesOf).flatMap(({ s3Acl, consoleAcl }) => [s3Acl, consoleAcl]), ...services.map(aclOf)];
}
