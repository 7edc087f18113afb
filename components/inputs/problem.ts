/** One reason why an input is refused. */
export interface Problem {
    /** Path of the property, as the user wrote it: `nodeCount`, `drivePaths[1][0]`. */
    propertyPath: string;
    /** The value (never a secret), the allowed values, and what to do. */
    reason: string;
}

/**
 * Makes an error's message, as it is now, all that Pulumi prints.
 *
 * - Without a stack trace: for every other error, Pulumi makes Node.js colour it. In some releases of Node.js 20 that never ends
 *   if a line contains a path such as `node_modules/@pulumi/resource.ts`.
 * - Whatever is assigned to its message: Pulumi's SDK (3.276.0) puts `error serializing property` before it, once for each
 *   resource with an output that waits for what failed.
 */
export function withMessageOnly<Failure extends Error>(error: Failure): Failure {
    const { message } = error;
    error.stack = "";
    return Object.defineProperty(error, "message", { configurable: true, get: () => message, set: () => undefined });
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
