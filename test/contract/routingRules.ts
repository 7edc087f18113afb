import * as pulumi from "@pulumi/pulumi";
import { line, moreIn, variable, type Break, type Rule, replaced } from "./rule";

const proxy = (name: string) => ({ file: "proxy.test.ts", name: `the proxy of one node ${name}` });
const cookie = (name: string) => ({
    file: "consoleCookie.test.ts",
    name: `the console's cookie in a cluster ${name}`,
});
const backend = (name: string, test: string) => ({
    file: "checks.test.ts",
    name: `health checks and server states the backend ${name} ${test}`,
});
const edge = (name: string) => ({
    file: "edgeRouting.test.ts",
    name: `the public side's TLS, redirect and routing ${name}`,
});
const access = (name: string) => ({
    file: "edgeAccess.test.ts",
    name: `the public side's closed paths and networks ${name}`,
});
const signatures = (name: string) => ({ file: "signatures.test.ts", name });
const COOKIE = /insert indirect nocache httponly secure/;
const singleNodeCookie = proxy("the console's cookie is SERVICE_CONSOLE with the value service, Secure and HttpOnly");

/** Part 4: endpoints, and the fifteen routing rules. */
export const routingRules: Rule[] = [
    {
        id: "4 readiness",
        rule: "GET /health/ready on the S3 listener is the node's readiness",
        where: "`components/haproxyConfig/stores.ts`, healthCheck",
        test: backend("s3", "asks for its health path, without credentials"),
        broken: line(/uri \/health\/ready/, "uri /health"),
    },
    {
        id: "4 console health",
        rule: "GET /service/console/health on the console listener is its health",
        where: "`components/haproxyConfig/stores.ts`, healthCheck",
        test: backend("console", "asks for its health path, without credentials"),
        broken: line(/uri \/service\/console\/health/, "uri /"),
    },
    {
        id: "4 WebSocket",
        rule: "A WebSocket upgrade on the console is a long-lived tunnel",
        where: "`components/haproxyConfig/headers.ts`, headerRules",
        test: proxy("a WebSocket stays open, idle and under traffic, for longer than requests may take"),
        broken: line(/timeout tunnel 1h/, "timeout tunnel 20s"),
    },
    {
        id: "4 root of S3's hostname",
        rule: "S3 is served from the root path, not under a prefix",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: signatures("signed requests on the stand-in HTTP/1.1: Host reaches the store byte for byte"),
        broken: moreIn("backend s3", "http-request replace-path (.*) /s3\\1"),
    },
    {
        id: "4.1",
        rule: "Port 80: every request is redirected with 301, same host and path",
        where: "`components/haproxyConfig/config.ts`, httpFrontend",
        test: edge("port 80 redirects PUT to the same host, path and query of HTTPS"),
        broken: {
            change: "302 in place of 301, but for the proxy's own health check",
            file: {
                name: "haproxy.cfg",
                edit: (text) =>
                    text.replace(
                        /( +http-request redirect code )301( location .*)/,
                        "$1301$2 if { src 127.0.0.1 }\n$1302$2",
                    ),
            },
        },
    },
    {
        id: "4.1 path and query",
        rule: "the path and query byte for byte",
        where: "`components/haproxyConfig/config.ts`, httpFrontend",
        test: edge("port 80 redirects GET to the same host, path and query of HTTPS"),
        broken: line(/%\[pathq\]/, "%[path]"),
    },
    {
        id: "4.1 host",
        rule: "the host that the request names",
        where: "`components/haproxyConfig/config.ts`, httpFrontend",
        test: edge("port 80 redirects to the host console.localhost that the request names"),
        broken: line(/location https:\/\/%\[var\(txn.host\)\]/, "location https://s3.localhost"),
    },
    {
        id: "4.2 h2",
        rule: "Application protocols: h2",
        where: "`components/haproxyConfig/config.ts`, httpsFrontend",
        test: edge("TLS serves HTTP/2"),
        broken: line(/alpn h2,http\/1.1/, "alpn http/1.1"),
    },
    {
        id: "4.2 http/1.1",
        rule: "and http/1.1",
        where: "`components/haproxyConfig/config.ts`, httpsFrontend",
        test: edge("TLS chooses http/1.1 for a client that offers nothing else"),
        broken: line(/alpn h2,http\/1.1/, "alpn h2"),
    },
    {
        id: "4.2 chain, then key",
        rule: "The PEM has the chain first, then the private key",
        where: "`components/checks/certificatePem.ts`, checkCertificatePem",
        test: edge("with a given certificate that has an RSA key serves the chain in order"),
        broken: {
            change: "the issuer left out of the chain",
            file: { name: "certificate.pem", edit: withoutIssuer },
        },
    },
    {
        id: "4.2 mode 600",
        rule: "and mode 600",
        where: "`components/docker/scripts/writeFiles.sh`, umask 077",
        test: {
            file: "given.test.ts",
            name: "what a user gives is what is used files of mode 600, owned by the user that reads them",
        },
        broken: {
            change: "`umask 022`, `chmod 644`",
            writer: (inputs) => ({
                ...inputs,
                command: (inputs.command as string[]).map((script) =>
                    replaced(
                        replaced(script, "umask 077", "umask 022"),
                        'point "$CURRENT" "$next"\n',
                        'chmod 644 "$next"/*; point "$CURRENT" "$next"\n',
                    ),
                ),
            }),
        },
    },
    {
        id: "4.2 versions",
        rule: "TLS 1.2 and 1.3 alone (ours)",
        where: "`components/haproxyConfig/defaults.ts`, globalSection",
        test: edge("TLS refuses TLSv1.1"),
        broken: {
            change: "`ssl-min-ver TLSv1.1`, with a cipher suite for it",
            file: {
                name: "haproxy.cfg",
                edit: (text) =>
                    text
                        .replace("ssl-min-ver TLSv1.2", "ssl-min-ver TLSv1.1")
                        .replace(/(ssl-default-bind-ciphers \S+)/, "$1:ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"),
            },
        },
    },
    {
        id: "4.2 cipher suites",
        rule: "A modern list of cipher suites (ours)",
        where: "`components/haproxyConfig/defaults.ts`, globalSection",
        test: edge("TLS refuses every other cipher suite of TLS 1.2"),
        broken: line(/ssl-default-bind-ciphers \S+/, "ssl-default-bind-ciphers DEFAULT"),
    },
    {
        id: "4.3",
        rule: "Host {s3_host} goes to the S3 backend",
        where: "`components/haproxyConfig/config.ts`, hostAcls",
        test: edge("hostnames Host s3.localhost reaches the listener s3 unchanged"),
        broken: line(/use_backend s3 if s3_host/, "use_backend console if s3_host"),
    },
    {
        id: "4.3 case",
        rule: "in any case",
        where: "`components/haproxyConfig/config.ts`, hostAcls",
        test: edge("hostnames Host S3.LOCALHOST reaches the listener s3 unchanged"),
        broken: line(/req.fhdr\(host\),host_only -m/, "req.fhdr(host),field(1,:) -m"),
    },
    {
        id: "4.4",
        rule: "Host {console_host} goes to the console backend",
        where: "`components/haproxyConfig/config.ts`, hostAcls",
        test: edge("hostnames Host console.localhost reaches the listener console unchanged"),
        broken: line(/use_backend console if console_host/, "use_backend s3 if console_host"),
    },
    {
        id: "4.4 case",
        rule: "in any case",
        where: "`components/haproxyConfig/config.ts`, hostAcls",
        test: edge("hostnames Host CONSOLE.LOCALHOST reaches the listener console unchanged"),
        broken: line(/req.fhdr\(host\),host_only -m/, "req.fhdr(host),field(1,:) -m"),
    },
    {
        id: "4.5",
        rule: "Any other Host gets 404",
        where: "`components/haproxyConfig/config.ts`, hostAcls",
        test: edge("hostnames any other Host is answered with 404: 'other.example'"),
        broken: line(/status 404/, "status 403"),
    },
    {
        id: "4.6 Host",
        rule: "The Host header stays as it came",
        where: "`components/haproxyConfig/config.ts`, httpsFrontend",
        test: signatures("signed requests on the stand-in HTTP/1.1: Host reaches the store byte for byte"),
        broken: moreIn("backend s3", "http-request set-header Host %[req.hdr(host),lower,host_only]"),
    },
    {
        id: "4.6 path",
        rule: "The path stays as it came",
        where: "`components/haproxyConfig/config.ts`, httpsFrontend",
        test: edge("path and query reach the store byte for byte /bucket/a%2Fb"),
        broken: moreIn("backend s3", "http-request set-path %[path,url_dec]"),
    },
    {
        id: "4.6 signatures",
        rule: "Rewriting either one breaks signatures: a proxy in between that does so is refused, ours is not",
        where: "the store",
        test: {
            file: "signaturesMinio.test.ts",
            name: "signed requests on MinIO a proxy that rewrites Host breaks the signature of a request that this one passes on",
        },
        broken: moreIn("backend s3", "http-request set-header Host rewritten.example"),
    },
    {
        id: "4.7 S3",
        rule: "Balancing: least connections, for S3",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: backend("s3", "gives a request to the node with the fewest connections"),
        broken: line(/balance leastconn/, "balance roundrobin"),
    },
    {
        id: "4.7 console",
        rule: "and for the console",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: backend("console", "gives a request to the node with the fewest connections"),
        broken: line(/balance leastconn/, "balance roundrobin"),
    },
    {
        id: "4.8",
        rule: "Each backend has a health check of its own",
        where: "`components/haproxyConfig/stores.ts`, healthCheck",
        test: backend("s3", "has health of its own: the other one stays whole"),
        broken: line(/uri \/service\/console\/health/, "uri /health/ready"),
    },
    {
        id: "4.9 one node",
        rule: "One node: cookie SERVICE_CONSOLE, value service",
        where: "`components/haproxyConfig/stores.ts`, consoleCookie",
        test: singleNodeCookie,
        broken: line(/cookie SERVICE_CONSOLE/, "cookie service_console"),
    },
    {
        id: "4.9 one node, value",
        rule: "its value is the profile's name",
        where: "`components/haproxyConfig/stores.ts`, consoleCookie",
        test: singleNodeCookie,
        broken: line(/cookie service$/, "cookie node1"),
    },
    ...(
        [
            ["Secure", "insert indirect nocache httponly"],
            ["HttpOnly", "insert indirect nocache secure"],
        ] as const
    ).map(([attribute, rest]): Rule => ({
        id: `4.9 ${attribute}`,
        rule: `The cookie is ${attribute}`,
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: singleNodeCookie,
        broken: line(COOKIE, rest),
    })),
    {
        id: "4.9 indirect",
        rule: "The cookie is indirect: the store doesn't see it",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: proxy("the cookie is the proxy's own: set once, and not shown to the store"),
        broken: line(COOKIE, "insert nocache httponly secure"),
    },
    {
        id: "4.9 no-cache",
        rule: "An answer that sets it is not for shared caches",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: proxy("an answer that sets the cookie is not for shared caches"),
        broken: line(COOKIE, "insert indirect httponly secure"),
    },
    {
        id: "4.9 S3",
        rule: "It is never set on S3's hostname",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: proxy("no cookie is set on the S3 hostname"),
        broken: moreIn("backend s3", "http-response add-header Set-Cookie SERVICE_CONSOLE=service"),
    },
    {
        id: "4.9 cluster",
        rule: "Cluster: cookie service_console, values node1, node2 …",
        where: "`components/haproxyConfig/stores.ts`, consoleCookie",
        test: cookie("is service_console, with the name of the node as its value"),
        broken: line(/cookie node3$/, "cookie c"),
    },
    {
        id: "4.10 S3",
        rule: "Every node is in the S3 backend",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: backend("s3", "has every node"),
        broken: line(/^ +server node6 \S+:9000$/),
    },
    {
        id: "4.10 console",
        rule: "and in the console's",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: backend("console", "has every node"),
        broken: line(/^ +server node6 \S+:9001 .*$/),
    },
    {
        id: "4.10 between nodes",
        rule: "Port 9000 stays reachable between nodes",
        where: "`components/node/networks.ts`, nodeNetwork",
        test: { file: "node.test.ts", name: "the nodes' containers nodes reach each other's S3 listener" },
        broken: variable("SERVICE_ADDRESS", "127.0.0.1:9000"),
    },
    {
        id: "4.11",
        rule: "A browser stays on its node",
        where: "`components/haproxyConfig/stores.ts`, storeBackends",
        test: cookie("keeps a browser on one node"),
        broken: line(/ cookie node\d$/, ""),
    },
    {
        id: "4.12",
        rule: "Certificates by ACME HTTP-01",
        where: "`components/haproxyConfig/challenges.ts`, challengeBackend",
        test: {
            file: "acme.test.ts",
            name: "a certificate by ACME is served for both hostnames once `pulumi up` has ended, however slow and moody the CA",
        },
        broken: line(/ unless \{ path_beg \/\.well-known\/acme-challenge\/ \}$/, ""),
    },
    {
        id: "4.13",
        rule: "A new certificate is validated and loaded",
        where: "`components/proxy/proxyContainer.ts`, RELOAD",
        test: {
            file: "changes.test.ts",
            name: "a change of one part leaves the others alone a hostname is loaded by the proxy without being replaced, and its certificate with it",
        },
        broken: withoutReload(),
    },
    {
        id: "4.14",
        rule: "The proxy's dashboard is not exposed",
        where: "`components/haproxyConfig/metrics.ts`, metricsFrontend",
        test: access("statistics and metrics /stats is not there for the network that clients come by"),
        broken: line(/tcp-request connection reject unless \{ src .*$/),
    },
    {
        id: "4.15",
        rule: "Nobody has the container runtime's socket",
        where: "`components/proxy/proxyContainer.ts`, proxyContainer",
        test: access("the deployment's containers mount no Docker socket"),
        broken: {
            change: "the socket mounted in the proxy",
            proxy: (inputs) => ({
                ...inputs,
                volumes: [
                    ...(inputs.volumes as object[]),
                    { hostPath: "/var/run/docker.sock", containerPath: "/run/docker.sock" },
                ],
            }),
        },
    },
];

/** A PEM with its first certificate alone, and its key. */
function withoutIssuer(pem: string): string {
    const [first = "", second = ""] = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
    return first === "" ? pem : pem.replace(second, "");
}

function withoutReload(): Break {
    return {
        change: "no reload asked for",
        writer: (inputs) => ({
            ...inputs,
            envs: pulumi
                .output(inputs.envs)
                .apply((variables = []) =>
                    variables.map((variable) => variable.replace("connected($master_socket) or exit 0;", "exit 0;")),
                ),
        }),
    };
}
