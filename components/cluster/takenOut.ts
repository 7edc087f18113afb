import type { Interruptions } from "./interruption";
import type { ProxyControl } from "../traffic/proxyServers";
import type { NodePlace } from "../store/topology";

/** A node as the proxies know it. */
type ProxiedNode = Pick<NodePlace, "name" | "address">;

/**
 * The nodes that an update keeps out of service at this moment. Whatever ends the work that they are out for, an error or an
 * interruption of the program, they are put in service again before the program ends.
 */
export class TakenOut {
    /** Whether the container of a node that is out was, or may have been, replaced since, and isn't known to be ready. */
    private readonly nodes = new Map<ProxiedNode, { fresh: boolean }>();
    private readonly withoutReads = new Set<ProxiedNode>();
    private last: Promise<unknown> = Promise.resolve();
    private interrupted = false;

    constructor(
        private readonly proxies: ProxyControl,
        private readonly interruptions: Interruptions,
    ) {}

    /**
     * Does work for which nodes may be taken out, and puts them in service again.
     *
     * @throws What the work throws; with what is still out where the proxies can't be reached.
     */
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
        const release = this.interruptions.before(() => this.interrupt());
        try {
            const result = await work();
            await this.putAllBack();
            return result;
        } catch (error) {
            await this.putAllBack().catch((failure: unknown) => {
                (error as Error).message += this.leftOut(failure);
            });
            throw error;
        } finally {
            release();
        }
    }

    /**
     * Takes nodes out: by `drain` they get no new requests but those of a session, by `maint` none at all.
     *
     * @throws {Error} where the update was interrupted: what is out then stays in service.
     */
    async take(nodes: readonly ProxiedNode[], state: "drain" | "maint"): Promise<void> {
        this.refuseInterrupted();
        nodes.forEach((node) => this.nodes.set(node, { fresh: this.nodes.get(node)?.fresh ?? false }));
        const done = this.proxies.set(addressesOf(nodes), state);
        this.last = done.catch(() => undefined);
        await done;
        this.refuseInterrupted();
    }

    /**
     * Keeps reads from nodes that somebody else keeps out, in the backend that only reads: they would come there while no other
     * node is in service.
     *
     * @throws {Error} where the update was interrupted.
     */
    async takeReads(nodes: readonly ProxiedNode[]): Promise<void> {
        this.refuseInterrupted();
        if (nodes.length > 0) {
            nodes.forEach((node) => this.withoutReads.add(node));
            const done = this.proxies.set(addressesOf(nodes), "drain reads");
            this.last = done.catch(() => undefined);
            await done;
        }
        this.refuseInterrupted();
    }

    /** Notes that a node's container is being replaced: it serves only once the proxies' checks have found it healthy. */
    replacing(node: ProxiedNode): void {
        this.refuseInterrupted();
        if (this.nodes.has(node)) {
            this.nodes.set(node, { fresh: true });
        }
    }

    /** Notes that a node that was replaced is ready: it may serve at once. */
    ready(node: ProxiedNode): void {
        if (this.nodes.has(node)) {
            this.nodes.set(node, { fresh: false });
        }
    }

    private async putAllBack(): Promise<void> {
        await this.putBack([...this.nodes.keys()]);
        const nodes = [...this.withoutReads];
        if (nodes.length > 0) {
            await this.proxies.set(addressesOf(nodes), "ready reads");
            this.withoutReads.clear();
        }
    }

    /** Puts those of some nodes in service again that are out. */
    async putBack(nodes: readonly ProxiedNode[]): Promise<void> {
        const out = nodes.filter((node) => this.nodes.has(node));
        const whole = out.filter((node) => this.nodes.get(node)?.fresh === false);
        const fresh = out.filter((node) => !whole.includes(node));
        if (whole.length > 0) {
            await this.proxies.set(addressesOf(whole), "ready");
            whole.forEach((node) => this.nodes.delete(node));
        }
        if (fresh.length > 0) {
            await this.proxies.set(addressesOf(fresh), "ready after checks");
            fresh.forEach((node) => this.nodes.delete(node));
        }
    }

    private async interrupt(): Promise<void> {
        this.interrupted = true;
        await this.last;
        await this.putAllBack();
    }

    /** @throws {Error} where the update was interrupted: nothing that takes a node out may go on. */
    refuseInterrupted(): void {
        if (this.interrupted) {
            throw new Error("the update was interrupted");
        }
    }

    private leftOut(failure: unknown): string {
        const names = [...this.nodes.keys(), ...this.withoutReads].map(({ name }) => name).join(", ");
        return names === ""
            ? ""
            : `\n${names} could not be put in service again: ${(failure as Error).message}. The next update does that first.`;
    }
}

function addressesOf(nodes: readonly ProxiedNode[]): string[] {
    return nodes.map(({ address }) => address);
}
