import type { HaproxyConfigArgs } from "../../../components/haproxyConfig/args";
import type { HaproxyStore } from "../../../components/haproxyConfig/haproxyStore";
import { serviceProfile } from "../../../components/store/profiles/contract";

/** The cluster of {@link store}, without its nodes. */
export const cluster = {
    profileName: "service",
    networkName: "store-nodes",
    subnet: "10.200.7.0/24",
    s3Port: 9000,
    consolePort: 9001,
    s3HealthPath: "/health/ready",
    consoleHealthPath: "/service/console/health",
    restrictedPaths: serviceProfile.restrictedPaths,
};

export const node = (number: number) => ({ name: `node${number}`, address: `10.200.7.${9 + number}` });

/** A store of one node. */
export const store: HaproxyStore = {
    s3Host: "S3.example.com",
    consoleHost: "console.example.com",
    cluster: { ...cluster, servers: [node(1)] },
    adminNetworks: [],
    consoleNetworks: [],
};

/** What a proxy has for that store alone. */
export const base: HaproxyConfigArgs = {
    stores: [store],
    services: [],
    certificate: { file: "certificate.pem", notAfter: "2027-01-01T00:00:00Z" },
    httpsPort: 443,
    maxConnections: 10000,
    maxConnectionsPerAddress: 5000,
    hardStopAfter: 86400,
    accessLog: "text",
    trustedProxies: [],
    ipv6: false,
};
