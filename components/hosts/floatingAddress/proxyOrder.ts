import * as pulumi from "@pulumi/pulumi";
import { settled } from "../../pulumi/settled";
import { changesNothing } from "../../pulumi/pulumiCommand";

/**
 * The order in which the proxies of a store are updated: one after the other, each once the one before serves. The host
 * that has the floating address is last, so that the address moves at most once, to a proxy that is up to date.
 */
export class ProxyTurns {
    private readonly done = new Map<string, pulumi.Output<unknown>>();
    private order: Promise<string[]> | undefined;

    /**
     * @param names The hosts, in their configured order.
     * @param holders Asks for the hosts that have the floating address now.
     */
    constructor(
        private readonly names: readonly string[],
        private readonly holders: () => Promise<string[]>,
    ) {}

    /** For `dependsOn`: resolves to the given resources when it is a host's turn. In a preview, that is at once. */
    turnOf(name: string, dependsOn: pulumi.ResourceOptions["dependsOn"] = []): pulumi.Output<pulumi.Resource[]> {
        return pulumi.output(dependsOn).apply(async (resources) => {
            if (!changesNothing()) {
                this.order ??= this.holdersLast();
                const order = await this.order;
                const before = order[order.indexOf(name) - 1];
                const done = before === undefined ? undefined : this.done.get(before);
                await (done && settled(done));
            }
            return [resources].flat();
        });
    }

    /** Ends the turn of a host once an output is known. Call it for every host, before the program waits for anything. */
    endWith(name: string, done: pulumi.Output<unknown>): void {
        this.done.set(name, done);
    }

    private async holdersLast(): Promise<string[]> {
        const holders = await this.holders();
        const has = (name: string) => holders.includes(name);
        return [...this.names.filter((name) => !has(name)), ...this.names.filter(has)];
    }
}
