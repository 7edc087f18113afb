import type * as pulumi from "@pulumi/pulumi";
import { Gate } from "../pulumi/gate";
import { settled } from "../pulumi/settled";
import type { NodeSteps } from "./dependencies";

/** The gates at which a node's resources wait. */
export interface GatesOfNode {
    /** Its files may be written. */
    prepare: Gate;
    /** Its container may be created or replaced. */
    replace: Gate;
}

/** The outputs of a node that the rollout waits for. */
interface NodeOutputs {
    inputs: Promise<string>;
    prepared: Promise<unknown>;
}

/** The gates at which the nodes' resources wait until the rollout lets them go on. */
export class NodeGates {
    private readonly gates = new Map<string, GatesOfNode>();
    private readonly outputs = new Map<string, NodeOutputs>();

    /** Makes the gates of a node. */
    of(name: string): GatesOfNode {
        const gates = { prepare: new Gate(), replace: new Gate() };
        this.gates.set(name, gates);
        return gates;
    }

    /** Adds a node whose resources wait at its gates. See `ClusterUpdate.add`. */
    add(name: string, inputs: pulumi.Output<string>, prepared: pulumi.Output<unknown>): void {
        this.outputs.set(name, { inputs: settled(inputs), prepared: settled(prepared) });
    }

    /** Digests of the inputs of the nodes' containers, by the nodes' names. */
    async inputs(): Promise<Map<string, string>> {
        const digests = [...this.outputs].map(async ([name, { inputs }]) => [name, await inputs] as const);
        return new Map(await Promise.all(digests));
    }

    /** Lets a node go on at once that takes no part in the rollout. */
    release(name: string): void {
        this.open(name);
        this.gates.delete(name);
        this.outputs.delete(name);
    }

    /** The steps that open the gates. */
    steps(containers: ReadonlyMap<string, pulumi.Output<string>>): NodeSteps {
        const ids = new Map([...containers].map(([name, id]) => [name, settled(id)]));
        return {
            prepare: async (name) => {
                this.gates.get(name)?.prepare.open();
                await this.outputs.get(name)?.prepared;
            },
            replace: (name) => {
                this.open(name);
                return ids.get(name) ?? Promise.resolve("");
            },
        };
    }

    /** Lets every node fail that hasn't gone on yet. */
    fail(error: unknown): void {
        this.gates.forEach(({ prepare, replace }) => [prepare, replace].forEach((gate) => gate.fail(error)));
    }

    private open(name: string): void {
        const { prepare, replace } = this.gates.get(name) ?? {};
        prepare?.open();
        replace?.open();
    }
}
