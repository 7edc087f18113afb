/** One reason why an input is refused. */
export interface Problem {
    /** Path of the property, as the user wrote it: `nodeCount`, `drivePaths[1][0]`. */
    propertyPath: string;
    /** The value (never a secret), the allowed values, and what to do. */
    reason: string;
}

/**
 * Removes the stack trace of an error whose message is sufficient. For every other error, Pulumi makes Node.js colour the
 * stack trace. In some releases of Node.js 20 that never ends if a line contains a path such as
 * `node_modules/@pulumi/resource.ts`.
 */
export function withoutStack<Failure extends Error>(error: Failure): Failure {
    error.stack = "";
    return error;
}

/** All problems as text, one per line. */
export function describeProblems(problems: Problem[]): string {
    return problems.map(({ propertyPath, reason }) => `  - ${propertyPath}: ${reason}`).join("\n");
}

/** Problems whose reasons show none of these values, because they are secret. */
export function withoutValues(problems: Problem[], secrets: string[]): Problem[] {
    const shown = secrets.filter((secret) => secret !== "").sort((one, other) => other.length - one.length);
    return problems.map(({ propertyPath, reason }) => ({
        propertyPath,
        reason: shown.reduce((text, secret) => text.replaceAll(`"${secret}"`, "[secret]"), reason),
    }));
}

/** Problems of a component's args, with the name of the parent property prepended to their paths. */
export function under(parent: string, problems: Problem[]): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({ propertyPath: `${parent}.${propertyPath}`, reason }));
}
