import PatientEnvironment from "../e2e/harness/patientEnvironment";

/** What Jest hands to an environment: a hook or a test, with its limit in milliseconds where it has one of its own. */
interface Part {
    timeout?: number;
}

/** The environment's own part, without the virtual machine around it. */
function environment(): (event: { name: string; hook?: Part; test?: Part }) => void {
    const handle = PatientEnvironment.prototype.handleTestEvent.bind({ extended: new WeakSet() });
    return (event) => handle(event, { testTimeout: 30_000 });
}

describe("the limits of end-to-end tests are those of an idle machine, and get a multiple", () => {
    test("of a test's own limit", () => {
        const slow: Part = { timeout: 60_000 };
        environment()({ name: "test_fn_start", test: slow });
        expect(slow.timeout).toBe(240_000);
    });

    test("of the default one", () => {
        const slow: Part = {};
        environment()({ name: "test_fn_start", test: slow });
        expect(slow.timeout).toBe(120_000);
    });

    test("once, for a hook that is called before each test", () => {
        const hook: Part = { timeout: 10_000 };
        const handle = environment();
        handle({ name: "hook_start", hook });
        handle({ name: "hook_start", hook });
        expect(hook.timeout).toBe(40_000);
    });

    test("at no other event", () => {
        const quick: Part = { timeout: 1000 };
        environment()({ name: "test_done", test: quick });
        expect(quick.timeout).toBe(1000);
    });
});
