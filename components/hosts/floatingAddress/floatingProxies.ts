import * as pulumi from "@pulumi/pulumi";
import { AddressRollout } from "./addressRollout";
import { allLabels } from "../../docker/containerArgs";
import { connectEngine } from "../../docker/connectEngine";
import { deploymentHosts } from "../../docker/hosts";
import { waitUntilHealthy } from "../../docker/readiness";
import type { AddressMember } from "./addressControl";
import { FrontEndTurns } from "./proxyOrder";
import type { FloatingAddress } from "./keepalivedContainer";
import { KeepalivedHost } from "./keepalivedHost";
import type { FrontEndOptions } from "../../settings/proxyGroup";
import type { HaproxyFrontEnd } from "../../proxy/haproxyFrontEnd";
import { LABELS } from "../../naming/labels";
import type { FloatingPart, ObjectStoreParts } from "../../settings/deploymentSettings";
import { LEFT_AS_THEY_ARE, type CheckedOptions } from "../../settings/context";
import { awaitedByProgram } from "../../pulumi/awaitedByProgram";
import type { ClusterEndpoints } from "../../args/clusterEndpoints";
import { changesNothing } from "../../pulumi/pulumiCommand";

/** Seconds for keepalived to become healthy. */
const READY_SECONDS = 60;

/** What front ends share that have a floating address: keepalived beside each, and the order in which they are updated. */
export class FloatingFrontEnds {
    private readonly turns: FrontEndTurns;
    private readonly rollout: AddressRollout;
    private readonly members: readonly AddressMember[];
    private readonly keepalived: ReadonlyMap<string, KeepalivedHost>;

    constructor(
        private readonly parts: ObjectStoreParts,
        args: FloatingPart,
        cluster: pulumi.Output<ClusterEndpoints>,
        private readonly opts: CheckedOptions,
    ) {
        const { hosts = [] } = parts;
        this.members = parts.frontEnds.flatMap(({ host, args: { frontEndName = "" } }) => {
            const address = hosts.find(({ name }) => name === host)?.address;
            return host === undefined || address === undefined
                ? []
                : [{ name: host, address, proxy: `${frontEndName}-proxy`, keepalived: `${frontEndName}-keepalived` }];
        });
        const floating = { ...args, hosts: this.members, httpPort: parts.frontEnds[0]?.args.httpPort ?? 80 };
        this.rollout = new AddressRollout({
            floating,
            members: this.members.filter(({ name }) => !this.isAway(name)),
            hosts: deploymentHosts(parts, undefined),
            networkName: cluster.networkName,
            drainSeconds: args.drainSeconds,
            component: opts.parent ?? pulumi.rootStackResource,
        });
        this.turns = new FrontEndTurns(
            this.members.map(({ name }) => name),
            () => this.rollout.holders(),
        );
        this.keepalived = new Map(this.members.map((member) => [member.name, this.keepalivedOn(member, floating)]));
    }

    /** Options of the front end on a host. */
    optionsOf(host: string): Partial<FrontEndOptions> {
        const keepalived = this.keepalived.get(host);
        return {
            dependsOn: this.turns.turnOf(host, this.opts.dependsOn),
            checkedFrom: this.members.find(({ name }) => name === host)?.address,
            beforeReplacement:
                keepalived === undefined
                    ? undefined
                    : (proxy) => this.rollout.beforeReplacement(host, proxy, keepalived.inputs),
        };
    }

    /** Starts keepalived beside a front end once that serves. The turn of the host ends once keepalived is healthy. */
    add(host: string, frontEnd: HaproxyFrontEnd): void {
        const keepalived = this.keepalived.get(host);
        if (keepalived === undefined) {
            return;
        }
        const container = keepalived.start(
            changesNothing() ? [] : frontEnd.s3Endpoint.apply((): pulumi.Resource[] => []),
        );
        const isWaited = !changesNothing() && !this.isAway(host);
        const hosts = deploymentHosts(this.parts, undefined).filter(({ name }) => name === host);
        const healthy = pulumi.all([container.name, container.id]).apply(async ([name, id]) => {
            if (isWaited) {
                const component = this.opts.parent ?? frontEnd;
                await waitUntilHealthy([{ name, id }], { hosts, timeout: READY_SECONDS, component });
            }
        });
        this.turns.endWith(host, awaitedByProgram(healthy));
    }

    private keepalivedOn(member: AddressMember, floating: FloatingAddress): KeepalivedHost {
        const part = this.parts.frontEnds.find(({ host }) => host === member.name);
        const { parent, dependsOn, hostProviders } = this.opts;
        const labels = allLabels(part?.args.labels, {
            [LABELS.frontEnd]: part?.args.frontEndName ?? "",
            [LABELS.stack]: `${pulumi.getProject()}/${pulumi.getStack()}`,
        });
        const away = this.isAway(member.name);
        const host = deploymentHosts(this.parts, undefined).find(({ name }) => name === member.name);
        return new KeepalivedHost(
            `${part?.name}-keepalived`,
            member.keepalived,
            floating,
            member,
            labels,
            { parent, dependsOn, provider: hostProviders?.get(member.name), ...(away ? LEFT_AS_THEY_ARE : {}) },
            away ? undefined : () => connectEngine(host?.dockerHost),
        );
    }

    private isAway(host: string): boolean {
        return this.parts.unreachableHosts.includes(host);
    }
}
