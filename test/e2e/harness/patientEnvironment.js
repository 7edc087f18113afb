const { TestEnvironment } = require("jest-environment-node");

/**
 * How many times as long as a test asks for it may take: the limits at tests and hooks are those of a machine with nothing else
 * to do, and only keep a run from waiting for ever. What may not take long is measured by the test itself. Where a rule of the
 * contract is broken on purpose, many tests have to fail, and by their own limits.
 */
const PATIENCE = process.env.OBJECT_STORE_BROKEN_RULE === undefined ? 4 : 1;

/** Gives tests and hooks more time, on a machine where several run at once. */
class PatientEnvironment extends TestEnvironment {
    extended = new WeakSet();

    handleTestEvent({ name, hook, test }, { testTimeout }) {
        const part = name === "hook_start" ? hook : name === "test_fn_start" ? test : undefined;
        // A hook is called many times.
        if (part !== undefined && !this.extended.has(part)) {
            this.extended.add(part);
            part.timeout = (part.timeout ?? testTimeout) * PATIENCE;
        }
    }
}

module.exports = PatientEnvironment;
