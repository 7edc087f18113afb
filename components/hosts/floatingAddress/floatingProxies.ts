import * as pulumi from "@pulumi/pulumi";
import { AddressRollout } from "./addressRollout";
import { allLabels } from "../../docker/containerArgs";
import { connectEngine } from "../../docker/connectEngine";
import type { Host } from "../../docker/hosts";
import { waitUntilHealthy } from "../../docker/readiness";
import type { AddressMember } from "./addressControl";
import { ProxyTurns } from "./proxyOrder";
import type { FloatingAddress } from "./keepalivedContainer";
import { KeepalivedHost } from "./keepalivedHost";
import type { ProxyContext } from "../../settings/proxyGroup";
import type { StoreProxy } from "../../proxy/deployProxy";
import { LABELS } from "../../naming/labels";
import type { FloatingPart, ObjectStoreParts } from "../../settings/deploymentSettings";
import { resourcesOn, type Context } from "../../settings/context";
import { awaitedByProgram } from "../../pulumi/awaitedByProgram";
import type { ClusterEndpoints } from "../../args/clusterEndpoints";
import { changesNothing } from "../../pulumi/pulumiCommand";

/** Seconds for keepalived to become healthy. */
const READY_SECONDS = 60;

/** What proxies share that have a floating address: keepalived beside each, and the order in which they are updated. */
export class FloatingProxies {
    private readonly turns: ProxyTurns;
    private readonly rollout: AddressRollout;
    private readonly members: readonly AddressMember[];
    private readonly keepalived: ReadonlyMap<string, KeepalivedHost>;

    constructor(
        private readonly parts: ObjectStoreParts,
        args: FloatingPart,
        cluster: pulumi.Output<ClusterEndpoints>,
        private readonly context: Context,
        private readonly parent: pulumi.Resource,
    ) {
        this.members = parts.proxies.flatMap(({ host: name, args: { frontEndName = "" } }) => {
            const { address } = this.hostOf(name) ?? {};
            return name === undefined || address === undefined
                ? []
                : [{ name, address, proxy: `${frontEndName}-proxy`, keepalived: `${frontEndName}-keepalived` }];
        });
        const floating = { ...args, hosts: this.members, httpPort: parts.proxies[0]?.args.httpPort ?? 80 };
        this.rollout = new AddressRollout({
            floating,
            members: this.members.filter(({ name }) => this.hostOf(name)?.away !== true),
            hosts: context.hosts,
            networkName: cluster.networkName,
            drainSeconds: args.drainSeconds,
            component: parent,
        });
        this.turns = new ProxyTurns(
            this.members.map(({ name }) => name),
            () => this.rollout.holders(),
        );
        this.keepalived = new Map(this.members.map((member) => [member.name, this.keepalivedOn(member, floating)]));
    }

    /** What the proxy on a host gets. */
    contextOf(host: string): Partial<ProxyContext> {
        const keepalived = this.keepalived.get(host);
        return {
            allowed: this.turns.turnOf(host, this.context.allowed),
            checkedFrom: this.members.find(({ name }) => name === host)?.address,
            beforeReplacement:
                keepalived === undefined
                    ? undefined
                    : (proxy) => this.rollout.beforeReplacement(host, proxy, keepalived.inputs),
        };
    }

    /** Starts keepalived beside a proxy once that serves. The turn of the host ends once keepalived is healthy. */
    add(name: string, { outputs }: StoreProxy): void {
        const keepalived = this.keepalived.get(name);
        const host = this.hostOf(name);
        if (keepalived === undefined || host === undefined) {
            return;
        }
        const container = keepalived.start(
            changesNothing() ? [] : outputs.s3Endpoint.apply((): pulumi.Resource[] => []),
        );
        const isWaited = !changesNothing() && host.away !== true;
        const healthy = pulumi.all([container.name, container.id]).apply(async ([container, id]) => {
            if (isWaited) {
                const options = { hosts: [host], timeout: READY_SECONDS, component: this.parent };
                await waitUntilHealthy([{ name: container, id }], options);
            }
        });
        this.turns.endWith(name, awaitedByProgram(healthy));
    }

    private keepalivedOn(member: AddressMember, floating: FloatingAddress): KeepalivedHost {
        const part = this.parts.proxies.find(({ host }) => host === member.name);
        const labels = allLabels(part?.args.labels, {
            [LABELS.proxy]: part?.args.frontEndName ?? "",
            [LABELS.stack]: `${pulumi.getProject()}/${pulumi.getStack()}`,
        });
        const host = this.hostOf(member.name) ?? {};
        return new KeepalivedHost(
            `${part?.name}-keepalived`,
            member.keepalived,
            floating,
            member,
            labels,
            { parent: this.parent, dependsOn: this.context.allowed, ...resourcesOn(host) },
            host.away === true ? undefined : () => connectEngine(host.dockerHost),
        );
    }

    private hostOf(name: string | undefined): Host | undefined {
        return this.context.hosts.find((host) => host.name === name);
    }
}
