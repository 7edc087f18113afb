import { DeleteObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Checkout } from "../harness/checkout";
import { get, s3ClientFor } from "../harness/clients";
import type { DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { foldersFor } from "../harness/driveFolders";
import { commandsOf } from "../harness/documentCommands";
import { contentOf, fillStore, type StoreContent } from "../harness/keptContent";
import type { Store } from "../harness/stores";
import { testImages } from "../harness/testRun";

const SECOND = 1000;

/** The cluster to back up. */
export interface BackupShape {
    nodeCount: number;
    drivesPerNode: number;
    /** Whether the drives are folders of the host instead of Docker volumes. */
    onFolders: boolean;
}

/** The page about restoring a backup. */
const RESTORE = "docs/how-to/restore.md";

/** Runs the commands in docs/how-to/backup.md and docs/how-to/restore.md, unchanged. */
export function backupSuite(store: () => Store, { nodeCount, drivesPerNode, onFolders }: BackupShape): void {
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "backup-"));
    const drives = join(folder, "drives");
    const backup = join(folder, "backup");
    const user = { accessKeyId: "somebody", secretAccessKey: "somebodys-secret" };
    let checkout: Checkout;
    let outputs: DeploymentOutputs;
    let content: StoreContent;

    beforeAll(async () => {
        const drivePaths = foldersFor(drives, nodeCount, drivesPerNode);
        checkout = await Checkout.make({
            ...store().config,
            nodeCount: String(nodeCount),
            drivesPerNode: String(drivesPerNode),
            ...(onFolders ? { drivePaths: JSON.stringify(drivePaths) } : {}),
        });
        checkout.shell(`npm run pulumi -- stack select --create ${checkout.stack}`);
        checkout.shell("npm run pulumi -- config set --secret secretKey a-secret-of-the-stack-file");
        checkout.up();
        outputs = checkout.outputs();
        await fillStore(s3ClientFor(outputs));
        await store().createUser(host, outputs, user);
        content = await contentOf(s3ClientFor(outputs, user));
    }, 300 * SECOND);

    afterAll(async () => {
        await checkout.remove();
        await emptyFolders();
        rmSync(folder, { recursive: true });
    }, 120 * SECOND);

    const variables = () => ({ stack: checkout.stack, cluster: checkout.clusterName, backup });

    /** The store's files belong to its user; only root can remove them. */
    const emptyFolders = () =>
        host.runOnVolumes(testImages().clients, { "/drives": drives }, "rm -rf /drives/*/* /drives/*/.[!.]*");

    /** Removes containers, volumes and networks with a name prefix, and the content of their drives. */
    const lose = async (prefix: string) => {
        await host.removeEverythingOf(prefix);
        await emptyFolders();
    };

    const expectEverythingBack = async () => {
        expect(checkout.outputs()).toEqual(outputs);
        await untilServed(outputs);
        expect(await contentOf(s3ClientFor(outputs, user))).toEqual(content);
    };

    test(
        "a backup leaves the store unchanged, and other users can't read it",
        async () => {
            checkout.shell(commandsOf("Back up", "docs/how-to/backup.md"), variables());
            expect(statSync(backup).mode & 0o777).toBe(0o700);
            await expectEverythingBack();
        },
        180 * SECOND,
    );

    /** Runs `npm run up`, which must fail with the volumes' names and a reference to the page about restoring them. */
    const expectRefusal = () => {
        const output = checkout.shellFailing(`npm run up -- --stack ${checkout.stack}`);
        expect(output).toContain(outputs.volumeNames[0]);
        expect(output).toContain(RESTORE);
    };

    test(
        "lost data volumes are not replaced by empty ones",
        async () => {
            const client = s3ClientFor(outputs);
            await client.send(new PutObjectCommand({ Bucket: "plain", Key: "later", Body: "later" }));
            await client.send(new DeleteObjectCommand({ Bucket: "plain", Key: "large" }));
            for (const container of [...outputs.nodeNames, ...outputs.nodeNames.map((name) => `${name}-prepare`)]) {
                await host.docker.getContainer(container).remove({ force: true });
            }
            for (const volume of outputs.volumeNames) {
                await host.docker.getVolume(volume).remove();
            }
            await emptyFolders();
            expectRefusal();
        },
        120 * SECOND,
    );

    test(
        "a restore brings back every object, version, policy and user at the time of the backup, and nothing later",
        async () => {
            checkout.shell(commandsOf("Restore", RESTORE), variables());
            await expectEverythingBack();
        },
        240 * SECOND,
    );

    test("existing volumes are never overwritten", () => {
        const output = checkout.shellFailing(commandsOf("Restore", RESTORE), variables());
        expect(output).toContain(`${outputs.volumeNames[0]} is not empty`);
    });

    test(
        "lost data volumes are not replaced by empty ones either if all other volumes of the nodes are lost too",
        async () => {
            await lose(`${checkout.clusterName}-pool`);
            expectRefusal();
        },
        120 * SECOND,
    );

    test(
        "a lost machine, including its state, is recreated from the backup",
        async () => {
            await lose(checkout.clusterName);
            checkout.forget();
            checkout.shell(commandsOf("State that is lost too", RESTORE), variables());
            checkout.shell(commandsOf("Restore", RESTORE), variables());
            await expectEverythingBack();
        },
        240 * SECOND,
    );
}

/** Waits until the proxy has a node that is up. A node that was down long enough needs two successful checks. */
async function untilServed(outputs: DeploymentOutputs): Promise<void> {
    for (let second = 0; (await get(outputs, `${outputs.s3Endpoint}/`)).status === 503; second++) {
        expect(second).toBeLessThan(60);
        await sleep(SECOND);
    }
}
