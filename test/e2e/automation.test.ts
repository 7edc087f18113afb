import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ObjectStoreArgs } from "../../components";
import { PROJECT } from "../../tools/paths";
import { DockerHost } from "./harness/dockerHost";
import { freeClusterName, freePorts } from "./harness/freeResources";
import { expectNotUpdated, expectUpdated, INLINE_PROGRAM, inlineUpdates } from "./harness/inlineProgram";
import { inventoryOf } from "./harness/inventory";
import { emptyImage, type DerivedImage } from "./harness/rolloutImage";
import { testImages } from "./harness/testRun";

// Pulumi waits for all registrations of such a program before it returns, and deletes what the program has not registered.
describe("a program of the Automation API that is a function", () => {
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "automation-"));
    let name: string;
    let args: ObjectStoreArgs;
    let empty: DerivedImage;

    /** Runs updates in one process, one after the other. */
    const update = (...changes: Partial<ObjectStoreArgs>[]) =>
        inlineUpdates(
            PROJECT,
            ["--import", "tsx", INLINE_PROGRAM],
            folder,
            changes.map((change) => ({ ...args, ...change })),
        );

    beforeAll(async () => {
        name = await freeClusterName();
        empty = await emptyImage(host);
        const [httpPort, httpsPort] = await freePorts();
        const { standIn: image, haproxy: haproxyImage } = testImages();
        args = {
            ...{ s3Host: "s3.localhost", consoleHost: "console.localhost", publishAddress: "127.0.0.1" },
            ...{ httpPort, httpsPort, storeName: name, profile: "service", image, haproxyImage },
            ...{ nodeCount: 2, allowDrivesOnOneDevice: true, retainData: false, retainCertificates: false },
        };
        expectUpdated(update({})[0]);
    }, 300_000);

    afterAll(async () => {
        await host.removeEverythingOf(name);
        await empty.remove();
        rmSync(folder, { recursive: true });
    }, 120_000);

    test("ends with an update that is refused, and touches nothing; the next update in the same process succeeds", async () => {
        const before = await inventoryOf(host, name);
        const [byEngine, byNode, asBefore] = update({ cpus: 4096 }, { image: empty.reference }, {});
        expectNotUpdated(byEngine, /cpus: 4096/);
        expectNotUpdated(byNode, /image: .* can't be used/);
        expectUpdated(asBefore);
        expect(await inventoryOf(host, name)).toEqual(before);
    }, 300_000);

    test("ends with an update in which a node doesn't start: only that node was replaced", async () => {
        const containers = async () => (await inventoryOf(host, name)).filter((entry) => / [0-9a-f]{64}$/.test(entry));
        const before = await containers();
        const [failed] = update({ environment: { SERVICE_HEALTH_PEER_TIMEOUT_SECS: "wrong" }, readyTimeout: 10 });
        expectNotUpdated(failed, /is not ready 10 s after/);
        const after = await containers();
        expect(after).toHaveLength(before.length);
        expect(before.filter((entry) => !after.includes(entry))).toEqual([expect.stringContaining("-node1 ")]);
        expectUpdated(update({})[0]);
    }, 300_000);
});
