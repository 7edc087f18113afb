import * as pulumi from "@pulumi/pulumi";
import { describeProblems, withMessageOnly, type Problem } from "./problem";

/**
 * Turns a failure into an error of the component. Failed requests to the engine or a proxy arrive as errors of a library.
 */
export function componentError(component: pulumi.Resource, error: unknown): Error {
    return error instanceof pulumi.ResourceError || error instanceof pulumi.InputPropertiesError
        ? error
        : withMessageOnly(new pulumi.ResourceError((error as Error).message, component, true));
}

/**
 * Refuses the inputs of a component, with every problem at once, before any of its children exists.
 *
 * Only the error's message names the properties. For properties in its list `errors`, Pulumi's engine would print the
 * values, including secret ones, if the component is used by a program in another language.
 *
 * @throws {pulumi.InputPropertiesError} if there is a problem.
 */
export function refuse(component: string, problems: Problem[]): void {
    if (problems.length > 0) {
        const message = `${component} can't be deployed with these args:\n${describeProblems(problems)}`;
        throw withMessageOnly(new pulumi.InputPropertiesError({ message, errors: [] }));
    }
}
