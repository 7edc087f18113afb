import * as pulumi from "@pulumi/pulumi";
import { peerCertificate } from "./hosts/certificateExchange/peerCertificate";
import { FloatingFrontEnds } from "./hosts/floatingAddress/floatingProxies";
import { SelfSignedCertificate } from "./certificate/selfSignedCertificate";
import type { FrontEndGroup, FrontEndOptions } from "./settings/proxyGroup";
import { certificateNamesOf } from "./settings/bucketHosts";
import { HaproxyFrontEnd, type StoreUrls } from "./proxy/haproxyFrontEnd";
import type { FrontEndPart, ObjectStoreParts } from "./settings/deploymentSettings";
import { LEFT_AS_THEY_ARE, type CheckedOptions } from "./settings/context";
import { settled } from "./pulumi/settled";
import { proxyAddresses } from "./store/topology";
import type { ClusterEndpoints } from "./args/clusterEndpoints";
import { changesNothing } from "./pulumi/pulumiCommand";

/**
 * The front ends of a store: one, or one on each host that publishes ports. All serve the same hostnames and the same
 * certificate. A change reaches them one after the other: each waits until the one before serves.
 */
export class ObjectStoreFrontEnds {
    readonly s3Endpoint: pulumi.Output<string>;
    readonly consoleUrl: pulumi.Output<string>;
    /** URLs of each of the stores. */
    readonly storeUrls: pulumi.Output<StoreUrls[]>;
    readonly caCertificate: pulumi.Output<string>;
    readonly certificateNotAfter: pulumi.Output<string>;

    /**
     * @param endpoints Those of each of the stores.
     */
    constructor(
        parts: ObjectStoreParts,
        [endpoints, ...additional]: [pulumi.Output<ClusterEndpoints>, ...pulumi.Output<ClusterEndpoints>[]],
        opts: CheckedOptions,
    ) {
        const { frontEndComponent, storeName, frontEnds, unreachableHosts: away } = parts;
        const [first] = frontEnds;
        const selfSigned =
            first?.host === undefined
                ? undefined
                : new SelfSignedCertificate(
                      `${frontEndComponent}-certificate`,
                      {
                          ...first.args.certificate?.selfSigned,
                          hostnames: pulumi.all(certificateNamesOf(first.args)),
                          retainCa: first.args.retainCertificates ?? true,
                      },
                      { parent: opts.parent, dependsOn: opts.dependsOn },
                  );
        const made: HaproxyFrontEnd[] = [];
        const shareAcme = first?.host !== undefined && first.args.certificate?.acme !== undefined;
        // The front ends reach each other at the addresses of their proxies.
        const cluster = shareAcme
            ? endpoints.apply((known) => ({ ...known, proxyAddresses: proxyAddresses(known.subnet) }))
            : endpoints;
        const shared = shareAcme
            ? {
                  storeName,
                  peersPem: peerCertificate(`${frontEndComponent}-peers`, {
                      parent: opts.parent,
                      dependsOn: opts.dependsOn,
                  }),
                  addresses: cluster.apply(({ subnet }) => proxyAddresses(subnet)),
                  // All of them are made by then.
                  serving: pulumi.output(Promise.resolve().then(() => servingOf(made))),
              }
            : undefined;
        const address =
            parts.floating === undefined ? undefined : new FloatingFrontEnds(parts, parts.floating, cluster, opts);
        for (const { host, name, args } of frontEnds) {
            const options: FrontEndOptions =
                host === undefined
                    ? opts
                    : {
                          ...opts,
                          ...(away.includes(host) ? { ...LEFT_AS_THEY_ARE, away: true } : {}),
                          selfSigned,
                          group: shared && groupOf(host, frontEnds, shared),
                          provider: opts.hostProviders?.get(host),
                          dependsOn: after(opts.dependsOn, made.at(-1)),
                          ...address?.optionsOf(host),
                      };
            const stores = args.stores.flatMap((store, place) => {
                const ofStore = [cluster, ...additional][place];
                return ofStore === undefined ? [] : [{ ...store, cluster: ofStore }];
            });
            const frontEnd = new HaproxyFrontEnd(name, { ...args, stores }, options);
            if (host !== undefined) {
                address?.add(host, frontEnd);
            }
            made.push(frontEnd);
        }
        const output = (name: "s3Endpoint" | "consoleUrl" | "caCertificate") =>
            pulumi.all(made.map((frontEnd) => frontEnd[name])).apply(([value = ""]) => value);
        // That of a front end whose host is away isn't known.
        const notAfter = pulumi.all(made.map(({ certificateNotAfter }) => certificateNotAfter));
        this.s3Endpoint = output("s3Endpoint");
        this.consoleUrl = output("consoleUrl");
        this.storeUrls = pulumi.all(made.map(({ storeUrls }) => storeUrls)).apply(([urls = []]) => urls);
        this.caCertificate = output("caCertificate");
        this.certificateNotAfter = notAfter.apply((ends) => ends.find((end) => end !== "") ?? "");
    }
}

/** Resolves once all of these front ends serve. In a preview, which deploys nothing, at once. */
async function servingOf(frontEnds: HaproxyFrontEnd[]): Promise<void> {
    if (!changesNothing()) {
        await settled(pulumi.all(frontEnds.map(({ s3Endpoint }) => s3Endpoint)));
    }
}

/** The group of front ends, as the one on a host sees it. */
function groupOf(
    host: string,
    frontEnds: FrontEndPart[],
    {
        addresses,
        ...common
    }: Pick<FrontEndGroup, "peersPem" | "serving" | "storeName"> & { addresses: pulumi.Output<string[]> },
): FrontEndGroup {
    return {
        ...common,
        host,
        hosts: frontEnds.map((part) => part.host ?? ""),
        peers: addresses.apply((all) =>
            frontEnds
                .filter((part) => part.host !== host)
                .map((part) => ({ name: part.host ?? "", address: all[(part.args.proxyNumber ?? 1) - 1] ?? "" })),
        ),
    };
}

/** Dependencies that are met once another front end serves. In a preview, which deploys nothing, that one counts at once. */
function after(
    dependsOn: pulumi.ResourceOptions["dependsOn"] = [],
    before: HaproxyFrontEnd | undefined,
): pulumi.Output<pulumi.Resource[]> {
    const serving = before === undefined || changesNothing() ? pulumi.output("") : before.s3Endpoint;
    return pulumi.all([pulumi.output(dependsOn), serving]).apply(([resources]) => [resources].flat());
}
