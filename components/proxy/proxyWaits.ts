import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { AcmeSettings } from "../certificate/acmeSettings";
import { missingProvider } from "../certificate/dnsProviderProbe";
import { componentError, refuse } from "../checks/refusal";
import { connectEngine } from "../docker/connectEngine";
import type { DockerEngine } from "../docker/engine";
import { waitUntilHealthy } from "../docker/readiness";
import { awaitedByProgram } from "../pulumi/awaitedByProgram";
import { changesNothing } from "../pulumi/pulumiCommand";
import { settled } from "../pulumi/settled";
import type { ContainerProbe } from "../requirements/containerTrialStart";
import { refuseWithoutIpv6 } from "../requirements/ipv6Probe";
import type { DesiredProxy, ProxyContext } from "../settings/proxyGroup";
import type { ProxySettings } from "../settings/proxySettings";
import { ipv6Network } from "../settings/requirements";
import { joinNetworks, leaveNetworks, type CreatedNetworks } from "./joinedNetworks";
import { networkName } from "./publicNetwork";
import { untilStoresServe } from "./servingStores";

/**
 * Resolves once the engine accepts the proxy, and it is certain that it can create the public network and that the ACME
 * client has the DNS provider. In a preview, that is at once.
 */
export async function proxyAccepted(
    settings: ProxySettings,
    acme: AcmeSettings | undefined,
    probe: ContainerProbe,
    images: { image: pulumi.Output<string>; clientImage: pulumi.Output<string> | undefined },
): Promise<void> {
    await probe.passed();
    await ipv6Accepted(settings, images.image);
    await providerAccepted(settings, acme, images.clientImage);
}

/**
 * Runs the checks that need the clusters and networks, and checks that the engine accepts the proxy. All further resources
 * wait for this one resource. If many outputs shared a rejection, it would be followed along every path from one to the
 * other, which can take forever.
 */
export function soundEdge(
    component: pulumi.Resource,
    settings: ProxySettings,
    accepted: () => Promise<void>,
    dependsOn: pulumi.Output<pulumi.Resource[]>,
    images: docker.RemoteImage[],
    created: pulumi.Output<CreatedNetworks>,
): pulumi.Output<pulumi.Resource[]> {
    // Runs after the other checks have passed, since the first refusal ends the update.
    const passed = pulumi.output(dependsOn).apply(() =>
        accepted().catch((error: unknown) => {
            throw componentError(component, error);
        }),
    );
    const sound = pulumi
        .all([settings.problems, dependsOn, created, settings.nodeNetworks, passed])
        .apply(async ([found, resources, { kept, failure }, nodeNetworks]) => {
            refuse("HaproxyFrontEnd", found);
            if (failure !== undefined) {
                throw componentError(component, new Error(failure));
            }
            // Before the configuration names the servers on them.
            if (kept && !changesNothing()) {
                await withEngine(component, settings, (engine) =>
                    joinNetworks(engine, settings.frontEndName, nodeNetworks),
                );
            }
            return [...resources, ...images];
        });
    return awaitedByProgram(sound);
}

/** Resolves once it is certain that the engine can create the public network. In a preview, that is at once. */
async function ipv6Accepted(
    { publicIpv6, frontEndName, dockerHost }: ProxySettings,
    imageId: pulumi.Output<string>,
): Promise<void> {
    if (publicIpv6 !== undefined && !changesNothing()) {
        const network = ipv6Network(frontEndName, publicIpv6, (propertyPath) => propertyPath);
        const image = await settled(imageId);
        const engine = await connectEngine(dockerHost);
        await refuseWithoutIpv6("HaproxyFrontEnd", network, { image, owner: frontEndName }, engine);
    }
}

/** Resolves once it is certain that the ACME client has the DNS provider. In a preview, that is at once. */
async function providerAccepted(
    { frontEndName, dockerHost }: ProxySettings,
    acme: AcmeSettings | undefined,
    imageId: pulumi.Output<string> | undefined,
): Promise<void> {
    if (acme?.dns !== undefined && imageId !== undefined && !changesNothing()) {
        const image = await settled(imageId);
        const engine = await connectEngine(dockerHost);
        refuse("HaproxyFrontEnd", await missingProvider(acme, { image, owner: frontEndName }, engine));
    }
}

/** Resolves once the proxy and its network may be replaced. In a preview, that is at once. */
export function whenReplaceable(
    component: pulumi.Resource,
    written: pulumi.Output<pulumi.Resource[]>,
    { beforeReplacement, host }: ProxyContext,
    desired: DesiredProxy,
): pulumi.Output<pulumi.Resource[]> {
    if (beforeReplacement === undefined || host.away === true || changesNothing()) {
        return written;
    }
    const replaceable = written.apply(async (resources) => {
        await beforeReplacement(desired).catch((error: unknown) => {
            throw componentError(component, error);
        });
        return resources;
    });
    return awaitedByProgram(replaceable);
}

/**
 * Resolves once the proxy answers, is on the networks of its stores and no others, and serves each of several stores. Waits
 * for nothing in a preview.
 */
export function whenHealthy(
    component: pulumi.Resource,
    proxy: docker.Container,
    settings: ProxySettings,
): pulumi.Output<void> {
    const { dockerHost, frontEndName, nodeNetworks, backendNetworks, readyTimeout: timeout } = settings;
    const networks = pulumi.all([nodeNetworks, backendNetworks, networkName(settings)]);
    return pulumi.all([proxy.name, proxy.id, networks]).apply(async ([name, id, [ofStores, behind, ofClients]]) => {
        if (!changesNothing()) {
            await withEngine(component, settings, async (engine) => {
                // It may have been replaced meanwhile, with the networks that the former one was created with.
                await joinNetworks(engine, frontEndName, ofStores);
                await leaveNetworks(engine, frontEndName, [ofClients, ...behind.map((network) => network.name)]);
            });
            const options = { hosts: [{ dockerHost }], timeout, component, checksNow: true };
            await waitUntilHealthy([{ name, id }], options);
            if (ofStores.length > 1) {
                const names = ofStores.map((network) => network.name);
                await withEngine(component, settings, (engine) =>
                    untilStoresServe(engine, frontEndName, names, timeout),
                );
            }
        }
    });
}

/** Does work with the proxy's engine. A failure is one of the component. */
async function withEngine(
    component: pulumi.Resource,
    { dockerHost }: ProxySettings,
    work: (engine: DockerEngine) => Promise<void>,
): Promise<void> {
    try {
        await work(await connectEngine(dockerHost));
    } catch (error) {
        throw componentError(component, error);
    }
}
