import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { satisfies } from "semver";
import type { ObjectStoreArgs } from "../../../components";
import { SDK_VERSIONS, TYPESCRIPT_VERSIONS } from "../../versions/versions";
import { makeCheckoutFolder, type CheckoutFolder } from "../harness/checkoutFolder";
import { DockerHost } from "../harness/dockerHost";
import { freeClusterName, freePorts } from "../harness/freeResources";
import { expectNotUpdated, expectUpdated, INLINE_PROGRAM, inlineUpdates } from "../harness/inlineProgram";
import { inventoryOf } from "../harness/inventory";
import {
    expectServing,
    PACKAGE_PROGRAM,
    packPackage,
    PackageConsumer,
    type PackedPackage,
} from "../harness/packageConsumer";
import { stackDefaults } from "../harness/stackDefaults";
import { testImages } from "../harness/testRun";

describe.each(SDK_VERSIONS)(`the npm package on Node.js ${process.version}, with @pulumi/pulumi %s`, (sdk) => {
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "package-"));
    let checkout: CheckoutFolder;
    let packed: PackedPackage;
    let consumer: PackageConsumer;
    let clusterName = "";

    beforeAll(() => {
        checkout = makeCheckoutFolder();
        packed = packPackage(checkout.project, folder);
        consumer = new PackageConsumer("commonjs", packed.file, sdk, TYPESCRIPT_VERSIONS);
        consumer.write("index.ts", readFileSync(PACKAGE_PROGRAM, "utf8"));
        consumer.write("automation.ts", readFileSync(INLINE_PROGRAM, "utf8"));
        consumer.install();
    }, 300_000);

    afterAll(async () => {
        await consumer.remove();
        await host.removeEverythingOf(clusterName);
        [folder, checkout.folder].forEach((path) => rmSync(path, { recursive: true, force: true }));
    }, 120_000);

    test("one copy of Pulumi", () => {
        expect(consumer.copiesOf("@pulumi/pulumi")).toHaveLength(1);
    });

    test("it is type-checked by each version of TypeScript that Pulumi allows, the pinned one among them", () => {
        const range = consumer.peersOf("@pulumi/pulumi")["typescript"] ?? "";
        const allowed = TYPESCRIPT_VERSIONS.filter((version) => satisfies(version, range));
        expect(allowed).toContain(TYPESCRIPT_VERSIONS[0]);
        allowed.forEach((version) =>
            consumer.compileBy(version, "--noEmit", "--module", "node16", "--moduleResolution", "node16"),
        );
    });

    test("a store that serves, a second preview without changes, and its removal", async () => {
        clusterName = await freeClusterName();
        const stack = await consumer.stack(checkout.pulumiHome, await stackDefaults(clusterName));
        const { outputs } = await stack.up();
        await expectServing(outputs);
        expect(Object.keys((await stack.preview()).changeSummary)).toEqual(["same"]);
        await stack.destroy();
        expect(await host.namesOf(clusterName)).toEqual([]);
    }, 300_000);

    test("an update by a function that is refused ends, and changes nothing", async () => {
        const name = await freeClusterName();
        const [httpPort, httpsPort] = await freePorts();
        const { standIn: image, haproxy: haproxyImage } = testImages();
        const args = {
            ...{ s3Host: "s3.localhost", consoleHost: "console.localhost", publishAddress: "127.0.0.1" },
            ...{ httpPort, httpsPort, storeName: name, profile: "service", image, haproxyImage, retainData: false },
        };
        const state = mkdtempSync(join(folder, "inline-"));
        try {
            const update = (...updates: ObjectStoreArgs[]) =>
                inlineUpdates(consumer.folder, [join("out", "automation.js")], state, updates);
            consumer.compile();
            expectUpdated(update(args)[0]);
            const before = await inventoryOf(host, name);
            const [refused, repeated] = update({ ...args, cpus: 4096 }, args);
            expectNotUpdated(refused, /cpus: 4096/);
            expectUpdated(repeated);
            expect(await inventoryOf(host, name)).toEqual(before);
        } finally {
            await host.removeEverythingOf(name);
        }
    }, 300_000);
});
