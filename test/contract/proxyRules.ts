import * as pulumi from "@pulumi/pulumi";
import { line, moreIn, variable, type Break, type Rule } from "./rule";

/** A test of a proxy with one node. */
export const proxy = (name: string) => ({ file: "proxy.test.ts", name: `the proxy of one node ${name}` });
const cookie = (name: string) => ({
    file: "consoleCookie.test.ts",
    name: `the console's cookie in a cluster ${name}`,
});
/** A test of what a backend asks of its nodes. */
export const backend = (name: string, test: string) => ({
    file: "checks.test.ts",
    name: `health checks and server states the backend ${name} ${test}`,
});
const access = (name: string) => ({
    file: "edgeAccess.test.ts",
    name: `the public side's closed paths and networks ${name}`,
});
const COOKIE = /insert indirect nocache httponly secure/;
const singleNodeCookie = proxy("the console's cookie is SERVICE_CONSOLE with the value service, Secure and HttpOnly");

/** Part 4 from rule 7 on: balancing, the console's cookie, certificates, and what the proxy doesn't show. */
export const proxyRules: Rule[] = [
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
