import * as sdk from "@pulumi/pulumi/runtime/debuggable";
import { omitPromiseTraces, type PromiseLabels } from "../../../config/promiseTraces";

/** The SDK's own functions, in an object of their own. */
function labelsOfSdk(change: PromiseLabels = {}): Required<PromiseLabels> {
    return { ...(sdk as Required<PromiseLabels>), ...change };
}

/** The stack trace that the SDK has attached to a new promise. */
function traceOf({ debuggablePromise }: Required<PromiseLabels>): string {
    const promise = Promise.resolve() as Promise<void> & { _debugStackTrace: string };
    void debuggablePromise(promise, "a test");
    return promise._debugStackTrace;
}

test("the SDK's promises have no stack traces", () => {
    const labels = labelsOfSdk();
    expect(traceOf(labels)).toContain(__filename);
    omitPromiseTraces(labels);
    expect(traceOf(labels)).toMatch(/^Error(: )?$/);
});

test("errors keep their stack traces", () => {
    const labels = labelsOfSdk();
    omitPromiseTraces(labels);
    traceOf(labels);
    expect(new Error("of the program").stack).toContain(__filename);
});

test("a rejection of such a promise is passed on", async () => {
    const labels = labelsOfSdk();
    omitPromiseTraces(labels);
    const failure = new Error("of a resource");
    await expect(labels.debuggablePromise(Promise.reject(failure))).rejects.toBe(failure);
    expect(failure.stack).toContain(__filename);
});

test("where PULUMI_DEBUG_PROMISE_LEAKS is set, promises keep their stack traces", () => {
    const labels = labelsOfSdk({ debugPromiseLeaks: true });
    omitPromiseTraces(labels);
    expect(traceOf(labels)).toContain(__filename);
});

test("an SDK without this function stays as it is", () => {
    const labels: PromiseLabels = {};
    omitPromiseTraces(labels);
    expect(labels).toEqual({});
});
