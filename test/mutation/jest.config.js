const {
    projects: [unit],
} = require("../../jest.config.js");

// The tests of one folder of components, whose lines are changed: npm run test:mutation -- FOLDER.
const folder = process.env.MUTATED_FOLDER;

module.exports = {
    ...unit,
    rootDir: "../..",
    testTimeout: 120_000,
    testMatch: [`<rootDir>/test/unit/components/${folder}/**/*.test.ts`],
};
