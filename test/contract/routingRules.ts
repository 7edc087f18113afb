import { line, moreIn, variable, type Break, type Rule } from "./rule";

const proxy = (name: string) => ({ file: "proxy.test.ts", name: `the proxy of one node ${name}` });
const cookie = (name: string) => ({
    file: "consoleCookie.test.ts",
    name: `the console's cookie in a cluster ${name}`,
});
const backend = (name: string, test: string) => ({
    file: "checks.test.ts",
    name: `health checks and server states the backend ${name} ${test}`,
});
const config = (part: string) => `\`haproxyConfig.ts\`, ${part}`;
const COOKIE = /insert indirect nocache httponly secure/;
const singleNodeCookie = proxy("the console's cookie is SERVICE_CONSOLE with the value service, Secure and HttpOnly");

/** Part 4: endpoints, and the fifteen routing rules. */
export const routingRules: Rule[] = [
    {
        id: "4 readiness",
        rule: "GET /health/ready on the S3 listener is the node's readiness",
        where: config("healthCheck"),
        test: backend("s3", "asks for its health path, without credentials"),
        broken: line(/uri \/health\/ready/, "uri /health"),
    },
    {
        id: "4 console health",
        rule: "GET /service/console/health on the console listener is its health",
        where: config("healthCheck"),
        test: backend("console", "asks for its health path, without credentials"),
        broken: line(/uri \/service\/console\/health/, "uri /"),
    },
    {
        id: "4 WebSocket",
        rule: "A WebSocket upgrade on the console is a long-lived tunnel",
        where: config("headerRules"),
        test: proxy("a WebSocket stays open, idle and under traffic, for longer than requests may take"),
        broken: line(/timeout tunnel 1h/, "timeout tunnel 20s"),
    },
    {
        id: "4.7 S3",
        rule: "Balancing: least connections, for S3",
        where: config("s3Backend"),
        test: backend("s3", "gives a request to the node with the fewest connections"),
        broken: line(/balance leastconn/, "balance roundrobin"),
    },
    {
        id: "4.7 console",
        rule: "and for the console",
        where: config("consoleBackend"),
        test: backend("console", "gives a request to the node with the fewest connections"),
        broken: line(/balance leastconn/, "balance roundrobin"),
    },
    {
        id: "4.8",
        rule: "Each backend has a health check of its own",
        where: config("healthCheck"),
        test: backend("s3", "has health of its own: the other one stays whole"),
        broken: line(/uri \/service\/console\/health/, "uri /health/ready"),
    },
    {
        id: "4.9 one node",
        rule: "One node: cookie SERVICE_CONSOLE, value service",
        where: config("consoleCookie"),
        test: singleNodeCookie,
        broken: line(/cookie SERVICE_CONSOLE/, "cookie service_console"),
    },
    {
        id: "4.9 one node, value",
        rule: "its value is the profile's name",
        where: config("consoleCookie"),
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
        where: config("consoleBackend"),
        test: singleNodeCookie,
        broken: line(COOKIE, rest),
    })),
    {
        id: "4.9 indirect",
        rule: "The cookie is indirect: the store doesn't see it",
        where: config("consoleBackend"),
        test: proxy("the cookie is the proxy's own: set once, and not shown to the store"),
        broken: line(COOKIE, "insert nocache httponly secure"),
    },
    {
        id: "4.9 no-cache",
        rule: "An answer that sets it is not for shared caches",
        where: config("consoleBackend"),
        test: proxy("an answer that sets the cookie is not for shared caches"),
        broken: line(COOKIE, "insert indirect httponly secure"),
    },
    {
        id: "4.9 S3",
        rule: "It is never set on S3's hostname",
        where: config("s3Backend"),
        test: proxy("no cookie is set on the S3 hostname"),
        broken: moreIn("backend s3", "http-response add-header Set-Cookie SERVICE_CONSOLE=service"),
    },
    {
        id: "4.9 cluster",
        rule: "Cluster: cookie service_console, values node1, node2 …",
        where: config("consoleCookie"),
        test: cookie("is service_console, with the name of the node as its value"),
        broken: line(/cookie node3$/, "cookie c"),
    },
    {
        id: "4.10 S3",
        rule: "Every node is in the S3 backend",
        where: config("s3Backend"),
        test: backend("s3", "has every node"),
        broken: line(/^ +server node6 \S+:9000$/),
    },
    {
        id: "4.10 console",
        rule: "and in the console's",
        where: config("consoleBackend"),
        test: backend("console", "has every node"),
        broken: line(/^ +server node6 \S+:9001 .*$/),
    },
    {
        id: "4.10 between nodes",
        rule: "Port 9000 stays reachable between nodes",
        where: "`storageCluster.ts`, nodeNetwork",
        test: { file: "node.test.ts", name: "the nodes' containers nodes reach each other's S3 listener" },
        broken: variable("SERVICE_ADDRESS", "127.0.0.1:9000"),
    },
    {
        id: "4.11",
        rule: "A browser stays on its node",
        where: config("consoleBackend"),
        test: cookie("keeps a browser on one node"),
        broken: line(/ cookie node\d$/, ""),
    },
    {
        id: "4.12",
        rule: "Certificates by ACME HTTP-01",
        where: "not built yet",
        test: singleNodeCookie,
        broken: {
            notBroken:
                "an option of the contract that this version doesn't have; certificates are given or self-signed",
        },
    },
    {
        id: "4.13",
        rule: "A new certificate is validated and loaded",
        where: "`haproxyFrontEnd.ts`, RELOAD",
        test: {
            file: "changes.test.ts",
            name: "a change of one part leaves the others alone a hostname is loaded by the proxy without being replaced, and its certificate with it",
        },
        broken: withoutReload(),
    },
];

function withoutReload(): Break {
    return {
        change: "no reload asked for",
        writer: (inputs) => ({
            ...inputs,
            command: (inputs.command as string[]).map((script) => script.replace("my @states", "exit 0; my @states")),
        }),
    };
}
