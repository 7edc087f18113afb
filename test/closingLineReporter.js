const { writeFileSync } = require("node:fs");
const { relative } = require("node:path");
const { stripVTControlCharacters } = require("node:util");

const SECOND = 1000;

/**
 * At the end of a Jest run, prints how long each test file took, and one plain line with the numbers of passed and
 * failed tests. If OBJECT_STORE_RUN_RECORD names a file, this run is a part of `npm test`: the reporter writes both to
 * that file, and `npm test` prints one line for all parts.
 */
class ClosingLineReporter {
    constructor({ rootDir }) {
        this.rootDir = rootDir;
    }

    onRunComplete(_contexts, results) {
        const record = {
            passed: results.numPassedTests,
            failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
            files: results.testResults.map((file) => this.fileOf(file)),
        };
        const target = process.env.OBJECT_STORE_RUN_RECORD;
        if (target !== undefined) {
            writeFileSync(target, JSON.stringify(record));
            return;
        }
        for (const { file, seconds } of [...record.files].sort((one, other) => other.seconds - one.seconds)) {
            console.log(`${seconds.toFixed(1).padStart(8)} s  ${file}`);
        }
        console.log(`${record.passed} passed, ${record.failed} failed`);
    }

    fileOf({
        testFilePath,
        displayName,
        perfStats,
        testExecError,
        numPassingTests,
        numFailingTests,
        testResults: tests,
    }) {
        return {
            file: relative(this.rootDir, testFilePath),
            project: displayName?.name,
            passed: numPassingTests,
            failed: numFailingTests + (testExecError ? 1 : 0),
            seconds: (perfStats.end - perfStats.start) / SECOND,
            failures: [
                ...(testExecError
                    ? [{ test: "the file itself", message: plain(testExecError.stack ?? testExecError.message) }]
                    : []),
                ...tests
                    .filter(({ status }) => status === "failed")
                    .map(({ fullName, failureMessages }) => ({
                        test: fullName,
                        message: plain(failureMessages.join("\n")),
                    })),
            ],
        };
    }
}

/** A message without colours. */
function plain(message) {
    return stripVTControlCharacters(message ?? "");
}

module.exports = ClosingLineReporter;
