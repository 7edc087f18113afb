import type * as docker from "@pulumi/docker";
import type * as pulumi from "@pulumi/pulumi";
import type { StorageNodeArgs } from "../args/storageNodeArgs";
import { allLabels, environmentList, labelList, type Labels } from "../docker/containerArgs";
import { containerBasics, openFilesLimit } from "../docker/containerBasics";
import type { VolumeFiles, VolumeFilesArgs } from "../docker/volumeFiles";
import { CURRENT, LOG_DIRECTORY, SECRETS_PATH, SECRETS_VERSION } from "../naming/containerFiles";
import { writerName } from "../naming/containerNames";
import { LABELS } from "../naming/labels";
import { environmentFile } from "../store/nodeEnvironment";
import { formatFilesFor } from "../store/profiles/all";
import { volumesLabels } from "./driveVolumes";
import { nodeNetworks } from "./networks";
import { startScript } from "./storeProcess";

/**
 * Number of former versions of a node's secrets that are kept. A node's container still uses a former version after several
 * updates in a row were interrupted before they replaced it.
 */
const FORMER_SECRETS_KEPT = 4;

/** Size limit of the log directory. */
const LOG_DIRECTORY_SIZE = "64m";

/** Concatenates the image's certificates and the additional ones into one bundle. */
const MAKE_CA_BUNDLE = "cat /etc/ssl/certs/ca-certificates.crt additional-ca.crt > ca-bundle.crt";

/** A drive's volume, and where the node mounts it. */
export interface DriveMount {
    volumeName: pulumi.Output<string>;
    containerPath: string;
}

/** The parts that a node's container is made of. */
export interface NodeParts {
    driveMounts: DriveMount[];
    secrets: Pick<VolumeFiles, "version" | "volumeName">;
    labels: Labels;
    healthcheck: docker.types.input.ContainerHealthcheck;
    /** Name of the node network. */
    networkName: pulumi.Input<string>;
}

/** Whether a node has peers. */
export function isClustered({ hosts = [] }: StorageNodeArgs): boolean {
    return hosts.length > 1;
}

/** The files that a node reads at its next start, in a volume of their own. They need no turn of the node's yet. */
export function nodeFiles(
    args: StorageNodeArgs,
    { driveMounts, labels }: Pick<NodeParts, "driveMounts" | "labels">,
): Omit<VolumeFilesArgs, "dockerHost" | "writeAfter"> {
    const { place, profile, additionalTrustedCertificates: trusted } = args;
    return {
        volumeName: `${place.name}-secrets`,
        writerName: writerName(place.name),
        image: args.image,
        files: {
            environment: environmentFile(args.secretEnvironment),
            ...(trusted === undefined ? {} : { "additional-ca.crt": trusted }),
        },
        owner: profile.user,
        ownedVolumes: driveMounts,
        formatFiles: formatFilesFor(profile),
        check: trusted === undefined ? undefined : MAKE_CA_BUNDLE,
        labels,
        volumeLabels: volumesLabels(place),
        timeout: args.prepareTimeout ?? 120,
        formerVersions: FORMER_SECRETS_KEPT,
        retain: args.retainData ?? true,
    };
}

/** Args of a node's container, as the Docker provider takes them. Their order counts in the digest of the inputs. */
export function nodeContainer(args: StorageNodeArgs, parts: NodeParts): docker.ContainerArgs {
    const { place, profile } = args;
    return {
        ...containerBasics,
        name: place.name,
        hostname: place.name,
        image: args.image,
        entrypoints: ["/bin/sh", "-c", startScript(profile, isClustered(args)), "store"],
        command: profile.command,
        user: profile.user,
        restart: "unless-stopped",
        // Docker's init process becomes the store's parent, so that the health check can kill a store that hangs.
        init: true,
        readOnly: true,
        capabilities: { drops: ["ALL"] },
        envs: environmentList({
            ...args.environment,
            [SECRETS_VERSION]: parts.secrets.version,
            ...(args.additionalTrustedCertificates === undefined
                ? {}
                : { SSL_CERT_FILE: `${SECRETS_PATH}/${CURRENT}/ca-bundle.crt` }),
        }),
        healthcheck: parts.healthcheck,
        labels: labelList(
            allLabels(parts.labels, {
                [LABELS.secretsVersion]: parts.secrets.version,
                ...(args.alike === undefined ? {} : { [LABELS.alike]: args.alike }),
                ...(args.restartedAt === undefined ? {} : { [LABELS.restartedAt]: args.restartedAt }),
            }),
        ),
        volumes: [
            ...parts.driveMounts,
            { volumeName: parts.secrets.volumeName, containerPath: SECRETS_PATH, readOnly: true },
        ],
        tmpfs: {
            // A tmpfs on /data itself: an image that declares /data as a volume would otherwise leave an anonymous volume
            // behind.
            "/data": `size=1m,mode=0700,${ownerOptions(profile.user)}`,
            "/tmp": "size=64m,mode=1777",
            [LOG_DIRECTORY]: `size=${LOG_DIRECTORY_SIZE},mode=0700,${ownerOptions(profile.user)}`,
        },
        networksAdvanced: nodeNetworks(place, parts.networkName, args.egressNetworkName),
        hosts: args.hosts ?? [],
        // Connecting to a peer that is gone fails after 3 s, before the proxy's check of 5 s ends. The kernel's default takes
        // minutes.
        sysctls: { "net.ipv4.tcp_syn_retries": "1" },
        ulimits: openFilesLimit(args.openFiles),
        memory: args.memory,
        // Without this, Docker would allow the same amount of swap in addition, and the provider would report that as a
        // change.
        memorySwap: args.memory,
        cpus: args.cpus === undefined ? undefined : decimal(args.cpus),
    };
}

/** Formats a number as the Docker provider reads it back, always with a decimal point: `1.0`. */
function decimal(value: number): string {
    return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function ownerOptions(user: string): string {
    const [uid, gid] = user.split(":");
    return `uid=${uid},gid=${gid}`;
}
