const onTheEngine = {
    globalSetup: "<rootDir>/test/e2e/harness/globalSetup.ts",
    globalTeardown: "<rootDir>/test/e2e/harness/globalTeardown.ts",
    testEnvironment: "<rootDir>/test/e2e/harness/patientEnvironment.js",
};

const shared = {
    transform: { "^.+\\.ts$": ["@swc/jest", { jsc: { target: "es2022", parser: { syntax: "typescript" } } }] },
    testEnvironment: "node",
};

// What counts failed requests, and so has the machine for itself: one after the other, after everything else.
const underLoad = ["nodeFaults", "reload", "rollout"];
const moreUnderLoad = ["chaos", "composition", "floatingAddress", "renewals", "rotation"];

// What `npm run test:full` runs, and not `npm test`: it takes long, or needs images and programs that nothing else does.
const longer = [
    "acme",
    "acmeBehindProxy",
    "acmeHosts",
    "acmeStores",
    "acmeTrouble",
    "adopt",
    "backup",
    "backupRecipe",
    "browser",
    "buckets",
    "changes",
    "checks",
    "clients",
    "componentPackage",
    "dnsChallenge",
    "edgeLimits",
    "examples",
    "growth",
    "inputs",
    "ipv6",
    "interrupted",
    "lostDrives",
    "lostPeer",
    "monitoring",
    "move",
    "npmPackage",
    "openIdConnect",
    "playground",
    "remoteState",
    "removedHosts",
    "replacedHost",
    "replacedHosts",
    "replication",
    "severalStores",
    "signIn",
    "startOrder",
    "status",
    "virtualHostBuckets",
    "watchdog",
];

// What `npm run test:images` runs on the official images, beside its own suites.
const onOfficialImages = ["acme", "browser", "cluster", "full/rustfs", "oneNode", "reload"];

const files = (names) => names.map((name) => `<rootDir>/test/e2e/${name}.test.ts`);
const elsewhere = [...underLoad, ...moreUnderLoad, ...longer].map((name) => `/e2e/${name}\\.test\\.ts$`);

module.exports = {
    // End-to-end suites wait for health checks most of their time.
    maxWorkers: 3,
    // What may take longer says so itself; end-to-end suites get a multiple of all limits (patientEnvironment.js).
    testTimeout: 120_000,
    reporters: ["default", "<rootDir>/test/closingLineReporter.js"],
    projects: [
        {
            ...shared,
            displayName: "unit",
            setupFiles: ["<rootDir>/test/unit/noEngine.js"],
            testMatch: ["<rootDir>/test/unit/**/*.test.ts"],
        },
        {
            ...shared,
            ...onTheEngine,
            displayName: "e2e",
            testMatch: ["<rootDir>/test/e2e/*.test.ts"],
            testPathIgnorePatterns: elsewhere,
        },
        { ...shared, ...onTheEngine, displayName: "load", testMatch: files(underLoad) },
        { ...shared, ...onTheEngine, displayName: "longer", testMatch: files(longer) },
        { ...shared, ...onTheEngine, displayName: "longer-load", testMatch: files(moreUnderLoad) },
        { ...shared, ...onTheEngine, displayName: "full", testMatch: ["<rootDir>/test/e2e/full/*.test.ts"] },
        { ...shared, ...onTheEngine, displayName: "chaos", testMatch: ["<rootDir>/test/e2e/chaos/*.test.ts"] },
        { ...shared, ...onTheEngine, displayName: "upgrades", testMatch: ["<rootDir>/test/e2e/upgrades/*.test.ts"] },
        { ...shared, ...onTheEngine, displayName: "versions", testMatch: ["<rootDir>/test/e2e/versions/*.test.ts"] },
        {
            ...shared,
            ...onTheEngine,
            displayName: "images",
            testMatch: [...files(onOfficialImages), "<rootDir>/test/e2e/images/*.test.ts"],
        },
        { ...shared, ...onTheEngine, displayName: "hour", testMatch: ["<rootDir>/test/e2e/hour/*.test.ts"] },
    ],
};
