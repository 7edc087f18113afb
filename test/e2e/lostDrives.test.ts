import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressAt } from "../../components/naming/ipv4Network";
import { s3ClientFor } from "./harness/clients";
import { Deployment, type DeploymentConfig } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { expectRefused, inventoryOf } from "./harness/inventory";
import { testImages } from "./harness/testRun";
import { checksumOf, keepObject } from "./harness/traffic";

describe("a missing drive is reported, and never recreated silently", () => {
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "drives-"));
    const [drive = "", ...others] = ["drive", "other1", "other2", "other3", "other4"].map((name) => join(folder, name));
    const config: DeploymentConfig = { drivePaths: JSON.stringify([[drive]]) };
    let deployment: Deployment;
    let node: string;
    let checksum: string;

    beforeAll(async () => {
        [drive, ...others].forEach((path) => mkdirSync(path));
        deployment = await Deployment.create(config);
        await deployment.up();
        node = `${deployment.clusterName}-pool1-node1`;
        const client = s3ClientFor(await deployment.outputs());
        checksum = await keepObject(client, "kept", "object");
        client.destroy();
    }, 180_000);

    afterAll(async () => {
        await deployment.remove();
        // The store's files belong to its user; only root can remove them.
        await host.runOnVolumes(testImages().minio, { "/drives": folder }, "rm -rf /drives/*");
        rmSync(folder, { recursive: true });
    }, 180_000);

    const expectTheData = async () => {
        const client = s3ClientFor(await deployment.outputs());
        expect(await checksumOf(client, "kept", "object")).toBe(checksum);
        client.destroy();
    };

    const unmounted = new RegExp(
        `drivePaths\\[0\\]\\[0\\]: "${drive}" has none of the data of .*-pool1-node1-drive1: is the disk mounted there\\? ` +
            `Mount it, .* add "emptyDrives:node1" to allowedChanges`,
    );

    /** Expects a refusal while an empty folder replaces the mounted disk of a drive. */
    const expectUnmountedRefused = async (owner: string | undefined) => {
        const disk = join(folder, "the-disk");
        renameSync(drive, disk);
        mkdirSync(drive);
        try {
            if (owner !== undefined) {
                await host.runOnVolumes(testImages().minio, { "/drive": drive }, `chown ${owner} /drive`);
            }
            await expectRefused(deployment, config, { memory: "600" }, [unmounted]);
        } finally {
            rmSync(drive, { recursive: true });
            renameSync(disk, drive);
        }
    };

    const expectOthersRefused = () =>
        expectRefused(
            deployment,
            config,
            { nodeCount: "4", drivePaths: JSON.stringify(others.map((path) => [path])) },
            [
                /nodeCount: 4 doesn't match the data of the cluster .* give the cluster a new name beside the old one and copy the objects/,
                new RegExp(
                    `drivePaths\\[0\\]\\[0\\]: "${others[0]}" is not where the data of .* stands on "${drive}". Set it back, .* ` +
                        'add "drivePathChange" to allowedChanges',
                ),
            ],
        );

    describe("with all resources in place", () => {
        test(
            "a folder whose disk isn't mounted, and that belongs to the store's user",
            () => expectUnmountedRefused("1000:1000"),
            120_000,
        );

        test("other folders, and a cluster instead of one node", expectOthersRefused, 120_000);

        test("the bare word, which doesn't say for which node", () =>
            expectRefused(deployment, config, { allowedChanges: JSON.stringify(["emptyDrives"]) }, [
                /allowedChanges\[0\]: "emptyDrives" doesn't say for which drives: give "emptyDrives:node1"/,
            ]));

        test("a volume that was removed by hand, with its container, and is still in the state", async () => {
            for (const container of [node, `${node}-prepare`]) {
                await host.docker.getContainer(container).remove({ force: true });
            }
            await host.docker.getVolume(`${node}-drive1`).remove();
            expect(await deployment.upFailing()).toMatch(
                /-pool1-node1-drive1: it is in the stack's state but not on the engine/,
            );
        }, 120_000);

        test("after a refresh it is recreated on its folder, which needs no word, and the node network is replaced with one", async () => {
            const network = await host.docker.getNetwork(`${deployment.clusterName}-nodes`).inspect();
            const [{ Subnet: former = "" } = {}] = (network as { IPAM: { Config: { Subnet?: string }[] } }).IPAM.Config;
            config["subnet"] = `${addressAt(former, 0)}/25`;
            await deployment.refresh();
            await deployment.configure({ ...config, allowedChanges: JSON.stringify(["networkChange"]) });
            await deployment.up();
            await deployment.unset("allowedChanges");
            expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
            await expectTheData();
        }, 180_000);
    });

    describe("after `down`, with the volumes alone", () => {
        beforeAll(() => deployment.down(), 120_000);

        test("a folder whose disk isn't mounted", () => expectUnmountedRefused(undefined), 120_000);

        test("other folders, and a cluster instead of one node", expectOthersRefused, 120_000);

        test("another node network isn't refused: there is none", async () => {
            await deployment.unset("subnet");
            expect(await deployment.preview()).toMatch(/\d+ to create/);
        }, 120_000);

        test("a volume that was removed by hand isn't refused: its folder has the data", async () => {
            await host.docker.getVolume(`${node}-drive1`).remove();
            expect(await deployment.preview()).toMatch(/\d+ to create/);
        }, 120_000);

        test("every volume removed by hand: only the state knows them, and no empty ones replace them", async () => {
            await host.docker.getVolume(`${node}-secrets`).remove();
            expect(await deployment.upFailing()).toMatch(
                /-pool1-node1-drive1: it is in the stack's state but not on the Docker daemon.* Restore it from a backup .* run `pulumi refresh`/,
            );
            const there = await inventoryOf(host, deployment.clusterName);
            expect(there.filter((entry) => /node1/.test(entry))).toEqual([]);

            await deployment.refresh();
            await deployment.up();
            await expectTheData();
        }, 180_000);
    });
});

describe("drives of a cluster are emptied only as their erasure set bears it", () => {
    const host = new DockerHost();
    const config: DeploymentConfig = { nodeCount: "4" };
    let deployment: Deployment;
    let checksum: string;

    beforeAll(async () => {
        deployment = await Deployment.create(config);
        await deployment.up();
        const client = s3ClientFor(await deployment.outputs());
        checksum = await keepObject(client, "kept", "object");
        client.destroy();
    }, 300_000);

    afterAll(() => deployment.remove(), 120_000);

    const nodeOf = (number: number) => `${deployment.clusterName}-pool1-node${number}`;

    /** Removes a node's drive, with what mounts it. The drive is gone from the state, too. */
    const lose = async (...numbers: number[]) => {
        for (const node of numbers.map(nodeOf)) {
            for (const container of [node, `${node}-prepare`]) {
                await host.docker.getContainer(container).remove({ force: true });
            }
            await host.docker.getVolume(`${node}-drive1`).remove();
        }
        await deployment.refresh();
    };

    const allow = (...words: string[]) => ({ allowedChanges: JSON.stringify(words) });

    test("the lost drive of one node, unless a word names the node", async () => {
        await lose(3);
        const gone =
            /storeName: .* had data in .*-pool1-node3-drive1, .* Restore it from a backup .* add "emptyDrives:node3" to/;
        await expectRefused(deployment, config, {}, [gone]);
        await expectRefused(deployment, config, allow("emptyDrives:node2"), [gone]);
    }, 240_000);

    test("it begins empty with the word, and the store heals it; then the word isn't needed", async () => {
        await deployment.configure({ ...config, ...allow("emptyDrives:node3") });
        await deployment.up();
        expect(await deployment.preview()).toMatch(/this update doesn't need "emptyDrives:node3"/);
        await deployment.unset("allowedChanges");
        const client = s3ClientFor(await deployment.outputs());
        expect(await checksumOf(client, "kept", "object")).toBe(checksum);
        client.destroy();
    }, 300_000);

    test("three of four, whatever is allowed", async () => {
        await lose(1, 2, 4);
        const words = ["node1", "node2", "node3", "node4"].flatMap((name) => [
            `emptyDrives:${name}`,
            `unhealedDrives:${name}`,
        ]);
        await expectRefused(deployment, config, allow(...words), [
            /node1 drive 1, node2 drive 1, node4 drive 1 would be empty.*can lose 2, so objects would be lost, and no value of allowedChanges allows that/,
        ]);
    }, 240_000);
});
