import { stringify } from "yaml";
import { CERTIFICATE_FILE, KEY_FILE, PEER_PORT } from "./peerConfigs";

/** Settings of a Compose project: the same number of nodes and drives, and a proxy in front. */
export interface ComposeArgs {
    name: string;
    nodes: number;
    drivesPerNode: number;
    storeImage: string;
    proxyImage: string;
    /** Port of loopback. */
    httpsPort: number;
    accessKey: string;
    secretKey: string;
    /** Rules for health checks and for the start of the proxy: the recipe's, or the service contract's. */
    rules: "recipe" | "contract";
}

const HEALTH_CHECKS = {
    recipe: {
        test: ["CMD", "curl", "-f", "http://localhost:9000/minio/health/live"],
        interval: "5s",
        timeout: "5s",
        retries: 5,
    },
    contract: {
        test: ["CMD", "curl", "-f", "http://localhost:9000/minio/health/cluster", "http://localhost:9001/"],
        interval: "10s",
        timeout: "5s",
        retries: 5,
        start_period: "30s",
    },
};

/** The Compose project's nodes, by their hostnames. */
export function composeNodes({ nodes }: Pick<ComposeArgs, "nodes">): string[] {
    return Array.from({ length: nodes }, (_, index) => `minio${index + 1}`);
}

/**
 * The Compose file of MinIO's repository (docs/orchestration/docker-compose), with its command, its health check, and
 * nginx, which starts once its nodes have started. TLS, which that file lacks, and published ports are set as in the
 * front end. With the rules of the service contract, section 1, health checks are less frequent and request more paths,
 * and nginx waits until the nodes are healthy.
 */
export function composeFile(args: ComposeArgs): string {
    const drives = Array.from({ length: args.drivesPerNode }, (_, index) => index + 1);
    const range = (text: string, last: number) => (last === 1 ? `${text}1` : `${text}{1...${last}}`);
    // One node with one drive has no peers.
    const volumes =
        args.nodes === 1 && args.drivesPerNode === 1
            ? "/data1"
            : `http://${range("minio", args.nodes)}:9000/${range("data", args.drivesPerNode)}`;
    const nodes = composeNodes(args).map((node) => [
        node,
        {
            image: args.storeImage,
            command: ["minio", "server", "--console-address", ":9001", volumes],
            hostname: node,
            environment: { MINIO_ROOT_USER: args.accessKey, MINIO_ROOT_PASSWORD: args.secretKey, MINIO_CI_CD: "on" },
            healthcheck: HEALTH_CHECKS[args.rules],
            volumes: drives.map((drive) => `${node}-${drive}:/data${drive}`),
        },
    ]);
    return stringify({
        name: args.name,
        services: {
            ...(Object.fromEntries(nodes) as object),
            nginx: {
                image: args.proxyImage,
                hostname: "nginx",
                command: ["nginx", "-c", "/etc/bench/nginx.conf", "-g", "daemon off;"],
                volumes: [
                    "./nginx.conf:/etc/bench/nginx.conf:ro",
                    `./certificate.pem:${CERTIFICATE_FILE}:ro`,
                    `./key.pem:${KEY_FILE}:ro`,
                ],
                ports: [`127.0.0.1:${args.httpsPort}:${PEER_PORT}`],
                depends_on:
                    args.rules === "recipe"
                        ? composeNodes(args)
                        : Object.fromEntries(
                              composeNodes(args).map((node) => [node, { condition: "service_healthy" }]),
                          ),
            },
        },
        volumes: Object.fromEntries(
            composeNodes(args).flatMap((node) => drives.map((drive) => [`${node}-${drive}`, {}])),
        ) as object,
    });
}
