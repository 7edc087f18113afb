import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { DeploymentHost } from "../docker/hosts";
import type { HostProviders } from "../docker/hostProviders";
import { connectEngine } from "../docker/connectEngine";
import { remoteImage } from "../docker/remoteImage";
import { LABELS } from "../naming/labels";
import { ContainerProbe } from "../requirements/containerTrialStart";
import { LEFT_AS_THEY_ARE } from "../settings/context";
import { egressNetwork } from "./networks";
import type { StorageClusterSettings } from "../settings/clusterSettings";
import type { NodePlace } from "../store/topology";

/** One host of a cluster, and what all nodes on it share. */
export interface ClusterHost {
    /** Whether its engine is known not to answer. */
    away: boolean;
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
        providers: HostProviders,
        opts: pulumi.CustomResourceOptions,
    ) {
        this.byName = new Map(
            settings.hosts.map((host) => [host.name, sharedOn(host, name, settings, providers, opts)]),
        );
        this.all = [...this.byName.values()];
        this.first = this.of({ host: settings.hosts[0]?.name });
        this.images = this.all.map(({ image }) => image);
    }

    /** The host that a node runs on. */
    of({ host }: Pick<NodePlace, "host">): ClusterHost {
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
        await Promise.all(this.all.filter(({ away }) => !away).map(({ probe }) => probe.passed()));
    }
}

function sharedOn(
    { name: host, dockerHost, away }: DeploymentHost,
    name: string,
    settings: StorageClusterSettings,
    providers: HostProviders,
    opts: pulumi.CustomResourceOptions,
): ClusterHost {
    const left = away === true ? LEFT_AS_THEY_ARE : {};
    const options = host === undefined ? opts : { ...opts, ...left, provider: providers.get(host) };
    const resource = (suffix: string) => `${name}-${suffix}${host === undefined ? "" : `-${host}`}`;
    return {
        away: away === true,
        options,
        image: remoteImage(
            resource("image"),
            settings.image,
            away === true ? undefined : () => connectEngine(dockerHost),
            options,
        ),
        egress: settings.egress ? egressNetwork(resource("egress"), settings, options) : undefined,
        probe: ContainerProbe.of("StorageCluster", settings.clusterName, LABELS.cluster, dockerHost),
    };
}
