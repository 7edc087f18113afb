import { parse } from "yaml";
import { composeFile } from "../../../bench/composeFile";
import {
    caddyConfig,
    nginxConfig,
    traefikConfig,
    tunedCaddyConfig,
    tunedNginxConfig,
} from "../../../bench/peerConfigs";

describe("peers' configurations", () => {
    const args = { host: "s3.localhost", nodes: ["node1", "node2"], healthPath: "/health/ready" };

    test("nginx has what MinIO's documents recommend; only the tuned one keeps connections open", () => {
        const documented = nginxConfig(args);
        for (const line of [
            "server node2:9000;",
            "proxy_request_buffering off;",
            "proxy_set_header Host $http_host;",
            "client_max_body_size 0;",
        ]) {
            expect(documented).toContain(line);
        }
        expect(documented).not.toContain("keepalive");
        expect(tunedNginxConfig(args)).toContain("keepalive 256;");
    });

    test("only the tuned Caddy checks nodes and tries again", () => {
        expect(caddyConfig(args)).not.toContain("health_uri");
        expect(tunedCaddyConfig(args)).toContain("health_uri /health/ready");
        expect(tunedCaddyConfig(args)).toContain("lb_try_duration 10s");
    });

    test("Caddy and Traefik forward to every node", () => {
        expect(caddyConfig(args)).toContain("reverse_proxy node1:9000 node2:9000 {");
        expect(parse(traefikConfig(args))).toMatchObject({
            http: {
                services: {
                    s3: { loadBalancer: { servers: [{ url: "http://node1:9000" }, { url: "http://node2:9000" }] } },
                },
            },
        });
    });

    test.each([
        [1, 1, "/data1"],
        [4, 2, "http://minio{1...4}:9000/data{1...2}"],
        [8, 1, "http://minio{1...8}:9000/data1"],
    ])("the Compose file of %i nodes with %i drives has volumes for each node", (nodes, drivesPerNode, volumes) => {
        const file = composeFile({
            name: "bench",
            nodes,
            drivesPerNode,
            storeImage: "minio",
            proxyImage: "nginx",
            httpsPort: 8443,
            accessKey: "key",
            secretKey: "secret",
            rules: "recipe",
        });
        const { services, volumes: named } = parse(file) as {
            services: { [name: string]: { command: string[]; depends_on?: string[] } };
            volumes: object;
        };
        expect(Object.keys(services)).toHaveLength(nodes + 1);
        expect(services["minio1"]?.command.at(-1)).toBe(volumes);
        expect(services["nginx"]?.depends_on).toHaveLength(nodes);
        expect(Object.keys(named)).toHaveLength(nodes * drivesPerNode);
    });
});
