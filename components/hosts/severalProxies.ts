import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "../args/clusterEndpoints";
import { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import type { StoreProxy } from "../proxy/deployProxy";
import { changesNothing } from "../pulumi/pulumiCommand";
import { settled } from "../pulumi/settled";
import { certificateNamesOf } from "../settings/bucketHosts";
import type { Context } from "../settings/context";
import type { ProxyPart, ObjectStoreParts } from "../settings/deploymentSettings";
import type { ProxyContext, ProxyGroup } from "../settings/proxyGroup";
import { proxyAddresses } from "../store/topology";
import { peerCertificate } from "./certificateExchange/peerCertificate";
import { FloatingProxies } from "./floatingAddress/floatingProxies";

/** What the proxies of several hosts share: one certificate, and an address if the store has one. */
export class SeveralProxies {
    /** Endpoints of the cluster. With ACME, the proxies reach each other at their addresses on the node network. */
    readonly endpoints: pulumi.Output<ClusterEndpoints>;
    private readonly made: StoreProxy[] = [];
    private readonly selfSigned: SelfSignedCertificate;
    private readonly peersPem: pulumi.Output<string> | undefined;
    private readonly address: FloatingProxies | undefined;
    /** Known once all of them serve. */
    private readonly serving = pulumi.output(Promise.resolve().then(() => servingOf(this.made)));

    constructor(
        private readonly parts: ObjectStoreParts,
        [first]: readonly ProxyPart[],
        endpoints: pulumi.Output<ClusterEndpoints>,
        context: Context,
        parent: pulumi.Resource,
    ) {
        const options = { parent, dependsOn: context.allowed };
        const { proxyComponent: name, floating } = parts;
        this.selfSigned = new SelfSignedCertificate(
            `${name}-certificate`,
            {
                ...first?.args.certificate?.selfSigned,
                hostnames: pulumi.all(certificateNamesOf(first?.args ?? {})),
                retainCa: first?.args.retainCertificates ?? true,
            },
            options,
        );
        const shareAcme = first?.args.certificate?.acme !== undefined;
        this.peersPem = shareAcme ? peerCertificate(`${name}-peers`, options) : undefined;
        this.endpoints = shareAcme
            ? endpoints.apply((known) => ({ ...known, proxyAddresses: proxyAddresses(known.subnet) }))
            : endpoints;
        this.address = floating && new FloatingProxies(parts, floating, this.endpoints, context, parent);
    }

    /** What the proxy on a host gets from the others. */
    contextOf(host: string): Partial<ProxyContext> {
        return { selfSigned: this.selfSigned, group: this.groupOf(host), ...this.address?.contextOf(host) };
    }

    /** Adds a proxy once it is created. */
    add(host: string, proxy: StoreProxy): void {
        this.address?.add(host, proxy);
        this.made.push(proxy);
    }

    /** The proxies that share a certificate by ACME, as the one on a host sees them. */
    private groupOf(host: string): ProxyGroup | undefined {
        const { proxies, storeName } = this.parts;
        if (this.peersPem === undefined) {
            return undefined;
        }
        const addresses = this.endpoints.apply(({ subnet }) => proxyAddresses(subnet));
        return {
            storeName,
            host,
            peersPem: this.peersPem,
            serving: this.serving,
            hosts: proxies.map((part) => part.host ?? ""),
            peers: addresses.apply((all) =>
                proxies
                    .filter((part) => part.host !== host)
                    .map((part) => ({ name: part.host ?? "", address: all[(part.args.proxyNumber ?? 1) - 1] ?? "" })),
            ),
        };
    }
}

/** Resolves once all of these proxies serve. In a preview, which deploys nothing, at once. */
async function servingOf(proxies: StoreProxy[]): Promise<void> {
    if (!changesNothing()) {
        await settled(pulumi.all(proxies.map(({ outputs }) => outputs.s3Endpoint)));
    }
}
