import { rustfsProfile, type ClusterEndpoints } from "../../../components";
import type { RegisteredResource } from "./mockEngine";

/** The cluster behind a front end. */
export const cluster: ClusterEndpoints = {
    profileName: "rustfs",
    networkName: "store-nodes",
    subnet: "10.200.7.0/24",
    servers: [{ name: "node1", address: "10.200.7.10" }],
    s3Port: 9000,
    consolePort: 9001,
    s3HealthPath: "/health/ready",
    consoleHealthPath: "/rustfs/console/health",
    restrictedPaths: rustfsProfile.restrictedPaths,
};

export const hosts = { s3Host: "s3.example.com", consoleHost: "console.example.com" };

/** Inputs of the containers, by the names of their resources. */
export const containers = (resources: RegisteredResource[]) =>
    Object.fromEntries(
        resources.filter(({ type }) => type.endsWith(":Container")).map(({ name, inputs }) => [name, inputs]),
    );
