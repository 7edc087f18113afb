import * as pulumi from "@pulumi/pulumi";
import * as state from "@pulumi/pulumi/runtime/state";
import { awaitedByProgram } from "../../components/program/awaitedByProgram";

/** An output, as far as its end counts: a failed one of Pulumi's would end the test's process by promises that no one waits for. */
const outputOf = (promise: () => Promise<unknown>) =>
    ({ __pulumiOutput: true, promise }) as unknown as pulumi.Output<string>;
const known = outputOf(() => Promise.resolve("url"));
const failed = outputOf(() => Promise.reject(new Error("refused")));
/** As of a child that Pulumi before 3.270 couldn't register. */
const pending = outputOf(() => new Promise(() => undefined));

/** A component, as far as its outputs count. */
const component = (outputs: { [name: string]: unknown }) => outputs as unknown as pulumi.ComponentResource;

// Pulumi's types don't show it.
const { withLocalStorage } = state as unknown as { withLocalStorage: <Result>(run: () => Result) => Result };

/** How Pulumi's wait for a program ends, in a state of its own, as the Automation API gives it to each run. */
const endOf = (program: () => void): Promise<string> =>
    withLocalStorage(async () => {
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
            awaitedByProgram(component({ url: known, name: "plain" }), [known]);
            awaitedByProgram(component({}));
        });
        expect(end).toBe("succeeded");
    });

    test.each([
        ["an output", { url: failed }, []],
        ["what isn't among its outputs", {}, [failed]],
    ])("fails with %s, although a child waits for what never ends", async (_, outputs, others) => {
        const end = await endOf(() => {
            const made: { [name: string]: unknown } = {};
            const further: pulumi.Output<unknown>[] = [];
            awaitedByProgram(component(made), further);
            awaitedByProgram(component({ id: pending }));
            Object.assign(made, { id: pending, ...outputs });
            further.push(...others);
        });
        expect(end).toBe("Error: refused");
    });
});
