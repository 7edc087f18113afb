const onTheEngine = {
    globalSetup: "<rootDir>/test/e2e/harness/globalSetup.ts",
    globalTeardown: "<rootDir>/test/e2e/harness/globalTeardown.ts",
    testEnvironment: "<rootDir>/test/e2e/harness/patientEnvironment.js",
};

const shared = {
    transform: { "^.+\\.ts$": ["@swc/jest", { jsc: { target: "es2022", parser: { syntax: "typescript" } } }] },
    testEnvironment: "node",
};

// Which test belongs to which tier, and so to `npm test` or to a longer command.
const { projects, longerUnitTests } = require("./test/tiers/tiers.json");

const endToEnd = ({ name, files, repeats = [] }) => ({
    ...shared,
    ...onTheEngine,
    displayName: name,
    testMatch: [...files, ...repeats].map((file) => `<rootDir>/test/e2e/${file}.test.ts`),
});

// Where other releases of what the code relies on are installed: npm run test:versions runs the tests of the internals with each.
const { OBJECT_STORE_TESTED_PACKAGES: tested } = process.env;
const moduleNameMapper =
    tested === undefined ? {} : { "^(@pulumi/pulumi|dockerode)($|/.*)": `${tested}/node_modules/$1$2` };

const unit = (displayName, files) => ({
    ...shared,
    moduleNameMapper,
    displayName,
    setupFiles: ["<rootDir>/test/unit/noEngine.js"],
    ...files,
});

module.exports = {
    // End-to-end suites wait for health checks most of their time.
    maxWorkers: 3,
    // What may take longer says so itself; end-to-end suites get a multiple of all limits (patientEnvironment.js).
    testTimeout: 120_000,
    testSequencer: "<rootDir>/test/tierSequencer.js",
    reporters: ["default", "<rootDir>/test/closingLineReporter.js"],
    projects: [
        unit("unit", {
            testMatch: ["<rootDir>/test/unit/**/*.test.ts"],
            testPathIgnorePatterns: longerUnitTests.map((name) => `/${name}\\.test\\.ts$`),
        }),
        unit("longer-unit", { testMatch: longerUnitTests.map((name) => `<rootDir>/test/unit/**/${name}.test.ts`) }),
        ...projects.map(endToEnd),
    ],
};
