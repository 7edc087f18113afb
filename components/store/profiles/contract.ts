import type { ServiceProfile } from "../serviceProfile";

/** The profile of the service contract itself, for any store that keeps it. It has no image of its own. */
export const serviceProfile: ServiceProfile = contractProfile("service");

/** What the contract says, with a store's name in place of `service`. */
export function contractProfile(name: string): ServiceProfile {
    const prefix = name.toUpperCase();
    return {
        name,
        user: "10001:10001",
        command: [name],
        variables: {
            accessKey: `${prefix}_ACCESS_KEY`,
            secretKey: `${prefix}_SECRET_KEY`,
            volumes: `${prefix}_VOLUMES`,
            address: `${prefix}_ADDRESS`,
            consoleAddress: `${prefix}_CONSOLE_ADDRESS`,
            consoleEnable: `${prefix}_CONSOLE_ENABLE`,
            logLevel: `${prefix}_OBS_LOGGER_LEVEL`,
            logDirectory: `${prefix}_OBS_LOG_DIRECTORY`,
            internodeSecret: `${prefix}_RPC_SECRET`,
            consoleUrl: `${prefix}_BROWSER_REDIRECT_URL`,
            drivesOnOneDevice: `${prefix}_UNSAFE_BYPASS_DISK_CHECK`,
        },
        environment: {},
        s3HealthPath: "/health/ready",
        consoleHealthPath: `/${name}/console/health`,
        livenessPath: "/health",
        settleSeconds: 0,
        formatFile: `.${name}.sys/format.json`,
        alikeOnAllNodes: { image: false, variables: [`${prefix}_VOLUMES`, `${prefix}_RPC_SECRET`] },
        // As RustFS lays them out, on both listeners. Its console is a browser application on the admin API.
        restrictedPaths: {
            admin: [`/${name}/admin/*`, "/minio/admin/*", "/iceberg/v1/*", "/_iceberg/v1/*"],
            consoleAdmin: [`/${name}/admin/*`],
            internal: [`/${name}/rpc/*`, `/${name}/peer/*`, "/node_service.*", "/profile/cpu", "/profile/memory"],
        },
        consoleEnableValue: "true",
        logLevel: "error",
        minimumAccessKeyLength: 3,
        minimumSecretKeyLength: 8,
        minimumDrivesPerSet: 2,
        maximumDrivesPerSet: 16,
    };
}
