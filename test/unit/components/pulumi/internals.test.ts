import * as pulumi from "@pulumi/pulumi";
import { ReadRequest } from "@pulumi/pulumi/proto/provider_pb";
import * as debuggable from "@pulumi/pulumi/runtime/debuggable";
import * as state from "@pulumi/pulumi/runtime/state";
import type { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { withMessageOnly } from "../../../../components/checks/problem";
import {
    answerImports,
    ERROR_PREFIX,
    isKnown,
    keepProgram,
    monitorConnection,
    omitDebugMessages,
    omitPromiseTraces,
    promiseOf,
    type PromiseLabels,
} from "../../../../components/pulumi/internals";
import { mockEngine } from "../../fakes/mockEngine";

/** An output that a preview doesn't know yet, as the SDK makes it. */
const unknown = async () => {
    await mockEngine();
    return pulumi.output(pulumi.unknown as unknown as pulumi.Output<string>);
};

describe("an output", () => {
    test("as a promise has its value", async () => {
        expect(await promiseOf(pulumi.output("value"))).toBe("value");
        expect(await promiseOf(await unknown())).toBeUndefined();
        expect(pulumi.isUnknown(await promiseOf(await unknown(), true))).toBe(true);
    });

    test("says whether its value is known", async () => {
        expect(await isKnown(pulumi.output("value"))).toBe(true);
        expect(await isKnown(await unknown())).toBe(false);
    });
});

describe("the end of a program", () => {
    // As the Automation API gives a state of its own to each run. The SDK's types don't show it; newer releases have it as a global.
    const { LocalStore } = state as unknown as { LocalStore: new () => object };
    const { asyncLocalStorage } = { ...global, ...state } as unknown as {
        asyncLocalStorage: AsyncLocalStorage<object>;
    };

    /** How the SDK's wait for a program ends. */
    const endOf = (end: (end: ReturnType<typeof keepProgram>) => void): Promise<string> =>
        asyncLocalStorage.run(new LocalStore(), () => {
            end(keepProgram(pulumi.runtime));
            return Promise.race([
                pulumi.runtime.disconnect().then(
                    () => "succeeded",
                    (error: unknown) => String(error),
                ),
                new Promise<string>((resolve) => setTimeout(() => resolve("waits"), 100)),
            ]);
        });

    test("is waited for", async () => {
        expect(await endOf(() => undefined)).toBe("waits");
        expect(await endOf((end) => end())).toBe("succeeded");
    });

    test("is that of the promise that it is ended with", async () => {
        expect(await endOf((end) => end(new Promise(() => undefined)))).toBe("waits");
        expect(await endOf((end) => end(Promise.resolve()))).toBe("succeeded");
        expect(await endOf((end) => end(Promise.reject(new Error("refused"))))).toBe("Error: refused");
    });
});

describe("the connection to Pulumi", () => {
    const sessions: ServerHttp2Session[] = [];
    const server = createServer().on("session", (session) => sessions.push(session));

    afterEach(() => {
        pulumi.runtime.resetOptions("project", "stack", -1, "", "", false, "");
        sessions.forEach((session) => session.destroy());
        server.close();
    });

    test("is lost once Pulumi has ended", async () => {
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const { port } = server.address() as AddressInfo;
        pulumi.runtime.resetOptions("project", "stack", -1, "", `127.0.0.1:${port}`, false, "");
        const isLost = monitorConnection(pulumi.runtime);
        await until(() => !isLost() && sessions.length > 0);
        expect(isLost()).toBe(false);
        sessions.forEach((session) => session.destroy());
        server.close();
        await until(isLost);
        expect(isLost()).toBe(true);
    });

    test("is never lost with mocks", async () => {
        await mockEngine();
        expect(monitorConnection(pulumi.runtime)()).toBe(false);
    });
});

/** Waits until something is so, five seconds at most. */
async function until(isSo: () => boolean): Promise<void> {
    for (let tries = 0; tries < 100 && !isSo(); tries++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

test("an error's message is one that is printed without the SDK's prefix", async () => {
    await mockEngine(false);
    /** What the SDK makes of the message of an error that an input of a resource fails with. */
    const messageOf = (error: Error) =>
        pulumi.runtime.serializeProperties("resource", { image: Promise.reject(error) }).then(
            () => "none",
            (failure: unknown) => (failure as Error).message,
        );
    // Older releases add none.
    expect(["refused", `${ERROR_PREFIX}"image": refused`]).toContain(await messageOf(new Error("refused")));
    expect(await messageOf(withMessageOnly(new Error("refused")))).toBe("refused");
});

describe("the SDK's own debug messages", () => {
    test("are not sent, and others are", async () => {
        const sent = jest.fn(() => Promise.resolve());
        const log: typeof pulumi.log = { ...pulumi.log, debug: sent };
        omitDebugMessages(log, {});
        await log.debug("a message");
        expect(sent).not.toHaveBeenCalled();
        expect(log.warn).toBe(pulumi.log.warn);
    });

    test("are sent with DEBUG in the environment", async () => {
        const sent = jest.fn(() => Promise.resolve());
        const log = { debug: sent };
        omitDebugMessages(log, { DEBUG: "1" });
        await log.debug();
        expect(sent).toHaveBeenCalled();
    });

    test("are sent by the function that is replaced", () => {
        const { debug } = pulumi.log;
        try {
            omitDebugMessages(pulumi.log, {});
            const replaced = pulumi.log.debug;
            // eslint-disable-next-line @typescript-eslint/no-require-imports -- what the SDK's own files get
            expect((require("@pulumi/pulumi/log") as typeof pulumi.log).debug).toBe(replaced);
        } finally {
            (pulumi.log as { debug: typeof debug }).debug = debug;
        }
    });
});

describe("the SDK's promises", () => {
    /** The SDK's own functions, in an object of their own. */
    const labelsOfSdk = (change: PromiseLabels = {}): Required<PromiseLabels> => ({
        ...(debuggable as Required<PromiseLabels>),
        ...change,
    });

    /** The stack trace that the SDK has attached to a new promise. */
    const traceOf = ({ debuggablePromise }: Required<PromiseLabels>): string => {
        const promise = Promise.resolve() as Promise<void> & { _debugStackTrace: string };
        void debuggablePromise(promise, "a test");
        return promise._debugStackTrace;
    };

    test("have no stack traces", () => {
        const labels = labelsOfSdk();
        expect(traceOf(labels)).toContain(__filename);
        omitPromiseTraces(labels);
        expect(traceOf(labels)).toMatch(/^Error(: )?$/);
    });

    test("are made by the function that is replaced", () => {
        const labels = debuggable as Required<PromiseLabels>;
        const { debuggablePromise } = labels;
        const made = jest.fn(debuggablePromise);
        try {
            labels.debuggablePromise = made;
            pulumi.runtime.rpcKeepAlive()();
            expect(made).toHaveBeenCalled();
        } finally {
            labels.debuggablePromise = debuggablePromise;
        }
    });

    test("leave errors their stack traces", () => {
        const labels = labelsOfSdk();
        omitPromiseTraces(labels);
        traceOf(labels);
        expect(new Error("of the program").stack).toContain(__filename);
    });

    test("pass a rejection on", async () => {
        const labels = labelsOfSdk();
        omitPromiseTraces(labels);
        const failure = new Error("of a resource");
        await expect(labels.debuggablePromise(Promise.reject(failure))).rejects.toBe(failure);
        expect(failure.stack).toContain(__filename);
    });

    test("keep their stack traces where PULUMI_DEBUG_PROMISE_LEAKS is set", () => {
        const labels = labelsOfSdk({ debugPromiseLeaks: true });
        omitPromiseTraces(labels);
        expect(traceOf(labels)).toContain(__filename);
    });

    test("stay as they are in an SDK without this function", () => {
        const labels: PromiseLabels = {};
        omitPromiseTraces(labels);
        expect(labels).toEqual({});
    });
});

test("a request to import a resource has properties, and another one keeps its own", () => {
    const { prototype } = ReadRequest as unknown as {
        prototype: { getProperties: (this: ReadRequest) => ReturnType<ReadRequest["getProperties"]> };
    };
    const { getProperties } = prototype;
    const read = (request: ReadRequest) => request.getProperties()?.toJavaScript();
    try {
        expect(read(new ReadRequest())).toBeUndefined();
        answerImports(ReadRequest);
        expect(read(new ReadRequest())).toEqual({});
        prototype.getProperties = () =>
            ({ toJavaScript: () => ({ name: "bucket" }) }) as unknown as ReturnType<ReadRequest["getProperties"]>;
        answerImports(ReadRequest);
        expect(read(new ReadRequest())).toEqual({ name: "bucket" });
    } finally {
        prototype.getProperties = getProperties;
    }
});
