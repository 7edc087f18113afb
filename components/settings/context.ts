import type * as pulumi from "@pulumi/pulumi";
import type { DockerHost } from "../docker/providerHost";
import type { HostProviders } from "../docker/hostProviders";
import { HostSnapshot, type EngineSnapshot, type KnownContainers } from "../requirements/engineCache";

/** Options of a component whose caller has checked with the engine that the component's args can be deployed. */
export interface CheckedOptions extends pulumi.ComponentResourceOptions {
    /** The engines that were checked. */
    engineSnapshot?: EngineSnapshot;
    /** The providers of its hosts. Default: the component makes its own. */
    hostProviders?: HostProviders;
    /**
     * Name of the nodes' network, known before it exists or is replaced: what is asked about a node's container doesn't wait for
     * the network. Default: that in the args.
     */
    plannedNetworkName?: string;
    /** Whether the component's host is away: its resources stay as they are, and nothing is waited for. Default: false. */
    away?: boolean;
}

/**
 * Options with which resources stay as they are, whatever their inputs: those of a host that is away. The wildcard doesn't
 * cover what the engine has added to a property, so the properties that a resource ignores anyway are named too.
 */
export const LEFT_AS_THEY_ARE: pulumi.ComponentResourceOptions = {
    transformations: [
        ({ props, opts }) => ({
            props,
            opts: { ...opts, ignoreChanges: [...((opts as pulumi.CustomResourceOptions).ignoreChanges ?? []), "*"] },
        }),
    ],
};

/** Name of the nodes' network, if the caller knows it before the network exists. */
export function plannedNetworkOf(opts?: CheckedOptions): string | undefined {
    return opts?.plannedNetworkName;
}

/** Whether a component's host is away. */
export function isAway(opts?: CheckedOptions): boolean {
    return opts?.away === true;
}

/** The engine that the caller of a component has checked. Undefined if the component must check it itself. */
export function snapshotOf(opts?: CheckedOptions): EngineSnapshot | undefined {
    return opts?.engineSnapshot;
}

/** The providers of a component's hosts, if the caller has made them. */
export function hostProvidersOf(opts?: CheckedOptions): HostProviders | undefined {
    return opts?.hostProviders;
}

const NOTHING_KNOWN: KnownContainers = { startInterval: false, inputs: {} };

/**
 * What decides about the form of a component's containers on a host.
 *
 * @param host Name of the host. Undefined if the deployment has one host.
 * @param dockerHost Docker host of a component whose caller has checked no engine.
 * @throws {Error} as {@link HostSnapshot.engine} does, if no caller has checked the engine. Without an answer, an existing
 * container would count as a new one, and get another form. A caller that has checked it refuses the update itself.
 */
export async function knownContainers(
    host: string | undefined,
    dockerHost: DockerHost,
    opts?: CheckedOptions,
): Promise<KnownContainers> {
    const checked = snapshotOf(opts);
    if (checked === undefined) {
        return new HostSnapshot(dockerHost).containers();
    }
    const known = checked.hosts.get(host)?.containers();
    return (await known?.catch(() => undefined)) ?? NOTHING_KNOWN;
}
