import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { Host } from "../docker/hosts";
import { connectEngine } from "../docker/connectEngine";
import { remoteImage } from "../docker/remoteImage";
import { LABELS } from "../naming/labels";
import { ContainerProbe } from "../requirements/containerTrialStart";
import { resourcesOn } from "../settings/context";
import { egressNetwork } from "./networks";
import type { StorageClusterSettings } from "../settings/clusterSettings";
import type { NodeSpec } from "../store/topology";

/** One host of a cluster, and what all nodes on it share. */
export interface ClusterHost {
    host: Host;
    /** Options of resources on this host. */
    options: pulumi.CustomResourceOptions;
    image: docker.RemoteImage;
    /** Network for outgoing connections. Undefined without `egress`. */
    egress: docker.Network | undefined;
    /** Tests whether the host's engine accepts the containers of its nodes. */
    probe: ContainerProbe;
}

/** The hosts of a cluster, in their order; at least one. */
export class ClusterHosts {
    private readonly all: readonly ClusterHost[];
    /** The store's images, one for each host. */
    readonly images: docker.RemoteImage[];
    private readonly byName: ReadonlyMap<string | undefined, ClusterHost>;

    /** The host from which the node network is created. */
    readonly first: ClusterHost;

    /** @param opts Options of all resources, without a provider. */
    constructor(
        name: string,
        settings: StorageClusterSettings,
        hosts: readonly Host[],
        opts: pulumi.CustomResourceOptions,
    ) {
        this.byName = new Map(hosts.map((host) => [host.name, sharedOn(host, name, settings, opts)]));
        this.all = [...this.byName.values()];
        this.first = this.of({ host: hosts[0]?.name });
        this.images = this.all.map(({ image }) => image);
    }

    /** The host that a node runs on. */
    of({ host }: Pick<NodeSpec, "host">): ClusterHost {
        const found = this.byName.get(host);
        if (found === undefined) {
            throw new Error(`there is no host ${host}`);
        }
        return found;
    }

    /**
     * Resolves once each engine accepts the containers of its nodes. Does nothing in a preview.
     *
     * @throws {pulumi.InputPropertiesError} with every limit that an engine refuses.
     */
    async accepted(): Promise<void> {
        await Promise.all(this.all.filter(({ host }) => host.away !== true).map(({ probe }) => probe.passed()));
    }
}

function sharedOn(
    host: Host,
    name: string,
    settings: StorageClusterSettings,
    opts: pulumi.CustomResourceOptions,
): ClusterHost {
    const options = { ...opts, ...resourcesOn(host) };
    const resource = (suffix: string) => `${name}-${suffix}${host.name === undefined ? "" : `-${host.name}`}`;
    const connect = host.away === true ? undefined : () => connectEngine(host.dockerHost);
    return {
        host,
        options,
        image: remoteImage(resource("image"), settings.image, connect, options),
        egress: settings.egress ? egressNetwork(resource("egress"), settings, options) : undefined,
        probe: ContainerProbe.of("StorageCluster", settings.clusterName, LABELS.cluster, host.dockerHost),
    };
}
