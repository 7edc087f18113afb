import type * as pulumi from "@pulumi/pulumi";
import type { ReadRequest } from "@pulumi/pulumi/proto/provider_pb";

// What is used of Pulumi's SDK (3.142 to 3.276) that neither its types nor its documents promise. The tests of this file fail if a
// release changes it; `npm run test:versions` runs them with the oldest and the pinned one. Parts of the SDK are passed in, since
// commands that import this file don't load it.

/** What the SDK (3.276) puts before the message of an error, once for each resource with an output that waits for it. */
export const ERROR_PREFIX = "error serializing property ";

/**
 * An output as a promise. It rejects with the output's error.
 *
 * @param withUnknowns Whether a value that a preview doesn't know is shown as unknown. Default: it is undefined.
 */
export function promiseOf(output: pulumi.Output<unknown>, withUnknowns?: boolean): Promise<unknown> {
    const { promise } = output as unknown as { promise: (withUnknowns?: boolean) => Promise<unknown> };
    return promise(withUnknowns);
}

/** Whether an output's value is known once it is there: in a preview it may not be. */
export function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
    return (output as unknown as { isKnown: Promise<boolean> }).isKnown;
}

/**
 * Makes Pulumi wait for a program until the returned function is called. Called with a promise, Pulumi waits for that one, and fails
 * as it does.
 */
export function keepProgram({
    rpcKeepAlive,
}: Pick<typeof pulumi.runtime, "rpcKeepAlive">): (result?: Promise<unknown>) => void {
    return rpcKeepAlive();
}

/** The part of a gRPC client's channel that shows whether the server has gone. */
interface Channel {
    getConnectivityState(connect: boolean): number;
}

/** Values of gRPC's `connectivityState`: no connection can be made; the client was closed. */
const LOST = [3, 4];

/** Returns a function that says whether Pulumi's resource monitor has gone. In a test with mocks it never has. */
export function monitorConnection({ getMonitor }: Pick<typeof pulumi.runtime, "getMonitor">): () => boolean {
    const monitor = getMonitor() as { getChannel?: () => Channel } | undefined;
    const channel = monitor?.getChannel?.();
    return () => channel !== undefined && LOST.includes(channel.getConnectivityState(true));
}

/** The part of the SDK that sends debug messages to the engine. */
export interface DebugLog {
    debug: typeof pulumi.log.debug;
}

/**
 * Keeps the SDK from sending its own debug messages, about four requests to the engine for each resource, which it sends even if
 * nobody reads them. With `DEBUG` in the environment they are sent; then `pulumi up --debug` shows them.
 */
export function omitDebugMessages(
    log: DebugLog,
    environment: { [name: string]: string | undefined } = process.env,
): void {
    if (environment["DEBUG"] === undefined) {
        log.debug = () => Promise.resolve();
    }
}

/** The part of the SDK that labels its promises: its module `runtime/debuggable`. */
export interface PromiseLabels {
    debugPromiseLeaks?: boolean;
    debuggablePromise?: (promise: Promise<unknown>, context?: unknown) => Promise<unknown>;
}

/**
 * Keeps the SDK from taking a stack trace for each of its promises, which are four for each property of each resource. It shows them
 * only if `PULUMI_DEBUG_PROMISE_LEAKS` is set; then they are taken. Errors keep their stack traces.
 */
export function omitPromiseTraces(labels: PromiseLabels): void {
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

/**
 * Lets the SDK's server answer a request to import a resource. Such a request has no properties, only an id, and the server
 * (3.270) fails on it before it asks the provider.
 */
export function answerImports(request: { prototype: ReadRequest }): void {
    const { prototype } = request as {
        prototype: { getProperties: (this: ReadRequest) => object | undefined };
    };
    const { getProperties } = prototype;
    prototype.getProperties = function () {
        return getProperties.call(this) ?? { toJavaScript: () => ({}) };
    };
}
