import * as pulumi from "@pulumi/pulumi";
import * as state from "@pulumi/pulumi/runtime/state";
import { awaitedByProgram, outputsAwaitedByProgram } from "../../../../components/pulumi/awaitedByProgram";

/** An output, as far as its end counts: a failed one of Pulumi's would end the test's process by promises that no one waits for. */
const outputOf = (promise: () => Promise<unknown>) =>
    ({ __pulumiOutput: true, promise }) as unknown as pulumi.Output<string>;
const known = outputOf(() => Promise.resolve("url"));
const failed = outputOf(() => Promise.reject(new Error("refused")));
/** As of a child that Pulumi before 3.270 couldn't register. */
const pending = outputOf(() => new Promise(() => undefined));

/** A component, as far as its outputs count. */
const component = (outputs: { [name: string]: unknown }) => outputs as unknown as pulumi.ComponentResource;

// Pulumi's types don't show them.
const { withLocalStorage, setStackResource } = state as unknown as {
    withLocalStorage: <Result>(run: () => Result) => Result;
    setStackResource: (stack: object) => void;
};

/** How Pulumi's wait for a program ends, in a state of its own, as the Automation API gives it to each run. */
const endOf = (program: () => void): Promise<string> =>
    withLocalStorage(async () => {
        setStackResource({});
        program();
        return Promise.race([
            pulumi.runtime.disconnect().then(
                () => "succeeded",
                (error: unknown) => String(error),
            ),
            new Promise<string>((resolve) => setTimeout(() => resolve("never"), 100)),
        ]);
    });

describe("a program with a component", () => {
    test("ends if its outputs are known, and if its constructor has thrown", async () => {
        const end = await endOf(() => {
            outputsAwaitedByProgram(component({ url: known, name: "plain" }));
            outputsAwaitedByProgram(component({}));
            expect(awaitedByProgram(known)).toBe(known);
        });
        expect(end).toBe("succeeded");
    });

    test("fails with an output, although one before it never ends", async () => {
        const end = await endOf(() => {
            const made: { [name: string]: unknown } = {};
            outputsAwaitedByProgram(component(made));
            outputsAwaitedByProgram(component({ id: pending }));
            Object.assign(made, { id: pending, url: failed });
        });
        expect(end).toBe("Error: refused");
    });

    test("fails with what registrations depend on, although the outputs of their components never end", async () => {
        const end = await endOf(() => {
            outputsAwaitedByProgram(component({ id: pending }));
            awaitedByProgram(failed);
        });
        expect(end).toBe("Error: refused");
    });

    test("waits for what is added once all before it have ended", async () => {
        const end = await endOf(() => {
            awaitedByProgram(known);
            const registered = pulumi.runtime.rpcKeepAlive();
            setTimeout(() => {
                awaitedByProgram(failed);
                registered();
            }, 10);
        });
        expect(end).toBe("Error: refused");
    });
});
