import type { AcmeArgs, ExternalAccountBindingArgs } from "../components";

/** What the documents say about a key. Both texts are Markdown. */
export interface KeyDescription {
    /** What holds where the key isn't given, or that it has to be. */
    default: string;
    /** What it does, with its unit and what is allowed. Paths of links are relative to the project's folder. */
    meaning: string;
    /** Whether its value must not stand in a plain file, in state or in a message. Default: false. */
    secret?: true;
}

/** Every key of stack config. The defaults are those of the components, unless `stackConfig.ts` beside it has others. */
export const CONFIG_KEYS = {
    profile: {
        default: "`rustfs`",
        meaning: "store: `rustfs`, `minio`, or `service` for another that keeps the contract (needs `image`)",
    },
    image: { default: "the profile's", meaning: "image of the store, with an exact version" },
    nodeCount: { default: "1", meaning: "nodes, 1 to 64; fixed for the cluster's life" },
    drivesPerNode: { default: "1", meaning: "drives of each node, 1 to 64; fixed for the cluster's life" },
    drivePaths: {
        default: "none",
        meaning: 'folders of the host that drives stand on, a list for each node: `[["/mnt/a"], ["/mnt/b"]]`',
    },
    volumeNames: {
        default: "none",
        meaning:
            "Docker volumes that are there already and hold the drives, a list for each node; never deleted: [adopting volumes](docs/composition.md#existing-volumes)",
    },
    pools: {
        default: "one",
        meaning:
            "in place of the four above: `[{nodeCount: 4, drivesPerNode: 2}, …]`; a cluster grows by [one more at its end](docs/operations.md#growing-pools)",
    },
    allowDrivesOnOneDevice: {
        default: "false",
        meaning: "lets several drives stand on one device; for development",
    },
    clusterName: {
        default: "project-stack",
        meaning: "prefix of all names on the Docker host; fixed for the cluster's life",
    },
    subnet: { default: "follows from the name", meaning: "IPv4 network between the nodes, /16 to /26" },
    s3Host: { default: "`s3.localhost`", meaning: "public hostname of the S3 API" },
    consoleHost: { default: "`console.localhost`", meaning: "public hostname of the console, another one" },
    httpPort: { default: "80", meaning: "port of the host for HTTP, which is redirected to HTTPS" },
    httpsPort: { default: "443", meaning: "port of the host for HTTPS" },
    publishAddress: {
        default: "`0.0.0.0`",
        meaning: "address of the host that both ports are published on (loopback in the stacks above)",
    },
    publicSubnet: { default: "follows from the name", meaning: "IPv4 network that clients come by, /16 to /29" },
    adminNetworks: {
        default: "none",
        meaning: 'networks that may use the admin API on `s3Host`: `["10.1.0.0/16"]`; 403 for all others',
    },
    consoleNetworks: {
        default: "everybody",
        meaning: "networks that `consoleHost` is open to; 403 for all others",
    },
    hstsMaxAge: {
        default: "not sent",
        meaning:
            "seconds for which browsers use nothing but HTTPS ([begin with few](docs/operations.md#browsers-that-shall-use-nothing-but-https))",
    },
    maxConnectionsPerAddress: {
        default: "a quarter of `openFiles`",
        meaning: "connections, and running requests, that one address may have at once",
    },
    hardStopAfter: {
        default: "86400",
        meaning:
            "seconds from a reload of the proxy, as by a renewed certificate, after which transfers of before it are cut off, 60 to 604800",
    },
    accessLog: {
        default: "`text`",
        meaning:
            "access log of the proxy: `text`, `json` (one object a line with an id of each request) or `errors` (text, of failed requests alone)",
    },
    certificateFile: {
        default: "self-signed",
        meaning: "PEM file, from the project's folder: the chain first, then the private key",
    },
    certificatePem: { default: "none", meaning: "the same, as a secret value: set it with `--secret`", secret: true },
    acme: {
        default: "none",
        meaning:
            "a certificate by ACME, ordered and renewed by itself: `{termsAgreed: true, email: …}`; [all its keys](docs/certificates.md#by-acme)",
    },
    haproxyImage: {
        default: "`haproxy:3.2.26`",
        meaning: "image of HAProxy 3.2 on Debian, with an exact version",
    },
    accessKey: {
        default: "generated",
        meaning: "root access key, from 3 characters: set it with `--secret`",
        secret: true,
    },
    secretKey: {
        default: "generated",
        meaning: "root secret key, from 8 characters: set it with `--secret`",
        secret: true,
    },
    internodeSecret: {
        default: "generated",
        meaning: "secret between nodes, where the store has one of its own: set it with `--secret`",
        secret: true,
    },
    logLevel: {
        default: "`error`",
        meaning: "log level of the store, where it has levels: `error`, `warn`, `info`, `debug`, `trace`",
    },
    environment: { default: "none", meaning: "more environment variables for the store, as a map" },
    secretEnvironment: {
        default: "none",
        meaning: "the same, kept secret, from `docker inspect` too: set it with `--secret`",
        secret: true,
    },
    additionalTrustedCertificatesFile: {
        default: "none",
        meaning: "PEM file of CAs that the store trusts for what it asks of others",
    },
    egress: { default: "false", meaning: "gives the nodes a second network, through which they reach others" },
    memory: { default: "none", meaning: "memory limit of each node, in MiB, from 64; without swap" },
    cpus: { default: "none", meaning: "CPU limit of each node, in CPUs; fractions are allowed" },
    openFiles: {
        default: "20000",
        meaning: "limit of open files of each container; at most what the engine itself may open",
    },
    labels: { default: "none", meaning: "more labels for all containers, as a map" },
    retainData: {
        default: "true",
        meaning: "whether Pulumi refuses to delete data volumes and what opens them",
    },
    restartedAt: { default: "none", meaning: "any text; another one replaces the nodes one by one" },
    drainTimeout: {
        default: "120",
        meaning: "seconds that running requests have to end before their node is replaced, 0 to 3600",
    },
    allowedChanges: {
        default: "none",
        meaning:
            "changes that are refused otherwise, a list of words: [docs/operations.md](docs/operations.md#changes-that-are-refused)",
    },
    readyTimeout: { default: "300", meaning: "seconds that the nodes have to become healthy, 10 to 3600" },
} as const satisfies { [key: string]: KeyDescription };

/** A key of stack config. */
export type ConfigKey = keyof typeof CONFIG_KEYS;

/** What stack config has of the args of ACME, by the path below `acme`; a file's name where these have its content. */
type AcmeConfigKey =
    | Exclude<keyof AcmeArgs, "externalAccountBinding" | "trustedCertificates">
    | `externalAccountBinding.${keyof ExternalAccountBindingArgs}`
    | "trustedCertificatesFile";

/** Every key below `acme`. The defaults are those of {@link AcmeArgs}. */
export const ACME_CONFIG_KEYS: { readonly [Key in AcmeConfigKey]: KeyDescription } = {
    termsAgreed: { default: "must be `true`", meaning: "the CA's terms of service are agreed to" },
    email: { default: "none", meaning: "where the CA may write; another one is another account" },
    directoryUrl: {
        default: "Let's Encrypt",
        meaning: "its directory; in stacks called `dev`, `test`, `staging` … that of Let's Encrypt's staging",
    },
    keyType: { default: "`ec256`", meaning: "`ec256`, `ec384`, `rsa2048`, `rsa3072`, `rsa4096`" },
    "externalAccountBinding.keyId": {
        default: "none",
        meaning: "where the CA has customers of its own: the key's identifier, as it gives it",
    },
    "externalAccountBinding.hmacKey": {
        default: "none",
        meaning: "the key that belongs to it, base64url: set it with `--secret`",
        secret: true,
    },
    trustedCertificatesFile: {
        default: "public CAs",
        meaning: "PEM file that vouches for the directory's server, for a CA of your own",
    },
    image: { default: "`goacme/lego:v4.35.2`", meaning: "the client, lego 4" },
    nameServers: { default: "the host's", meaning: "addresses that the client asks" },
    preflight: {
        default: "true",
        meaning: "whether it is made sure, before an order, that both hostnames lead to this proxy",
    },
    checkInterval: { default: "3600", meaning: "seconds between two looks whether a renewal is due, 1 to 86400" },
    retryInterval: {
        default: "900",
        meaning: "seconds after a failed order, 1 to 86400; doubled with each, up to six hours",
    },
    issueTimeout: { default: "300", meaning: "seconds that an update waits for the certificate, 10 to 3600" },
    reissuedAt: { default: "none", meaning: "any text; another one orders a new certificate" },
};
