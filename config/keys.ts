import type { AcmeArgs, DnsChallengeArgs, ExternalAccountBindingArgs } from "../components";
import { ADDITIONAL_STORE } from "./keyShapes";

/** The documentation of a key. Both texts are Markdown. */
export interface KeyDescription {
    /** The value that is used if the key isn't set, or a note that it is required. */
    default: string;
    /** What the key does, its unit and its allowed values. Link paths are relative to the project's folder. */
    meaning: string;
    /** Whether its value must not appear in a plain file, in state or in a message. Default: false. */
    secret?: true;
}

/** Every key of stack config. The defaults are those of the components, unless `stackConfig.ts` sets others. */
export const CONFIG_KEYS = {
    profile: {
        default: "`rustfs`",
        meaning:
            "store: `rustfs`, `minio`, or `service` for another store that keeps [the contract](docs/reference/contract.md) (needs `image`)",
    },
    image: { default: "the profile's", meaning: "image of the store, with an exact version" },
    nodeCount: { default: "1", meaning: "number of nodes, 1 to 64; can't be changed later" },
    drivesPerNode: { default: "1", meaning: "drives per node, 1 to 64; can't be changed later" },
    drivePaths: {
        default: "none",
        meaning: 'folders of the host for the drives, one list per node: `[["/mnt/a"], ["/mnt/b"]]`',
    },
    volumeNames: {
        default: "none",
        meaning:
            "existing Docker volumes for the drives, one list per node; never deleted: [existing volumes](docs/how-to/combine-components.md#existing-volumes)",
    },
    pools: {
        default: "one",
        meaning:
            "replaces `nodeCount`, `drivesPerNode`, `drivePaths` and `volumeNames`: `[{nodeCount: 4, drivesPerNode: 2}, …]`; add a pool at the end [to grow the cluster](docs/how-to/grow.md)",
    },
    allowDrivesOnOneDevice: {
        default: "false",
        meaning: "allows several drives on one device; for development",
    },
    clusterName: {
        default: "project-stack",
        meaning: "prefix of all names on the Docker host; can't be changed later",
    },
    subnet: { default: "derived from `clusterName`", meaning: "IPv4 subnet of the node network, /16 to /26" },
    s3Host: { default: "`s3.localhost`", meaning: "public hostname of the S3 API" },
    consoleHost: {
        default: "`console.localhost`",
        meaning: "public hostname of the console; must differ from `s3Host`",
    },
    virtualHostBuckets: {
        default: "false",
        meaning:
            "whether clients may name a bucket in the hostname too: `BUCKET.s3Host`; [what it needs](docs/how-to/clients.md#buckets-in-hostnames)",
    },
    httpPort: { default: "80", meaning: "host port for HTTP, which redirects to HTTPS" },
    httpsPort: { default: "443", meaning: "host port for HTTPS" },
    publishAddress: {
        default: "`0.0.0.0`",
        meaning: "host address on which both ports are published (`127.0.0.1` in the stack files of this repository)",
    },
    publicSubnet: {
        default: "derived from `clusterName`",
        meaning: "IPv4 subnet of the proxy's public network, /16 to /29",
    },
    publicIpv6Subnet: {
        default: "none",
        meaning:
            "IPv6 subnet of the proxy's public network, as `fd12:3456:789a::/64`: publishes both ports by [IPv6](docs/how-to/restrict-access.md#ipv6) too",
    },
    publishIpv6Address: {
        default: "`::`, or `::1`",
        meaning: "host address on which both ports are published by IPv6, if `publicIpv6Subnet` is set",
    },
    adminNetworks: {
        default: "none",
        meaning: 'networks that may use the admin API on `s3Host`, as `["10.1.0.0/16"]`; others get 403',
    },
    consoleNetworks: {
        default: "everybody",
        meaning: "networks that may use `consoleHost`; others get 403",
    },
    trustedProxies: {
        default: "none",
        meaning:
            'networks of [load balancers and proxies in front](docs/how-to/behind-a-proxy.md), as `["10.3.0.0/24"]`: their `X-Forwarded-For` counts',
    },
    proxyProtocol: {
        default: "none",
        meaning:
            "`required`: each connection begins with a PROXY protocol header, and only `trustedProxies` may connect",
    },
    move: {
        default: "none",
        meaning: "the move of clients to another store; `npm run move` sets it: [moving](docs/how-to/move.md)",
    },
    hstsMaxAge: {
        default: "not sent",
        meaning: "HSTS max-age in seconds ([start low](docs/how-to/restrict-access.md#hsts))",
    },
    maxConnectionsPerAddress: {
        default: "an eighth of `openFiles`",
        meaning: "maximum of connections, and of running requests, per client address",
    },
    hardStopAfter: {
        default: "86400",
        meaning:
            "seconds after a reload of the proxy (a renewed certificate causes one) until transfers that began before it are cut off, 60 to 604800",
    },
    accessLog: {
        default: "`text`",
        meaning:
            "access log of the proxy: `text`, `json` (one object per line, with a request id) or `errors` (text, failed requests only)",
    },
    certificateFile: {
        default: "self-signed",
        meaning: "PEM file, relative to the project's folder: certificate chain first, then private key",
    },
    certificatePem: {
        default: "none",
        meaning: "the content of such a file as a secret value; set it with `--secret`",
        secret: true,
    },
    acme: {
        default: "none",
        meaning:
            "certificate by ACME, ordered and renewed automatically: `{termsAgreed: true, email: …}`; [all its keys](docs/reference/configuration.md#keys-below-acme)",
    },
    hosts: {
        default: "one host",
        meaning:
            'Docker hosts that the nodes are spread over: `[{name: a, dockerHost: "ssh://ops@10.0.0.1", address: 10.0.0.1}, …]`; [several hosts](docs/start/several-hosts.md); can\'t be changed later',
    },
    frontEndHosts: {
        default: "all; required with more than 6",
        meaning: "names of the hosts that publish the ports",
    },
    watchdog: {
        default: "true",
        meaning:
            "whether each host gets a container that starts what Docker doesn't start by itself, after the swarm had no quorum or the Docker daemon was killed; it mounts Docker's socket; needs `hosts`",
    },
    floatingAddress: {
        default: "none",
        meaning:
            "address that is always on a host whose proxy serves: `{address: 10.0.0.100, image: …}`; [what it needs](docs/how-to/floating-address.md)",
    },
    unreachableHosts: {
        default: "none",
        meaning: "names of hosts that are down: an update leaves them as they are, and replaces no node",
    },
    unencryptedOverlay: {
        default: "false",
        meaning: "allows unencrypted data between the hosts; can't be changed later",
    },
    allowSinglePointOfFailure: {
        default: "false",
        meaning: "allows a layout that doesn't read and write while any one host is away",
    },
    haproxyImage: {
        default: "`haproxy:3.2.26`",
        meaning: "image of HAProxy 3.2 on Debian, with an exact version",
    },
    accessKey: {
        default: "generated",
        meaning: "root access key, at least 3 characters; set it with `--secret`",
        secret: true,
    },
    secretKey: {
        default: "generated",
        meaning: "root secret key, at least 8 characters; set it with `--secret`",
        secret: true,
    },
    internodeSecret: {
        default: "generated",
        meaning: "shared secret of the nodes, except on MinIO; set it with `--secret`",
        secret: true,
    },
    logLevel: {
        default: "`error`",
        meaning: "log level of the store, except MinIO: `error`, `warn`, `info`, `debug`, `trace`",
    },
    environment: { default: "none", meaning: "additional environment variables of the store, as a map" },
    secretEnvironment: {
        default: "none",
        meaning: "additional variables with secret values, which `docker inspect` doesn't show; set it with `--secret`",
        secret: true,
    },
    additionalTrustedCertificatesFile: {
        default: "none",
        meaning: "PEM file of CAs that the store trusts for its outgoing connections",
    },
    egress: { default: "false", meaning: "gives the nodes outbound access, by a second network" },
    memory: { default: "none", meaning: "memory limit per node in MiB, at least 64; no swap" },
    cpus: { default: "none", meaning: "CPU limit per node, as `1.5`" },
    openFiles: {
        default: "20000",
        meaning: "limit of open files per container; at most the Docker daemon's own limit",
    },
    labels: { default: "none", meaning: "additional labels of all containers, as a map" },
    retainData: {
        default: "true",
        meaning: "whether Pulumi refuses to delete data volumes and their credentials",
    },
    restartedAt: { default: "none", meaning: "any string; a change triggers a rolling restart" },
    drainTimeout: {
        default: "120",
        meaning: "seconds that running requests get to finish before their node is replaced, 0 to 3600",
    },
    allowedChanges: {
        default: "none",
        meaning:
            "permissions for changes that are refused otherwise, a list: [refused changes](docs/troubleshooting/refused-changes.md)",
    },
    buckets: {
        default: "none",
        meaning:
            "buckets, a map of names to settings: `{photos: {versioning: true}}`; [all settings](docs/reference/Bucket.md#inputs)",
    },
    policies: {
        default: "none",
        meaning:
            'policies for access keys, a map of names: `{reports: {read: ["photos/reports/"]}}`; [how to](docs/how-to/buckets-and-keys.md)',
    },
    accessKeys: {
        default: "none",
        meaning:
            'access keys for applications, a map of names: `{app: {readWrite: ["photos"]}}`; [how to](docs/how-to/buckets-and-keys.md)',
    },
    clientImage: {
        default: "`minio/mc:RELEASE.2025-08-13T08-35-41Z`",
        meaning: "image of MinIO's client, by which buckets, policies and access keys are made",
    },
    readyTimeout: { default: "300", meaning: "seconds that nodes get to become healthy, 10 to 3600" },
    additionalStores: {
        default: "none",
        meaning:
            "further stores behind the same proxy, each with its own hostnames: `[{name: media, s3Host: …, consoleHost: …}, …]`; [all its keys](docs/reference/configuration.md#keys-of-additional-stores)",
    },
} as const satisfies { [key: string]: KeyDescription };

/** A key of stack config. */
export type ConfigKey = keyof typeof CONFIG_KEYS;

/** The keys of each of the `additionalStores` that differ from the keys of the same name, or have no such. */
export const ADDITIONAL_STORE_KEYS = {
    name: {
        default: "required",
        meaning:
            "name of the store: lower-case letters, digits and hyphens; its names on the Docker host begin with `clusterName` and this one, 40 characters at most together; can't be changed later",
    },
    s3Host: { default: "required", meaning: "public hostname of its S3 API" },
    consoleHost: { default: "required", meaning: "public hostname of its console" },
    retainData: {
        default: "that of the stack",
        meaning: "whether Pulumi refuses to delete the store's data volumes and their credentials",
    },
} as const satisfies { [Key in keyof (typeof ADDITIONAL_STORE)["map"]]?: KeyDescription };

/** The keys of each of the `additionalStores` that mean what the key of the same name means for the stack's own store. */
export const SAME_IN_ADDITIONAL_STORES = Object.keys(ADDITIONAL_STORE.map).filter(
    (key): key is Exclude<keyof (typeof ADDITIONAL_STORE)["map"], keyof typeof ADDITIONAL_STORE_KEYS> =>
        !Object.hasOwn(ADDITIONAL_STORE_KEYS, key),
) satisfies ConfigKey[];

/**
 * The args of ACME that stack config has, by the path below `acme`. For an arg with a file's content, stack config has the
 * file's name.
 */
type AcmeConfigKey =
    | Exclude<keyof AcmeArgs, "externalAccountBinding" | "dns" | "trustedCertificates">
    | `externalAccountBinding.${keyof ExternalAccountBindingArgs}`
    | `dns.${keyof DnsChallengeArgs}`
    | "trustedCertificatesFile";

/** Every key below `acme`. The defaults are those of {@link AcmeArgs}. */
export const ACME_CONFIG_KEYS: { readonly [Key in AcmeConfigKey]: KeyDescription } = {
    termsAgreed: { default: "must be `true`", meaning: "whether you agree to the CA's terms of service" },
    email: { default: "none", meaning: "contact address for the CA; a change uses another ACME account" },
    directoryUrl: {
        default: "Let's Encrypt",
        meaning:
            "URL of the CA's ACME directory; stacks named `dev`, `test`, `staging` … default to Let's Encrypt's staging environment",
    },
    keyType: { default: "`ec256`", meaning: "`ec256`, `ec384`, `rsa2048`, `rsa3072`, `rsa4096`" },
    "externalAccountBinding.keyId": {
        default: "none",
        meaning: "for a CA that requires external account binding: the key identifier that it issues",
    },
    "externalAccountBinding.hmacKey": {
        default: "none",
        meaning: "the key that belongs to it, base64url: set it with `--secret`",
        secret: true,
    },
    "dns.provider": {
        default: "none: HTTP-01",
        meaning:
            "[DNS-01](docs/how-to/certificates.md#by-dns-01): lego's code of the DNS provider of the hostnames' zones, such as `route53`",
    },
    "dns.environment": { default: "none", meaning: "variables that the provider needs, by lego's names" },
    "dns.secretEnvironment": {
        default: "none",
        meaning: "variables with the provider's credentials, by lego's names: set it with `--secret`",
        secret: true,
    },
    "dns.propagationWait": {
        default: "none",
        meaning:
            "seconds from the creation of the TXT records until the CA is asked, 1 to 3600, in place of checking the zone's name servers",
    },
    trustedCertificatesFile: {
        default: "public CAs",
        meaning: "PEM file of the CA certificate for the directory's own TLS, for a private CA",
    },
    image: { default: "`goacme/lego:v4.35.2`", meaning: "image of the ACME client, lego 4" },
    nameServers: { default: "the host's", meaning: "DNS servers that the client uses" },
    preflight: {
        default: "true",
        meaning: "whether it is checked before an order that both hostnames resolve to this proxy; not with `dns`",
    },
    checkInterval: { default: "3600", meaning: "seconds between checks whether a renewal is due, 1 to 86400" },
    retryInterval: {
        default: "900",
        meaning: "seconds until the retry of a failed order, 1 to 86400; doubles with each failure, up to six hours",
    },
    issueTimeout: { default: "300", meaning: "seconds that an update waits for the certificate, 10 to 3600" },
    reissuedAt: { default: "none", meaning: "any string of one line; a change orders a new certificate" },
};
