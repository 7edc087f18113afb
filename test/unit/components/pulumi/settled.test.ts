import * as pulumi from "@pulumi/pulumi";
import { ended, settled } from "../../../../components/pulumi/settled";

/** An output that a preview doesn't know yet. */
const unknown = new (pulumi.Output as unknown as new (...state: unknown[]) => pulumi.Output<string>)(
    [],
    Promise.resolve(undefined),
    Promise.resolve(false),
    Promise.resolve(false),
    Promise.resolve(new Set()),
);

/** An output that fails. Pulumi's own would end the test's process by promises that no one waits for. */
const failed = {
    promise: () => Promise.reject(new Error("refused")),
    apply: () => failed,
} as unknown as pulumi.Output<string>;

/** What a promise has come to after everything that was pending. */
const stateOf = async (promise: Promise<unknown>): Promise<string> =>
    Promise.race([
        promise.then((value) => `resolved: ${String(value)}`).catch((error: unknown) => `rejected: ${String(error)}`),
        new Promise<string>((resolve) => setTimeout(() => resolve("pending"), 50)),
    ]);

describe("an output as a promise", () => {
    test.each([
        ["known", pulumi.output("value"), "resolved: value", "resolved: undefined"],
        ["unknown, in a preview", unknown, "pending", "resolved: undefined"],
        ["failed", failed, "rejected: Error: refused", "rejected: Error: refused"],
    ])("of a value that is %s", async (_, output, asSettled, asEnded) => {
        expect(await stateOf(settled(output))).toBe(asSettled);
        expect(await stateOf(ended(output))).toBe(asEnded);
    });
});
