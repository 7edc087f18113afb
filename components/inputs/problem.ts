import * as pulumi from "@pulumi/pulumi";

/** One reason why an input is refused. */
export interface Problem {
    /** Path of the property, as the user wrote it: `nodeCount`, `drivePaths[1][0]`. */
    propertyPath: string;
    /** The value (never a secret), what is allowed, and what to do. */
    reason: string;
}

/**
 * An error whose message says everything. Pulumi has Node.js colour the stack of every other one, which
 * never ends with some releases of Node.js 20 where a line of it is as `node_modules/@pulumi/resource.ts`.
 */
export function withoutStack<Failure extends Error>(error: Failure): Failure {
    error.stack = "";
    return error;
}

/** A failure as an error of the component; what the engine or a proxy answered comes as an error of a library's. */
export function componentError(component: pulumi.Resource, error: unknown): Error {
    return error instanceof pulumi.ResourceError || error instanceof pulumi.InputPropertiesError
        ? error
        : withoutStack(new pulumi.ResourceError((error as Error).message, component, true));
}

/** All problems as text, one a line. */
export function describeProblems(problems: Problem[]): string {
    return problems.map(({ propertyPath, reason }) => `  - ${propertyPath}: ${reason}`).join("\n");
}

/**
 * Refuses the inputs of a component, with every problem at once, before any of its children exists.
 *
 * The error names properties by its message alone: of those in its list `errors` Pulumi's engine would print the values, secret ones
 * too, where the component is another language's program's.
 *
 * @throws {pulumi.InputPropertiesError} where there is a problem.
 */
export function refuse(component: string, problems: Problem[]): void {
    if (problems.length > 0) {
        const message = `${component} can't be deployed as asked:\n${describeProblems(problems)}`;
        throw withoutStack(new pulumi.InputPropertiesError({ message, errors: [] }));
    }
}

/** Problems of a component's args, under the name of the property that holds them. */
export function under(parent: string, problems: Problem[]): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({ propertyPath: `${parent}.${propertyPath}`, reason }));
}
