import type { DeploymentOutputs } from "../harness/deployment";
import type { Checkout } from "../harness/checkout";
import type { DockerHost } from "../harness/dockerHost";

/** Two stacks of one checkout between which a store is moved, and how clients reach both. */
export interface MovePlace {
    checkout: Checkout;
    /** Names of the two stacks. */
    from: string;
    to: string;
    /** Engine of the first stack. */
    host: DockerHost;
    /** Engine of the second stack's first node. */
    nextHost: DockerHost;
    /** Runs what the second stack needs before its first update. */
    prepare: () => Promise<void>;
    /** Opens a stack for clients on this machine, once it is deployed. Returns its outputs as such a client uses them. */
    open: (stack: string) => Promise<DeploymentOutputs>;
    remove: () => Promise<void>;
}

/** The outputs of a stack. */
export function outputsOf(checkout: Checkout, stack: string): DeploymentOutputs {
    return JSON.parse(
        checkout.shell(`npm run --silent pulumi -- stack output --json --show-secrets --stack ${stack}`),
    ) as DeploymentOutputs;
}
