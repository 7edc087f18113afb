import { line, moreIn, type Rule, replaced } from "./rule";
import { backend, proxy } from "./proxyRules";

const edge = (name: string) => ({
    file: "edgeRouting.test.ts",
    name: `the public side's TLS, redirect and routing ${name}`,
});
const signatures = (name: string) => ({ file: "signatures.test.ts", name });

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
];

/** A PEM with its first certificate alone, and its key. */
function withoutIssuer(pem: string): string {
    const [first = "", second = ""] = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
    return first === "" ? pem : pem.replace(second, "");
}
