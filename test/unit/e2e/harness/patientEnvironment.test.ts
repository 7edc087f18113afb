import PatientEnvironment from "../../../e2e/harness/patientEnvironment";

/** Jest's event for an environment: a hook or a test, with its own time limit in milliseconds, if it has one. */
interface Part {
    timeout?: number;
}

/** The environment's own code, without the virtual machine around it. */
function environment(): (event: { name: string; hook?: Part; test?: Part }) => void {
    const handle = PatientEnvironment.prototype.handleTestEvent.bind({ extended: new WeakSet() });
    return (event) => handle(event, { testTimeout: 30_000 });
}

describe("the time limits of end-to-end tests assume an idle machine, and are multiplied", () => {
    test("for a test with its own limit", () => {
        const slow: Part = { timeout: 60_000 };
        environment()({ name: "test_fn_start", test: slow });
        expect(slow.timeout).toBe(240_000);
    });

    test("for the default limit", () => {
        const slow: Part = {};
        environment()({ name: "test_fn_start", test: slow });
        expect(slow.timeout).toBe(120_000);
    });

    test("only once, for a hook that runs before each test", () => {
        const hook: Part = { timeout: 10_000 };
        const handle = environment();
        handle({ name: "hook_start", hook });
        handle({ name: "hook_start", hook });
        expect(hook.timeout).toBe(40_000);
    });

    test("for no other event", () => {
        const quick: Part = { timeout: 1000 };
        environment()({ name: "test_done", test: quick });
        expect(quick.timeout).toBe(1000);
    });
});
