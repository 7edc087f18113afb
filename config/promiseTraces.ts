import * as debuggable from "@pulumi/pulumi/runtime/debuggable";

/** The part of Pulumi's SDK that labels its promises. It isn't part of its public API. */
export interface PromiseLabels {
    debugPromiseLeaks?: boolean;
    debuggablePromise?: (promise: Promise<unknown>, context?: unknown) => Promise<unknown>;
}

/**
 * Keeps Pulumi's SDK from taking a stack trace for each of its promises, which are four for each property of each resource.
 * It shows them only if `PULUMI_DEBUG_PROMISE_LEAKS` is set; then they are taken. Errors keep their stack traces.
 */
export function omitPromiseTraces(labels: PromiseLabels = debuggable): void {
    const { debugPromiseLeaks, debuggablePromise } = labels;
    if (debugPromiseLeaks === true || debuggablePromise === undefined) {
        return;
    }
    labels.debuggablePromise = (promise, context) => {
        const limit = Error.stackTraceLimit;
        Error.stackTraceLimit = 0;
        try {
            return debuggablePromise(promise, context);
        } finally {
            Error.stackTraceLimit = limit;
        }
    };
}
