import type { ContainerArgs } from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { Break, Rule } from "./rule";

const test = (name: string) => ({ file: "node.test.ts", name: `the nodes' containers ${name}` });
const node = "`components/node/nodeContainer.ts`, nodeContainer";

function healthcheck(change: string, edit: Partial<{ [property: string]: unknown }>): Break {
    return {
        change,
        node: (inputs: ContainerArgs) => ({
            ...inputs,
            healthcheck: pulumi.output(inputs.healthcheck).apply((healthcheck) => ({ ...healthcheck, ...edit })),
        }),
    };
}

const healthyAs = (command: string) => ({ tests: ["CMD", "/bin/sh", "-c", command] });

/** Part 1, "Deployment shape". */
export const deploymentRules: Rule[] = [
    {
        id: "1.1",
        rule: "One container, or several as one cluster",
        where: "`components/store/topology.ts`, layOut",
        test: {
            file: "cluster.test.ts",
            name: "a cluster of MinIO is one cluster: an object's parts lie on every node",
        },
        broken: {
            change: "each node given its own drives alone",
            node: (inputs) => ({
                ...inputs,
                envs: ["MINIO_VOLUMES=/data/drive{1...2}", "MINIO_ADDRESS=:9000", "MINIO_CONSOLE_ADDRESS=:9001"],
            }),
        },
    },
    {
        id: "1.2 ports",
        rule: "Only the proxy publishes ports of the host",
        where: node,
        test: { file: "oneNode.test.ts", name: "one node of MinIO publishes no port but the proxy's" },
        broken: {
            change: "port 9000 of the node published, on a network that allows it",
            node: (inputs) => ({
                ...inputs,
                ports: [{ internal: 9000, external: 19_000, ip: "127.0.0.1" }],
                networksAdvanced: [...(inputs.networksAdvanced as { name: string }[]), { name: "bridge" }],
            }),
        },
    },
    {
        id: "1.2 network",
        rule: "9000 and 9001 are reachable on the internal network only",
        where: "`components/node/networks.ts`, nodeNetwork",
        test: test("other Docker networks don't reach a node, nor does a port of the host"),
        broken: {
            change: "the nodes joined to Docker's default network",
            node: (inputs) => ({
                ...inputs,
                networksAdvanced: [...(inputs.networksAdvanced as { name: string }[]), { name: "bridge" }],
            }),
        },
    },
    {
        id: "1.3 both endpoints",
        rule: "The container's health needs both endpoints",
        where: "`components/node/storeProcess.ts`, healthScript",
        test: test("the health check succeeds only when both listeners answer with a success status"),
        broken: healthcheck(
            "the console left out of the health check",
            healthyAs("curl -sf http://127.0.0.1:9000/health/ready"),
        ),
    },
    ...(
        [
            ["interval", "10s", "20s"],
            ["timeout", "5s", "4s"],
            ["retries", 5, 4],
            ["startPeriod", "30s", "20s"],
        ] as const
    ).map(([property, value, other]): Rule => ({
        id: `1.3 ${property}`,
        rule: `Container health check: ${property} ${value}`,
        where: "`components/node/healthcheck.ts`, nodeHealthchecks",
        test: test("the health check has the contract's numbers"),
        broken: healthcheck(`${property} ${other}`, { [property]: other }),
    })),
    {
        id: "1.4",
        rule: "The proxy is started once the containers report healthy",
        where: "`components/cluster.ts`, whenHealthy",
        test: {
            file: "startOrder.test.ts",
            name: "the proxy starts after every node's first healthy event 1 node(s), --parallel 16",
        },
        broken: healthcheck("no health check", { tests: ["NONE"] }),
    },
    {
        id: "1.5 restart",
        rule: "A container is started again when its process ends",
        where: node,
        test: test("a container whose process is killed is started again; one that is stopped stays so"),
        broken: { change: 'restart: "no"', node: (inputs) => ({ ...inputs, restart: "no" }) },
    },
    {
        id: "1.5 proxy",
        rule: "and so is the proxy",
        where: "`components/proxy/proxyContainer.ts`, proxyContainer",
        test: { file: "proxy.test.ts", name: "the proxy of one node a proxy whose process is killed is started again" },
        broken: { change: 'restart: "no"', proxy: (inputs) => ({ ...inputs, restart: "no" }) },
    },
];
