import * as pulumi from "@pulumi/pulumi";
import { ended } from "./settled";

/**
 * Makes an update wait for the outputs of a component, and fail if one of them fails. Call it directly after `super()`: Pulumi
 * waits in the order of the calls, and before 3.270 outputs of children never end after a failure.
 *
 * A program of the Automation API that is a function has ended, for Pulumi, once the function has returned and all
 * registrations have ended. If an output fails in the meantime, Pulumi (3.142 to 3.276) first deletes all resources that were
 * not registered for that reason, and then reports the error.
 *
 * @param others Outputs that the component doesn't have, and that can fail. Its constructor may add to them.
 */
export function awaitedByProgram(
    component: pulumi.ComponentResource,
    others: readonly pulumi.Output<unknown>[] = [],
): void {
    if (pulumi.runtime.isDryRun()) {
        return;
    }
    // Resolves a promise that Pulumi waits for, as its types don't show.
    const end = pulumi.runtime.rpcKeepAlive() as (ended: Promise<unknown>) => void;
    // By then the constructor has returned, or thrown.
    const made = Promise.resolve().then(() => [...outputsOf(component), ...others]);
    end(made.then((outputs) => Promise.all(outputs.map(ended))));
}

function outputsOf(component: pulumi.ComponentResource): pulumi.Output<unknown>[] {
    return (Object.values(component) as unknown[]).filter((value) => pulumi.Output.isInstance(value));
}
