import * as pulumi from "@pulumi/pulumi";
import { connectEngines } from "../../docker/connectEngine";
import type { Host, HostEngines } from "../../docker/hosts";
import { systemClock } from "../../docker/poll";
import { KeepalivedControl, type AddressMember } from "./addressControl";
import { HandOver, type DrainedProxy } from "./failover";
import type { FloatingAddress } from "./keepalivedContainer";
import type { DesiredProxy } from "../../settings/proxyGroup";
import { RELOAD } from "../../proxy/proxyContainer";
import { isReplaced } from "../../proxy/publicNetwork";
import { withMessageOnly } from "../../checks/problem";
import { settled } from "../../pulumi/settled";
import { LABELS } from "../../naming/labels";
import { ProxyServers } from "../../proxyControl/proxyServers";

/** What the update of a floating address knows. */
export interface AddressRolloutArgs {
    floating: FloatingAddress;
    /** The hosts that may have the address, without those that are away. */
    members: readonly AddressMember[];
    hosts: readonly Host[];
    networkName: pulumi.Output<string>;
    /** Time that running requests have to finish, in seconds. */
    drainSeconds: number;
    component: pulumi.Resource;
}

/** Moves a floating address away from a host before an update replaces the proxy of that host, or its keepalived. */
export class AddressRollout {
    private connection: Promise<HostEngines> | undefined;

    constructor(private readonly args: AddressRolloutArgs) {}

    /** Names of the hosts that have the address now. */
    async holders(): Promise<string[]> {
        return (await (await this.control()).holders()).map(({ name }) => name);
    }

    /**
     * Moves the address away from a host, if a container of it will be replaced.
     *
     * @param keepalived Digest of the inputs of its keepalived.
     */
    async beforeReplacement(host: string, proxy: DesiredProxy, keepalived: pulumi.Output<string>): Promise<void> {
        const member = this.args.members.find(({ name }) => name === host);
        if (member === undefined) {
            return;
        }
        const engine = await this.engine();
        const containers = await engine.containers(LABELS.proxy);
        const isOther = (name: string, inputs: string) =>
            containers.some((container) => container.name === name && container.labels[LABELS.inputs] !== inputs);
        const [inputs, ofKeepalived, network] = await settled(pulumi.all([proxy.inputs, keepalived, proxy.network]));
        const isOtherNetwork = network !== undefined && (await isReplaced(network, engine));
        if (isOther(member.proxy, inputs) || isOther(member.keepalived, ofKeepalived) || isOtherNetwork) {
            await (await this.handOver(engine)).from(host);
        }
    }

    private async handOver(engine: HostEngines): Promise<HandOver> {
        const { component, drainSeconds, networkName } = this.args;
        const servers = new ProxyServers(engine, await settled(networkName));
        const proxies: DrainedProxy = {
            endConnections: async (proxy) => {
                const { code, output } = await engine.run(proxy, ["/bin/sh", "-c", RELOAD]);
                if (code !== 0) {
                    throw new Error(`${proxy} was not reloaded: ${output.trim()}`);
                }
            },
            haveEnded: async (proxy) =>
                (await servers.list()).every((server) => server.proxy !== proxy || server.current),
        };
        const report = {
            progress: (text: string) => pulumi.log.info(text, component, undefined, true),
            warning: (text: string) => pulumi.log.warn(text, component),
            error: (message: string) => withMessageOnly(new pulumi.ResourceError(message, component, true)),
        };
        return new HandOver({ address: await this.control(), proxies, report, clock: systemClock }, drainSeconds);
    }

    private async control(): Promise<KeepalivedControl> {
        const { address, httpPort } = this.args.floating;
        const floating = { address, httpPort: await settled(pulumi.output(httpPort)) };
        return new KeepalivedControl(await this.engine(), floating, this.args.members);
    }

    private engine(): Promise<HostEngines> {
        this.connection ??= connectEngines(this.args.hosts);
        return this.connection;
    }
}
