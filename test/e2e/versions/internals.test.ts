import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";
import { OLDEST_CLIENT, SDK_VERSIONS } from "../../versions/versions";
import { finishedCommand } from "../harness/finishedCommand";

/** Unit tests of what is used of a package beyond what it promises. */
const TESTS = ["pulumi/internals", "docker/dockerodeInternals"].map((name) => `test/unit/components/${name}.test.ts`);

test.each(SDK_VERSIONS.map((sdk, index) => [sdk, index === 0 ? OLDEST_CLIENT : `^${OLDEST_CLIENT}`]))(
    "@pulumi/pulumi %s and dockerode %s have what is used of them beyond their types",
    (sdk, client) => {
        const folder = mkdtempSync(join(tmpdir(), "internals-"));
        try {
            const packages = [`@pulumi/pulumi@${sdk}`, `dockerode@${client}`];
            const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
            finishedCommand(folder, "npm", ["install", "--prefix", folder, ...options, ...packages]);
            const jest = join(PROJECT, "node_modules", "jest", "bin", "jest.js");
            finishedCommand(PROJECT, process.execPath, [jest, ...TESTS, "--selectProjects", "unit"], {
                OBJECT_STORE_TESTED_PACKAGES: folder,
                // The record of this run isn't the one of those tests.
                OBJECT_STORE_RUN_RECORD: "",
            });
        } finally {
            rmSync(folder, { recursive: true, force: true });
        }
    },
    300_000,
);
