/** Ends a run with one plain line that says how many tests passed and failed. */
class ClosingLineReporter {
    onRunComplete(_contexts, results) {
        const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
        console.log(`${results.numPassedTests} passed, ${failed} failed`);
    }
}

module.exports = ClosingLineReporter;
