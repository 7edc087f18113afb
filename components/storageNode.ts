import { boundTo, volumesLabels } from "./node/driveVolumes";
import type { NodeTurn, StorageNodeArgs } from "./args/storageNodeArgs";
import { nodeNetworks } from "./node/networks";
import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { awaitedByProgram, outputsAwaitedByProgram } from "./pulumi/awaitedByProgram";
import { isIPv4 } from "node:net";
import { containerBasics, DAEMON_SETTINGS, openFilesLimit } from "./docker/containerBasics";
import { allLabels, environmentList, inputsDigest, labelList, replacedOnAnyChange } from "./docker/containerArgs";
import { CURRENT, LOG_DIRECTORY, SECRETS_PATH, SECRETS_VERSION } from "./naming/containerFiles";
import { inExistingForm } from "./docker/containerForms";
import { dataHolderOf, setDataHolder } from "./docker/dataHolder";
import { dockerHostOf } from "./docker/providerHost";
import { checkImage } from "./checks/imageChecks";
import { checkContainerLimits } from "./args/containerLimits";
import { writerName } from "./naming/containerNames";
import { LABELS } from "./naming/labels";
import { isAway, knownContainers, plannedNetworkOf } from "./settings/context";
import { environmentFile } from "./store/nodeEnvironment";
import { under, type Problem } from "./checks/problem";
import { componentError, refuse } from "./checks/refusal";
import { formatFilesFor } from "./store/profiles/all";
import { checkServiceProfile } from "./store/serviceProfile";
import { nodeHealthchecks } from "./node/healthcheck";
import { startScript } from "./node/storeProcess";
import type { DrivePlace } from "./store/topology";
import { VolumeFiles } from "./docker/volumeFiles";

/**
 * Number of former versions of a node's secrets that are kept. A node's container still uses a former version after several
 * updates in a row were interrupted before they replaced it.
 */
const FORMER_SECRETS_KEPT = 4;

/** Size limit of the log directory. */
const LOG_DIRECTORY_SIZE = "64m";

/**
 * One node of a store: a named volume per drive, and a health-checked container on the internal network (service contract,
 * section 1). It publishes no host port.
 *
 * The container runs as the profile's user, without capabilities, on a read-only root file system. Only its drives, `/tmp`
 * and the log directory are writable.
 *
 * @throws {pulumi.InputPropertiesError} before anything is created; it lists all problems of the args.
 */
export class StorageNode extends pulumi.ComponentResource {
    /** Name of the container, and of the node on the node network. */
    readonly nodeName: pulumi.Output<string>;
    /** Id of the container. It changes with each replacement. */
    readonly containerId: pulumi.Output<string>;
    /** Names of the drives' volumes. */
    readonly volumeNames: pulumi.Output<string[]>;

    /**
     * @param takeTurn Called before the node's files and container are created or replaced. Default: they wait for nothing.
     */
    constructor(
        name: string,
        args: StorageNodeArgs,
        opts?: pulumi.ComponentResourceOptions,
        takeTurn: NodeTurn = () => ({ prepare: [], replace: [] }),
    ) {
        super("docker-object-store:index:StorageNode", name, {}, opts);
        outputsAwaitedByProgram(this);
        refuse("StorageNode", checkStorageNode(args));
        const dependsOn = opts?.dependsOn;
        const dockerHost = dockerHostOf(this, args.dockerHost);
        const clustered = (args.hosts ?? []).length > 1;
        const labels = allLabels(args.labels, {
            [LABELS.cluster]: args.clusterName,
            [LABELS.node]: args.place.name,
            [LABELS.stack]: args.stackName ?? `${pulumi.getProject()}/${pulumi.getStack()}`,
        });
        const driveMounts = args.place.drives.map((drive, index) => ({
            volumeName: this.volumeOf(`${name}-drive${index + 1}`, drive, {
                dependsOn,
                protect: args.retainData ?? true,
            }),
            containerPath: drive.mountPath,
        }));
        let grant: (turn: pulumi.Input<pulumi.Resource[]>) => void = () => undefined;
        const toPrepare = new Promise<pulumi.Input<pulumi.Resource[]>>((resolve) => (grant = resolve));
        const secrets = new VolumeFiles(
            `${name}-secrets`,
            {
                volumeName: `${args.place.name}-secrets`,
                writerName: writerName(args.place.name),
                image: args.image,
                files: {
                    environment: environmentFile(args.secretEnvironment),
                    ...(args.additionalTrustedCertificates === undefined
                        ? {}
                        : { "additional-ca.crt": args.additionalTrustedCertificates }),
                },
                owner: args.profile.user,
                ownedVolumes: driveMounts,
                formatFiles: formatFilesFor(args.profile),
                check: args.additionalTrustedCertificates === undefined ? undefined : MAKE_CA_BUNDLE,
                labels,
                volumeLabels: volumesLabels(args.place),
                dockerHost,
                timeout: args.prepareTimeout ?? 120,
                writeAfter: pulumi.output(toPrepare),
                formerVersions: FORMER_SECRETS_KEPT,
                retain: args.retainData ?? true,
                away: isAway(opts),
            },
            { parent: this, dependsOn },
        );
        setDataHolder(this, dataHolderOf(secrets));
        const known = awaitedByProgram(
            dockerHost.apply((settings) =>
                knownContainers(args.place.host, settings, opts).catch((error: unknown) => {
                    throw componentError(this, error);
                }),
            ),
        );
        const [healthcheck, ...earlier] = nodeHealthchecks(
            args.profile,
            clustered,
            known.apply(({ startInterval }) => startInterval),
        );
        const newest: docker.ContainerArgs = {
            ...containerBasics,
            name: args.place.name,
            hostname: args.place.name,
            image: args.image,
            entrypoints: ["/bin/sh", "-c", startScript(args.profile, clustered), "store"],
            command: args.profile.command,
            user: args.profile.user,
            restart: "unless-stopped",
            // Docker's init process becomes the store's parent, so that the health check can kill a store that hangs.
            init: true,
            readOnly: true,
            capabilities: { drops: ["ALL"] },
            envs: environmentList({
                ...args.environment,
                [SECRETS_VERSION]: secrets.version,
                ...(args.additionalTrustedCertificates === undefined
                    ? {}
                    : { SSL_CERT_FILE: `${SECRETS_PATH}/${CURRENT}/ca-bundle.crt` }),
            }),
            healthcheck,
            labels: labelList(
                allLabels(labels, {
                    [LABELS.secretsVersion]: secrets.version,
                    ...(args.alike === undefined ? {} : { [LABELS.alike]: args.alike }),
                    ...(args.restartedAt === undefined ? {} : { [LABELS.restartedAt]: args.restartedAt }),
                }),
            ),
            volumes: [...driveMounts, { volumeName: secrets.volumeName, containerPath: SECRETS_PATH, readOnly: true }],
            tmpfs: {
                // A tmpfs on /data itself: an image that declares /data as a volume would otherwise leave an anonymous
                // volume behind.
                "/data": `size=1m,mode=0700,${ownerOptions(args.profile.user)}`,
                "/tmp": "size=64m,mode=1777",
                [LOG_DIRECTORY]: `size=${LOG_DIRECTORY_SIZE},mode=0700,${ownerOptions(args.profile.user)}`,
            },
            networksAdvanced: nodeNetworks(
                args.place,
                plannedNetworkOf(opts) ?? args.networkName,
                args.egressNetworkName,
            ),
            hosts: args.hosts ?? [],
            // Connecting to a peer that is gone fails after 3 s, before the proxy's check of 5 s ends. The kernel's default
            // takes minutes.
            sysctls: { "net.ipv4.tcp_syn_retries": "1" },
            ulimits: openFilesLimit(args.openFiles),
            memory: args.memory,
            // Without this, Docker would allow the same amount of swap in addition, and the provider would report that as a
            // change.
            memorySwap: args.memory,
            cpus: args.cpus === undefined ? undefined : decimal(args.cpus),
        };
        const planned = inExistingForm(
            [newest, ...earlier.map((healthcheck) => ({ ...newest, healthcheck }))],
            known.apply((containers) => containers.inputs[args.place.name]),
        );
        const networksAdvanced = nodeNetworks(args.place, args.networkName, args.egressNetworkName);
        const desired = { ...planned, networksAdvanced };
        const { prepare, replace } = takeTurn(inputsDigest(planned), planned, secrets.written);
        grant(prepare);
        const container = new docker.Container(name, replacedOnAnyChange(desired), {
            parent: this,
            dependsOn: pulumi.all([secrets.written, replace]).apply(([written, turn]) => [...written, ...turn]),
            deleteBeforeReplace: true,
            ignoreChanges: DAEMON_SETTINGS,
        });
        this.nodeName = pulumi.output(args.place.name);
        this.containerId = container.id;
        this.volumeNames = pulumi.all(driveMounts.map(({ volumeName }) => volumeName));
        this.registerOutputs({
            nodeName: this.nodeName,
            containerId: this.containerId,
            volumeNames: this.volumeNames,
        });
    }

    /** The name of a drive's volume. The volume is created unless it exists already. */
    private volumeOf(
        name: string,
        { existing, volumeName, labels, hostPath }: DrivePlace,
        opts: pulumi.CustomResourceOptions,
    ): pulumi.Output<string> {
        if (existing === true) {
            return pulumi.output(volumeName);
        }
        const bound = hostPath === undefined ? {} : boundTo(hostPath);
        const args = { name: volumeName, labels: labelList(labels), ...bound };
        return new docker.Volume(name, args, { ...opts, parent: this, ignoreChanges: ["labels"] }).name;
    }
}

/** Every problem of a node's args that can be found without querying the engine. */
function checkStorageNode(args: StorageNodeArgs): Problem[] {
    const { place, memory, cpus, openFiles } = args;
    return [
        ...under("profile", checkServiceProfile(args.profile)),
        ...(isIPv4(place.address)
            ? []
            : [
                  {
                      propertyPath: "place.address",
                      reason: `"${place.address}" is not an IPv4 address: give one of the node network, such as 10.200.7.2`,
                  },
              ]),
        ...(place.drives.length > 0
            ? []
            : [{ propertyPath: "place.drives", reason: "is empty: a node without a drive would lose what it stores" }]),
        ...place.drives.flatMap(({ mountPath }, drive) =>
            mountPath.startsWith("/data/")
                ? []
                : [
                      {
                          propertyPath: `place.drives[${drive}].mountPath`,
                          reason: `"${mountPath}" is not below /data: give one such as /data/drive${drive + 1}`,
                      },
                  ],
        ),
        ...(typeof args.image === "string" ? checkImage("image", args.image) : []),
        ...checkContainerLimits({ memory, cpus, openFiles }),
    ];
}

/** Concatenates the image's certificates and the additional ones into one bundle. */
const MAKE_CA_BUNDLE = "cat /etc/ssl/certs/ca-certificates.crt additional-ca.crt > ca-bundle.crt";

/** Formats a number as the Docker provider reads it back, always with a decimal point: `1.0`. */
function decimal(value: number): string {
    return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function ownerOptions(user: string): string {
    const [uid, gid] = user.split(":");
    return `uid=${uid},gid=${gid}`;
}
