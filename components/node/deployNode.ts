import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { StorageNodeArgs } from "../args/storageNodeArgs";
import { allLabels, inputsDigest, labelList, replacedOnAnyChange } from "../docker/containerArgs";
import { DAEMON_SETTINGS } from "../docker/containerBasics";
import { inExistingForm } from "../docker/containerForms";
import type { Host } from "../docker/hosts";
import { VolumeFiles } from "../docker/volumeFiles";
import { LABELS } from "../naming/labels";
import { awaitedByProgram, outputsAwaitedByProgram } from "../pulumi/awaitedByProgram";
import type { Gate } from "../pulumi/gate";
import type { EngineCache } from "../requirements/engineCache";
import { resourcesOn } from "../settings/context";
import type { DriveSpec } from "../store/topology";
import { boundTo } from "./driveVolumes";
import { nodeHealthchecks } from "./healthcheck";
import { nodeNetworks } from "./networks";
import { isClustered, nodeContainer, nodeFiles, type NodeParts } from "./nodeContainer";

/** Type of a node's component. */
export const NODE_TYPE = "docker-object-store:index:StorageNode";

/** What a node gets from its cluster. */
export interface NodeContext {
    host: Host;
    engines: EngineCache;
    allowed: pulumi.Output<pulumi.Resource[]>;
    /**
     * Name of the node network, known before it exists or is replaced: what is asked about the node's container doesn't wait for the
     * network. Default: that in the args.
     */
    plannedNetworkName?: string;
    /** The gates at which its files and its container wait. Default: they are open. */
    gates?: { prepare: Gate; replace: Gate };
}

/** The outputs of a node. */
export interface NodeOutputs {
    nodeName: pulumi.Output<string>;
    containerId: pulumi.Output<string>;
    volumeNames: pulumi.Output<string[]>;
}

/** A node, and what its cluster needs of it. */
export interface DeployedNode {
    outputs: NodeOutputs;
    /** Digest of its container's inputs. */
    inputs: pulumi.Output<string>;
    /** These inputs, with the planned network, which may not exist yet. */
    planned: docker.ContainerArgs;
    /** Known once its files are written. */
    prepared: pulumi.Output<unknown>;
    /** The resource that is deleted only together with the node's data: the volume with its secrets. */
    deletedWithData: pulumi.Resource;
}

/** A node of a cluster: its args are valid, and its engine was asked. */
export class ClusterNode extends pulumi.ComponentResource {
    readonly deployed: DeployedNode;

    constructor(name: string, args: StorageNodeArgs, context: NodeContext, parent: pulumi.Resource) {
        super(NODE_TYPE, name, {}, { parent, dependsOn: context.allowed, ...resourcesOn(context.host) });
        this.deployed = deployNode(this, name, args, context);
        outputsAwaitedByProgram(this.deployed.outputs);
        this.registerOutputs(this.deployed.outputs);
    }
}

/** Creates a node's resources. */
export function deployNode(
    component: pulumi.ComponentResource,
    name: string,
    args: StorageNodeArgs,
    context: NodeContext,
): DeployedNode {
    const { host, allowed, gates } = context;
    const labels = allLabels(args.labels, {
        [LABELS.cluster]: args.clusterName,
        [LABELS.node]: args.place.name,
        [LABELS.stack]: args.stackName ?? `${pulumi.getProject()}/${pulumi.getStack()}`,
    });
    const volumeOptions = { parent: component, dependsOn: allowed, protect: args.retainData ?? true };
    const driveMounts = args.place.drives.map((drive, index) => ({
        volumeName: volumeOf(`${name}-drive${index + 1}`, drive, volumeOptions),
        containerPath: drive.mountPath,
    }));
    const secrets = new VolumeFiles(
        `${name}-secrets`,
        {
            ...nodeFiles(args, { driveMounts, labels }),
            dockerHost: host.dockerHost,
            writeAfter: gates?.prepare.opened,
            away: host.away,
        },
        { parent: component, dependsOn: allowed },
    );
    const { plannedNetworkName: networkName = args.networkName } = context;
    const planned = inFormOfExisting(args, { driveMounts, secrets, labels, networkName }, context);
    const networksAdvanced = nodeNetworks(args.place, args.networkName, args.egressNetworkName);
    const container = new docker.Container(name, replacedOnAnyChange({ ...planned, networksAdvanced }), {
        parent: component,
        dependsOn: pulumi.all([secrets.written, gates?.replace.opened]).apply(([written]) => written),
        deleteBeforeReplace: true,
        ignoreChanges: DAEMON_SETTINGS,
    });
    const outputs = {
        nodeName: pulumi.output(args.place.name),
        containerId: container.id,
        volumeNames: pulumi.all(driveMounts.map(({ volumeName }) => volumeName)),
    };
    const inputs = inputsDigest(planned);
    return { outputs, inputs, planned, prepared: secrets.written, deletedWithData: secrets.volume };
}

/** The args of the container in the form of the existing one, if nothing else about it changes. */
function inFormOfExisting(
    args: StorageNodeArgs,
    parts: Omit<NodeParts, "healthcheck">,
    { host, engines }: NodeContext,
): docker.ContainerArgs {
    const known = awaitedByProgram(engines.dockerHosts.apply(() => engines.knownContainers(host.name)));
    const startInterval = known.apply((containers) => containers.startInterval);
    const [healthcheck, ...earlier] = nodeHealthchecks(args.profile, isClustered(args), startInterval);
    const newest = nodeContainer(args, { ...parts, healthcheck });
    return inExistingForm(
        [newest, ...earlier.map((form) => ({ ...newest, healthcheck: form }))],
        known.apply((containers) => containers.inputs[args.place.name]),
    );
}

/** The name of a drive's volume. The volume is created unless it exists already. */
function volumeOf(
    name: string,
    { existing, volumeName, labels, hostPath }: DriveSpec,
    opts: pulumi.CustomResourceOptions,
): pulumi.Output<string> {
    if (existing === true) {
        return pulumi.output(volumeName);
    }
    const bound = hostPath === undefined ? {} : boundTo(hostPath);
    const args = { name: volumeName, labels: labelList(labels), ...bound };
    return new docker.Volume(name, args, { ...opts, ignoreChanges: ["labels"] }).name;
}
