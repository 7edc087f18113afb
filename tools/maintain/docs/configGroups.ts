import type { ConfigKey } from "../../../config/keys";

/** A group of keys on the page of stack config. */
export interface ConfigGroup {
    title: string;
    /**
     * An example for each key: the lines of a stack file below `config:`. For a key with a secret value, the arguments of
     * `config set` that ask for it.
     */
    examples: { readonly [Key in ConfigKey]?: string };
}

/** Every key of stack config, in groups. */
export const CONFIG_GROUPS: readonly ConfigGroup[] = [
    {
        title: "Store, nodes and drives",
        examples: {
            profile: "profile: minio",
            image: "image: rustfs/rustfs:1.0.1",
            nodeCount: "nodeCount: 4",
            drivesPerNode: "drivesPerNode: 2",
            drivePaths: "drivePaths: [[/mnt/a], [/mnt/b], [/mnt/c], [/mnt/d]]",
            volumeNames: "volumeNames: [[data1], [data2]]",
            pools: "pools:\n    - { nodeCount: 4, drivesPerNode: 2 }\n    - { nodeCount: 4, drivesPerNode: 2 }",
            allowDrivesOnOneDevice: "allowDrivesOnOneDevice: true",
            clusterName: "clusterName: object-store-prod",
            subnet: "subnet: 10.200.4.0/24",
        },
    },
    {
        title: "Hostnames and ports",
        examples: {
            s3Host: "s3Host: s3.example.com",
            consoleHost: "consoleHost: console.example.com",
            virtualHostBuckets: "virtualHostBuckets: true",
            httpPort: "httpPort: 8080",
            httpsPort: "httpsPort: 8443",
            publishAddress: "publishAddress: 127.0.0.1",
            publicSubnet: "publicSubnet: 10.200.8.0/24",
            publicIpv6Subnet: "publicIpv6Subnet: fd12:3456:789a::/64",
            publishIpv6Address: 'publishIpv6Address: "::1"',
        },
    },
    {
        title: "Proxy and access",
        examples: {
            adminNetworks: "adminNetworks: [10.1.0.0/16]",
            consoleNetworks: "consoleNetworks: [10.1.0.0/16]",
            trustedProxies: "trustedProxies: [10.3.0.0/24]",
            proxyProtocol: "proxyProtocol: required",
            maxConnectionsPerAddress: "maxConnectionsPerAddress: 500",
            hstsMaxAge: "hstsMaxAge: 300",
            hardStopAfter: "hardStopAfter: 3600",
            accessLog: "accessLog: json",
            haproxyImage: "haproxyImage: haproxy:3.2.26",
        },
    },
    {
        title: "Certificate",
        examples: {
            certificateFile: "certificateFile: certificate.pem",
            certificatePem: "--secret certificatePem < certificate.pem",
            acme: "acme:\n    termsAgreed: true\n    email: ops@example.com",
        },
    },
    {
        title: "Several hosts",
        examples: {
            hosts: 'hosts:\n    - { name: a, dockerHost: "ssh://ops@10.0.0.1", address: 10.0.0.1 }\n    - { name: b, dockerHost: "ssh://ops@10.0.0.2", address: 10.0.0.2 }\n    - { name: c, dockerHost: "ssh://ops@10.0.0.3", address: 10.0.0.3 }',
            frontEndHosts: "frontEndHosts: [a, b]",
            watchdog: "watchdog: false",
            floatingAddress: "floatingAddress: { address: 10.0.0.100, image: registry.example.com/keepalived:2.3.4 }",
            unreachableHosts: "unreachableHosts: [c]",
            unencryptedOverlay: "unencryptedOverlay: true",
            allowSinglePointOfFailure: "allowSinglePointOfFailure: true",
        },
    },
    {
        title: "Keys, variables and limits",
        examples: {
            accessKey: "--secret accessKey",
            secretKey: "--secret secretKey",
            internodeSecret: "--secret internodeSecret",
            logLevel: "logLevel: info",
            environment: 'environment: { RUSTFS_CORS_ALLOWED_ORIGINS: "*" }',
            secretEnvironment: "--secret --path secretEnvironment.RUSTFS_IDENTITY_OPENID_CLIENT_SECRET",
            additionalTrustedCertificatesFile: "additionalTrustedCertificatesFile: provider-ca.pem",
            egress: "egress: true",
            memory: "memory: 4096",
            cpus: "cpus: 1.5",
            openFiles: "openFiles: 65536",
            labels: "labels: { team: storage }",
        },
    },
    {
        title: "Updates and protection",
        examples: {
            retainData: "retainData: false",
            restartedAt: 'restartedAt: "2"',
            drainTimeout: "drainTimeout: 300",
            readyTimeout: "readyTimeout: 600",
            allowedChanges: "allowedChanges: [outage]",
            move: "# Set by `npm run move`.",
        },
    },
    {
        title: "Buckets, keys and further stores",
        examples: {
            buckets: "buckets:\n    photos: { versioning: true }",
            policies: "policies:\n    reports: { read: [photos/reports/] }",
            accessKeys: "accessKeys:\n    app: { readWrite: [photos] }",
            clientImage: "clientImage: minio/mc:RELEASE.2025-08-13T08-35-41Z",
            additionalStores:
                "additionalStores:\n    - name: media\n      s3Host: media.example.com\n      consoleHost: media-console.example.com",
        },
    },
];
