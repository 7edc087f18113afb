import * as pulumi from "@pulumi/pulumi";
import { ended } from "./settled";

/**
 * Makes an update wait for outputs of a component, and fail if they fail. Returns the outputs, for `registerOutputs`.
 *
 * A program of the Automation API that is a function has ended, for Pulumi, once the function has returned and all
 * registrations have ended. If an output fails in the meantime, Pulumi first deletes all resources that the function has
 * not registered for that reason, and then reports the error.
 */
export function failingProgram<Outputs extends pulumi.Inputs>(outputs: Outputs): Outputs {
    if (!pulumi.runtime.isDryRun()) {
        // Resolves a promise that Pulumi waits for, as its types don't show.
        const end = pulumi.runtime.rpcKeepAlive() as (ended: Promise<void>) => void;
        end(ended(pulumi.output(outputs)));
    }
    return outputs;
}
