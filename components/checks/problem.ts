import { ERROR_PREFIX } from "../pulumi/internals";

/** One reason why an input is refused. */
export interface Problem {
    /** Path of the property, as the user wrote it: `nodeCount`, `drivePaths[1][0]`. */
    propertyPath: string;
    /** The value (never a secret), the allowed values, and what to do. */
    reason: string;
}

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
            if (!text.startsWith(ERROR_PREFIX)) {
                message = text;
            }
        },
    });
}

/** All problems as text, one per line. */
export function describeProblems(problems: Problem[]): string {
    return problems.map(({ propertyPath, reason }) => `  - ${propertyPath}: ${reason}`).join("\n");
}

/** Problems whose reasons show none of the texts and numbers in these values, because they are secret. */
export function withoutValues(problems: Problem[], secrets: unknown): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({ propertyPath, reason: withoutTexts(reason, secrets) }));
}

/** A message without the texts and numbers in these values: neither quoted nor as words. */
export function withoutTexts(message: string, secrets: unknown): string {
    const texts = textsIn(secrets).sort((one, other) => other.length - one.length);
    return texts.reduce((text, secret) => {
        const escaped = secret.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
        const shown = new RegExp(`"${escaped}"|(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`, "g");
        return text.replaceAll(shown, "[secret]");
    }, message);
}

/** All texts and numbers in a value. */
function textsIn(value: unknown): string[] {
    if (typeof value === "object" && value !== null) {
        return Object.values(value).flatMap(textsIn);
    }
    return typeof value === "number" || (typeof value === "string" && value !== "") ? [String(value)] : [];
}

/** The path that the user wrote of a property of a part: `additionalStores[0].nodeCount` of `nodeCount`. */
export type At = (propertyPath: string) => string;

/** Problems of a part, with the paths that the user wrote. */
export function located(at: At, problems: Problem[]): Problem[] {
    return problems.map(({ propertyPath, reason }) => ({ propertyPath: at(propertyPath), reason }));
}

/** Problems of a component's args, with the name of the parent property prepended to their paths. */
export function under(parent: string, problems: Problem[]): Problem[] {
    return located((propertyPath) => `${parent}.${propertyPath}`, problems);
}
