import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import type { DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { commandBlocks, commandsOf } from "../harness/documentCommands";
import { configLinesOf } from "../harness/documentConfig";
import { foldersFor } from "../harness/driveFolders";
import { contentOf, fillStore, type StoreContent } from "../harness/keptContent";
import type { Store } from "../harness/stores";
import { testImages } from "../harness/testRun";

const MINUTE = 60_000;

/** What docs/how-to/grow.md replaces. */
interface StackFile {
    config: { [key: string]: unknown; "object-store:pools": object[] };
}

/**
 * The commands of the pages about disks, word for word, one page after the other, on a cluster whose drives are folders.
 *
 * @param nodes Number of nodes: with one of three stopped, two others say whether all drives are healed; one has nobody to ask.
 */
export function disksSuite(store: () => Store, nodes: 1 | 3): void {
    const drivesPerNode = nodes === 1 ? 4 : 2;
    const last = `node${nodes}`;
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "disks-"));
    const disks = join(folder, "disks");
    let checkout: Checkout;
    let outputs: DeploymentOutputs;
    let content: StoreContent;

    beforeAll(async () => {
        checkout = await Checkout.make({
            ...store().config,
            nodeCount: String(nodes),
            drivesPerNode: String(drivesPerNode),
            drivePaths: JSON.stringify(foldersFor(disks, nodes, drivesPerNode)),
        });
        checkout.up();
        outputs = checkout.outputs();
        await fillStore(s3ClientFor(outputs));
        content = await contentOf(s3ClientFor(outputs));
    }, 6 * MINUTE);

    afterAll(async () => {
        await checkout.remove();
        // The store's files belong to its user; only root can remove them.
        await onDisks("rm -rf /disks/*");
        rmSync(folder, { recursive: true });
    }, 2 * MINUTE);

    const onDisks = (script: string) => host.runOnVolumes(testImages().clients, { "/disks": disks }, script);

    const run = (commands: string | undefined) =>
        checkout.shell(`set -e\n${commands ?? "exit 1"}`, {
            stack: checkout.stack,
            backup: join(folder, "backup"),
            name: last,
            node: `${checkout.clusterName}-pool1-${last}`,
        });

    const expectEverything = async () => {
        const { accessKey, secretKey, caCertificate } = outputs;
        expect(checkout.outputs()).toMatchObject({ accessKey, secretKey, caCertificate });
        expect(await contentOf(s3ClientFor(outputs))).toEqual(content);
    };

    test(
        "a disk is replaced by an empty one, and the store heals it",
        async () => {
            const [remove, empty, askNobody, update] = commandBlocks("Steps", "docs/how-to/replace-a-disk.md");
            run(remove);
            await onDisks(`rm -rf /disks/${last}-drive1/* /disks/${last}-drive1/.[!.]*`);
            run(empty);
            if (nodes === 1) {
                run(askNobody);
            }
            run(update);
            const objectsOn = (disk: string) =>
                onDisks(`cd /disks/${disk} && ls -d plain/*/xl.meta plain/*/*/*/xl.meta versioned/*/xl.meta`);
            expect(await objectsOn(`${last}-drive1`)).toContain("versioned/document/xl.meta");
            expect(await objectsOn(`${last}-drive1`)).toBe(await objectsOn(`${last}-drive2`));
            await expectEverything();
        },
        12 * MINUTE,
    );

    test(
        "a store is moved to another host with its disks",
        async () => {
            const page = "docs/how-to/move-to-another-host.md";
            const [leave, arrive] = commandBlocks("Steps with the disks", page);
            run(leave);
            // What the other host doesn't have.
            await host.removeEverythingOf(checkout.clusterName);
            checkout.forget();
            run(commandsOf("State that is lost too", "docs/how-to/restore.md"));
            run(arrive);
            expect(run(commandsOf("Check", page))).toMatch(/^Healthy$/m);
            await expectEverything();
        },
        8 * MINUTE,
    );

    if (nodes === 1) {
        // It can't become a pool.
        return;
    }

    test(
        "a store grows by a pool",
        async () => {
            const page = "docs/how-to/grow.md";
            const file = join(checkout.path, `Pulumi.${checkout.stack}.yaml`);
            const { config } = parse(readFileSync(file, "utf8")) as StackFile;
            const others = Object.entries(config).filter(
                ([key]) => !/:(nodeCount|drivesPerNode|drivePaths)$/.test(key),
            );
            const { config: added } = parse(configLinesOf("Steps", page)) as StackFile;
            const pools = [disks, join(disks, "added")].map((parent) => ({
                nodeCount: nodes,
                drivesPerNode,
                drivePaths: foldersFor(parent, nodes, drivesPerNode),
            }));
            expect(added["object-store:pools"]).toHaveLength(pools.length);
            writeFileSync(
                file,
                stringify({ config: { ...Object.fromEntries(others), ...added, "object-store:pools": pools } }),
            );
            const [preview, update, permission] = commandBlocks("Steps", page);
            expect(run(preview)).toMatch(/pool2-node3/);
            run(update);
            run(permission);
            const status = run(commandsOf("Check", page));
            expect(status).toMatch(/pool2-node3/);
            expect(status).toMatch(/^Healthy$/m);
            await expectEverything();
        },
        8 * MINUTE,
    );
}
