/** One reason why an input is refused. */
export interface Problem {
    /** Path of the property, as the user wrote it: `nodeCount`, `drivePaths[1][0]`. */
    propertyPath: string;
    /** The value (never a secret), the allowed values, and what to do. */
    reason: string;
}

/** What Pulumi's SDK (3.276.0) puts before the message of an error, once for each resource with an output that waits for it. */
const SDK_PREFIX = "error serializing property ";

/**
 * Makes an error's message all that Pulumi prints of it.
 *
 * - Without a stack trace: for every other error, Pulumi makes Node.js colour it. In some releases of Node.js 20 that never ends
 *   if a line contains a path such as `node_modules/@pulumi/resource.ts`.
 * - Without the SDK's prefix: its assignment to the message has no effect, other assignments have.
 */
export function withMessageOnly<Failure extends Error>(error: Failure): Failure {
    let { message } = error;
    error.stack = "";
    return Object.defineProperty(error, "message", {
        configurable: true,
        get: () => message,
        set: (text: string) => {
            if (!text.startsWith(SDK_PREFIX)) {
                message = text;
            }
        },
    });
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
