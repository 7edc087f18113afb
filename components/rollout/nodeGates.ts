import type * as pulumi from "@pulumi/pulumi";
import { settled } from "../pulumi/settled";
import type { NodeSteps } from "./dependencies";

/**
 * Two promises: the first resolves when a node's files may be written, the second when its container may be created or
 * replaced. Both resolve to no resources, for `dependsOn`.
 */
export interface Turns {
    prepare: Promise<pulumi.Resource[]>;
    replace: Promise<pulumi.Resource[]>;
}

/** The two gates at which a node's resources wait, and the outputs of the node that the rollout waits for. */
interface NodeGate {
    inputs: Promise<string>;
    prepared: Promise<unknown>;
    prepare: Gate;
    replace: Gate;
}

/** A promise of no resources, and the functions that settle it. */
interface Gate {
    opened: Promise<pulumi.Resource[]>;
    open: () => void;
    fail: (error: unknown) => void;
}

/** The gates at which the nodes' resources wait until the rollout lets them go on. */
export class NodeGates {
    private readonly gates = new Map<string, NodeGate>();

    /** Makes the gates of a node. See `Rollout.turnOf`. */
    add(name: string, inputs: pulumi.Output<string>, prepared: pulumi.Output<unknown>): Turns {
        const [prepare, replace] = [gate(), gate()];
        this.gates.set(name, { inputs: settled(inputs), prepared: settled(prepared), prepare, replace });
        return { prepare: prepare.opened, replace: replace.opened };
    }

    /** Digests of the inputs of the nodes' containers, by the nodes' names. */
    async inputs(): Promise<Map<string, string>> {
        const digests = [...this.gates].map(async ([name, { inputs }]) => [name, await inputs] as const);
        return new Map(await Promise.all(digests));
    }

    /** Lets a node go on at once that takes no part in the rollout. */
    release(name: string): void {
        this.gates.get(name)?.prepare.open();
        this.gates.get(name)?.replace.open();
        this.gates.delete(name);
    }

    /** The steps that open the gates. */
    steps(containers: ReadonlyMap<string, pulumi.Output<string>>): NodeSteps {
        const ids = new Map([...containers].map(([name, id]) => [name, settled(id)]));
        return {
            prepare: async (name) => {
                this.gates.get(name)?.prepare.open();
                await this.gates.get(name)?.prepared;
            },
            replace: (name) => {
                this.gates.get(name)?.prepare.open();
                this.gates.get(name)?.replace.open();
                return ids.get(name) ?? Promise.resolve("");
            },
        };
    }

    /** Lets every node fail that hasn't gone on yet. Without that, the program would wait for it forever. */
    fail(error: unknown): void {
        this.gates.forEach(({ prepare, replace }) => [prepare, replace].forEach((turn) => turn.fail(error)));
    }
}

function gate(): Gate {
    let open: () => void = () => undefined;
    let fail: (error: unknown) => void = () => undefined;
    const opened = new Promise<pulumi.Resource[]>((resolve, reject) => {
        open = () => resolve([]);
        fail = reject;
    });
    return { opened, open, fail };
}
