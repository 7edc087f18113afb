import { withMessageOnly } from "../checks/problem";

/**
 * Makes Pulumi print an engine's failure by its message alone, as it does with its own `RunError`. That one would load the SDK, and
 * commands for operators use engines without it.
 */
export function engineError<Failure extends Error>(error: Failure): Failure {
    return Object.assign(withMessageOnly(error), { __pulumiRunError: true });
}
