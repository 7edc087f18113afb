const { TestEnvironment } = require("jest-environment-node");

/**
 * Factor for the time limits of tests and hooks. The limits in the tests assume an idle machine, and only keep a run
 * from waiting forever; a test that has to be fast measures the time itself. If a contract rule is broken on purpose,
 * many tests have to fail within their own limits, so the factor is 1.
 */
const PATIENCE = process.env.OBJECT_STORE_BROKEN_RULE === undefined ? 4 : 1;

/** Multiplies the time limits of tests and hooks, on a machine where several suites run at once. */
class PatientEnvironment extends TestEnvironment {
    extended = new WeakSet();

    handleTestEvent({ name, hook, test }, { testTimeout }) {
        const part = name === "hook_start" ? hook : name === "test_fn_start" ? test : undefined;
        // A hook runs many times; its limit must be multiplied only once.
        if (part !== undefined && !this.extended.has(part)) {
            this.extended.add(part);
            part.timeout = (part.timeout ?? testTimeout) * PATIENCE;
        }
    }
}

module.exports = PatientEnvironment;
