const { writeFileSync } = require("node:fs");

/**
 * Writes the result of each test that ran to OBJECT_STORE_OUTCOME_FILE. Jest's own JSON reporter can't serialize every
 * error.
 */
class OutcomeReporter {
    onRunComplete(_contexts, { testResults: files }) {
        const ran = files
            .flatMap(({ testResults: tests }) => tests)
            .filter(({ status }) => status === "passed" || status === "failed")
            .map(({ status, failureMessages }) => ({ status, reason: failureMessages.join("\n") }));
        writeFileSync(process.env.OBJECT_STORE_OUTCOME_FILE, JSON.stringify(ran));
    }
}

module.exports = OutcomeReporter;
