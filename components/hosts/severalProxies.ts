import * as pulumi from "@pulumi/pulumi";
import type { ClusterEndpoints } from "../args/clusterEndpoints";
import { SelfSignedCertificate } from "../certificate/selfSignedCertificate";
import type { StoreFrontEnd } from "../proxy/deployProxy";
import { changesNothing } from "../pulumi/pulumiCommand";
import { settled } from "../pulumi/settled";
import { certificateNamesOf } from "../settings/bucketHosts";
import type { Context } from "../settings/context";
import type { FrontEndPart, ObjectStoreParts } from "../settings/deploymentSettings";
import type { FrontEndContext, FrontEndGroup } from "../settings/proxyGroup";
import { proxyAddresses } from "../store/topology";
import { peerCertificate } from "./certificateExchange/peerCertificate";
import { FloatingFrontEnds } from "./floatingAddress/floatingProxies";

/** What the front ends of several hosts share: one certificate, and an address if the store has one. */
export class SeveralFrontEnds {
    /** Endpoints of the cluster. With ACME, the front ends reach each other at the addresses of their proxies. */
    readonly endpoints: pulumi.Output<ClusterEndpoints>;
    private readonly made: StoreFrontEnd[] = [];
    private readonly selfSigned: SelfSignedCertificate;
    private readonly peersPem: pulumi.Output<string> | undefined;
    private readonly address: FloatingFrontEnds | undefined;
    /** Known once all of them serve. */
    private readonly serving = pulumi.output(Promise.resolve().then(() => servingOf(this.made)));

    constructor(
        private readonly parts: ObjectStoreParts,
        [first]: readonly FrontEndPart[],
        endpoints: pulumi.Output<ClusterEndpoints>,
        context: Context,
        parent: pulumi.Resource,
    ) {
        const options = { parent, dependsOn: context.allowed };
        const { frontEndComponent: name, floating } = parts;
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
        this.address = floating && new FloatingFrontEnds(parts, floating, this.endpoints, context, parent);
    }

    /** What the front end on a host gets from the others. */
    contextOf(host: string): Partial<FrontEndContext> {
        return { selfSigned: this.selfSigned, group: this.groupOf(host), ...this.address?.contextOf(host) };
    }

    /** Adds a front end once it is created. */
    add(host: string, frontEnd: StoreFrontEnd): void {
        this.address?.add(host, frontEnd);
        this.made.push(frontEnd);
    }

    /** The front ends that share a certificate by ACME, as the one on a host sees them. */
    private groupOf(host: string): FrontEndGroup | undefined {
        const { frontEnds, storeName } = this.parts;
        if (this.peersPem === undefined) {
            return undefined;
        }
        const addresses = this.endpoints.apply(({ subnet }) => proxyAddresses(subnet));
        return {
            storeName,
            host,
            peersPem: this.peersPem,
            serving: this.serving,
            hosts: frontEnds.map((part) => part.host ?? ""),
            peers: addresses.apply((all) =>
                frontEnds
                    .filter((part) => part.host !== host)
                    .map((part) => ({ name: part.host ?? "", address: all[(part.args.proxyNumber ?? 1) - 1] ?? "" })),
            ),
        };
    }
}

/** Resolves once all of these front ends serve. In a preview, which deploys nothing, at once. */
async function servingOf(frontEnds: StoreFrontEnd[]): Promise<void> {
    if (!changesNothing()) {
        await settled(pulumi.all(frontEnds.map(({ outputs }) => outputs.s3Endpoint)));
    }
}
