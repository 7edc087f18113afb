import type { Shape } from "./shape";

export const POOL = {
    map: {
        nodeCount: "number",
        drivesPerNode: "number",
        drivePaths: { list: { list: "string" } },
        volumeNames: { list: { list: "string" } },
    },
    required: ["nodeCount"],
} as const satisfies Shape;

/** A Docker host in the key `hosts`. */
export const HOST: Shape = {
    map: { name: "string", dockerHost: "string", address: "string", certPath: "string", socketPath: "string" },
    required: ["name", "dockerHost", "address"],
};

export const FLOATING_ADDRESS: Shape = {
    map: { address: "string", image: "string", routerId: "number" },
    required: ["address", "image"],
};

export const MOVE: Shape = {
    map: { to: { list: "string" }, trustedCertificatesFile: "string", name: "string", done: "boolean" },
    required: ["to"],
};

const TEXTS: Shape = { list: "string" };

export const BUCKETS: Shape = {
    each: {
        map: {
            versioning: "boolean",
            objectLock: "boolean",
            retention: { map: { mode: "string", days: "number" }, required: ["mode", "days"] },
            quota: "number",
            durability: "string",
            lifecycle: {
                list: {
                    map: {
                        id: "string",
                        prefix: "string",
                        expireDays: "number",
                        expireFormerDays: "number",
                        expireDeleteMarkers: "boolean",
                    },
                    required: ["id"],
                },
            },
            publicReadPrefixes: TEXTS,
            policy: "string",
            cors: {
                list: {
                    map: {
                        allowedOrigins: TEXTS,
                        allowedMethods: TEXTS,
                        allowedHeaders: TEXTS,
                        exposeHeaders: TEXTS,
                        maxAgeSeconds: "number",
                    },
                    required: ["allowedOrigins", "allowedMethods"],
                },
            },
            notifications: {
                list: {
                    map: { target: "string", events: TEXTS, prefix: "string", suffix: "string" },
                    required: ["target", "events"],
                },
            },
            adopt: "boolean",
            forceDestroy: "boolean",
        },
    },
};

const GRANTS: { [property: string]: Shape } = { read: TEXTS, write: TEXTS, readWrite: TEXTS };

export const POLICIES: Shape = { each: { map: { ...GRANTS, document: "string" } } };

export const ACCESS_KEYS: Shape = {
    each: { map: { ...GRANTS, policies: TEXTS, secretKey: "secret", rotation: "string" } },
};

export const ACME: Shape = {
    map: {
        termsAgreed: "boolean",
        email: "string",
        directoryUrl: "string",
        keyType: "string",
        externalAccountBinding: { map: { keyId: "string", hmacKey: "secret" }, required: ["keyId", "hmacKey"] },
        dns: {
            map: {
                provider: "string",
                environment: { texts: "string" },
                secretEnvironment: { texts: "secret" },
                propagationWait: "number",
            },
            required: ["provider"],
        },
        trustedCertificatesFile: "string",
        image: "string",
        nameServers: { list: "string" },
        preflight: "boolean",
        checkInterval: "number",
        retryInterval: "number",
        issueTimeout: "number",
        reissuedAt: "string",
    },
};

/** A store in the key `additionalStores`. */
export const ADDITIONAL_STORE = {
    map: {
        name: "string",
        s3Host: "string",
        consoleHost: "string",
        virtualHostBuckets: "boolean",
        adminNetworks: TEXTS,
        consoleNetworks: TEXTS,
        profile: "string",
        image: "string",
        ...POOL.map,
        pools: { list: POOL },
        allowDrivesOnOneDevice: "boolean",
        subnet: "string",
        accessKey: "secret",
        secretKey: "secret",
        internodeSecret: "secret",
        logLevel: "string",
        environment: { texts: "secret" },
        secretEnvironment: { texts: "secret" },
        additionalTrustedCertificatesFile: "string",
        egress: "boolean",
        memory: "number",
        cpus: "number",
        retainData: "boolean",
        restartedAt: "string",
        drainTimeout: "number",
        allowedChanges: TEXTS,
        buckets: BUCKETS,
        policies: POLICIES,
        accessKeys: ACCESS_KEYS,
        readyTimeout: "number",
    },
    required: ["name", "s3Host", "consoleHost"],
} as const satisfies Shape;
