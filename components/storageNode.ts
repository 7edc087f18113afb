import { boundTo } from "./node/driveVolumes";
import type { NodeTurn, StorageNodeArgs } from "./args/storageNodeArgs";
import { nodeNetworks } from "./node/networks";
import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { awaitedByProgram, outputsAwaitedByProgram } from "./pulumi/awaitedByProgram";
import { isIPv4 } from "node:net";
import { DAEMON_SETTINGS } from "./docker/containerBasics";
import { allLabels, inputsDigest, labelList, replacedOnAnyChange } from "./docker/containerArgs";
import { inExistingForm } from "./docker/containerForms";
import { dataHolderOf, setDataHolder } from "./docker/dataHolder";
import { dockerHostOf, type DockerHost } from "./docker/providerHost";
import { checkImage } from "./checks/imageChecks";
import { checkContainerLimits } from "./args/containerLimits";
import { LABELS } from "./naming/labels";
import { isAway, knownContainers, plannedNetworkOf } from "./settings/context";
import { under, type Problem } from "./checks/problem";
import { componentError, refuse } from "./checks/refusal";
import { checkServiceProfile } from "./store/serviceProfile";
import { nodeHealthchecks } from "./node/healthcheck";
import { isClustered, nodeContainer, nodeFiles, type NodeParts } from "./node/nodeContainer";
import type { DrivePlace } from "./store/topology";
import { VolumeFiles } from "./docker/volumeFiles";

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
        const labels = allLabels(args.labels, {
            [LABELS.cluster]: args.clusterName,
            [LABELS.node]: args.place.name,
            [LABELS.stack]: args.stackName ?? `${pulumi.getProject()}/${pulumi.getStack()}`,
        });
        const volumeOptions = { dependsOn, protect: args.retainData ?? true };
        const driveMounts = args.place.drives.map((drive, index) => ({
            volumeName: this.volumeOf(`${name}-drive${index + 1}`, drive, volumeOptions),
            containerPath: drive.mountPath,
        }));
        let grant: (turn: pulumi.Input<pulumi.Resource[]>) => void = () => undefined;
        const toPrepare = new Promise<pulumi.Input<pulumi.Resource[]>>((resolve) => (grant = resolve));
        const secrets = new VolumeFiles(
            `${name}-secrets`,
            {
                ...nodeFiles(args, { driveMounts, labels }),
                dockerHost,
                writeAfter: pulumi.output(toPrepare),
                away: isAway(opts),
            },
            { parent: this, dependsOn },
        );
        setDataHolder(this, dataHolderOf(secrets));
        const planned = this.inExistingForm(
            args,
            { driveMounts, secrets, labels, networkName: plannedNetworkOf(opts) ?? args.networkName },
            dockerHost,
            opts,
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

    /** The args of the container in the form of the existing one, if nothing else about it changes. */
    private inExistingForm(
        args: StorageNodeArgs,
        parts: Omit<NodeParts, "healthcheck">,
        dockerHost: pulumi.Output<DockerHost>,
        opts?: pulumi.ComponentResourceOptions,
    ): docker.ContainerArgs {
        const known = awaitedByProgram(
            dockerHost.apply((settings) =>
                knownContainers(args.place.host, settings, opts).catch((error: unknown) => {
                    throw componentError(this, error);
                }),
            ),
        );
        const startInterval = known.apply((containers) => containers.startInterval);
        const [healthcheck, ...earlier] = nodeHealthchecks(args.profile, isClustered(args), startInterval);
        const newest = nodeContainer(args, { ...parts, healthcheck });
        return inExistingForm(
            [newest, ...earlier.map((form) => ({ ...newest, healthcheck: form }))],
            known.apply((containers) => containers.inputs[args.place.name]),
        );
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
