import type { ServiceProfile } from "../serviceProfile";

/** The profile of the service contract itself, for any store that fulfils it. It has no default image. */
export const serviceProfile: ServiceProfile = contractProfile("service");

/** The contract's profile, with a store's name in place of `service`. */
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
        sameOnAllNodes: { image: false, variables: [`${prefix}_VOLUMES`, `${prefix}_RPC_SECRET`] },
        // Paths as in RustFS, on both listeners. Its console is a browser application that uses the admin API.
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
