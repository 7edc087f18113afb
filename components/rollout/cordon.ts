import type { Interruptions } from "../pulumi/interruption";
import type { ProxyControl } from "../proxyControl/proxyServers";
import type { NodeSpec } from "../store/topology";

/** A node, which the proxies know by its name. */
type NamedNode = Pick<NodeSpec, "name">;

/**
 * The nodes that the update keeps out of service at this moment. They are returned to service before the program ends,
 * whether the work succeeds, fails or is interrupted.
 */
export class Cordon {
    /**
     * For each node that is out: whether its container was replaced since, or may have been, and isn't known to be ready.
     */
    private readonly nodes = new Map<NamedNode, { fresh: boolean }>();
    private readonly withoutReads = new Set<NamedNode>();
    private last: Promise<unknown> = Promise.resolve();
    private interrupted = false;

    constructor(
        private readonly proxies: ProxyControl,
        private readonly interruptions: Interruptions,
    ) {}

    /**
     * Runs work that may take nodes out of service, and returns them to service afterwards.
     *
     * @throws The error of the work. If the proxies can't be reached, its message names the nodes that are still out.
     */
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
        const release = this.interruptions.before(() => this.interrupt());
        try {
            const result = await work();
            await this.uncordonAll();
            return result;
        } catch (error) {
            await this.uncordonAll().catch((failure: unknown) => {
                (error as Error).message += this.leftOut(failure);
            });
            throw error;
        } finally {
            release();
        }
    }

    /**
     * Takes nodes out of service. With `drain` they get no new requests except those of an existing session, with `maint`
     * none at all.
     *
     * @throws {Error} if the update was interrupted: the nodes then stay in service.
     */
    async set(nodes: readonly NamedNode[], state: "drain" | "maint"): Promise<void> {
        this.refuseInterrupted();
        nodes.forEach((node) => this.nodes.set(node, { fresh: this.nodes.get(node)?.fresh ?? false }));
        const done = this.proxies.set(namesOf(nodes), state);
        this.last = done.catch(() => undefined);
        await done;
        this.refuseInterrupted();
    }

    /**
     * Takes nodes that an operator keeps out of service also out of the backend that only reads. They would get its reads
     * while no other node is in service.
     *
     * @throws {Error} if the update was interrupted.
     */
    async drainReads(nodes: readonly NamedNode[]): Promise<void> {
        this.refuseInterrupted();
        if (nodes.length > 0) {
            nodes.forEach((node) => this.withoutReads.add(node));
            const done = this.proxies.set(namesOf(nodes), "drain reads");
            this.last = done.catch(() => undefined);
            await done;
        }
        this.refuseInterrupted();
    }

    /**
     * Records that a node's container is being replaced. The node gets requests only after the proxies' health checks have
     * passed.
     */
    replacing(node: NamedNode): void {
        this.refuseInterrupted();
        if (this.nodes.has(node)) {
            this.nodes.set(node, { fresh: true });
        }
    }

    /** Records that a replaced node is ready. It may get requests at once. */
    ready(node: NamedNode): void {
        if (this.nodes.has(node)) {
            this.nodes.set(node, { fresh: false });
        }
    }

    private async uncordonAll(): Promise<void> {
        await this.uncordon([...this.nodes.keys()]);
        const nodes = [...this.withoutReads];
        if (nodes.length > 0) {
            await this.proxies.set(namesOf(nodes), "ready reads");
            this.withoutReads.clear();
        }
    }

    /** Returns those of the nodes to service that are out. */
    async uncordon(nodes: readonly NamedNode[]): Promise<void> {
        const out = nodes.filter((node) => this.nodes.has(node));
        const whole = out.filter((node) => this.nodes.get(node)?.fresh === false);
        const fresh = out.filter((node) => !whole.includes(node));
        if (whole.length > 0) {
            await this.proxies.set(namesOf(whole), "ready");
            whole.forEach((node) => this.nodes.delete(node));
        }
        if (fresh.length > 0) {
            await this.proxies.set(namesOf(fresh), "ready after checks");
            fresh.forEach((node) => this.nodes.delete(node));
        }
    }

    private async interrupt(): Promise<void> {
        this.interrupted = true;
        await this.last;
        await this.uncordonAll();
    }

    /** @throws {Error} if the update was interrupted: no node may be taken out any more. */
    refuseInterrupted(): void {
        if (this.interrupted) {
            throw new Error("the update was interrupted");
        }
    }

    private leftOut(failure: unknown): string {
        const names = namesOf([...this.nodes.keys(), ...this.withoutReads]).join(", ");
        return names === ""
            ? ""
            : `\n${names} could not be put in service again: ${(failure as Error).message}. The next update does that first.`;
    }
}

function namesOf(nodes: readonly NamedNode[]): string[] {
    return nodes.map(({ name }) => name);
}
