import { randomBytes } from "node:crypto";
import { Deployment, type DeploymentConfig } from "./harness/deployment";
import { DockerHost } from "./harness/dockerHost";
import { expectRefused, inventoryOf } from "./harness/inventory";
import { minioStore, standInStore } from "./harness/stores";
import { runPrefix } from "./harness/testRun";

const POOLS = [
    { nodeCount: 2, drivesPerNode: 2 },
    { nodeCount: 2, drivesPerNode: 1 },
];

const KEYS = { accessKey: "the-access-key", secretKey: "the-secret-key" };

/** A change of stack config that the data doesn't allow, with the reasons in the error. */
interface Refusal {
    name: string;
    change: DeploymentConfig;
    reasons: string[];
    /** Reasons that are only reported while a network and containers exist. */
    reasonsOfWhatRuns?: string[];
}

const allow = (word: string) => `, or, if that is what you want, add "${word}" to allowedChanges`;

const REFUSALS: Refusal[] = [
    {
        name: "a pool is widened and gets fewer drives per node, another one is removed; other root keys, another network",
        change: {
            pools: JSON.stringify([{ nodeCount: 4, drivesPerNode: 1 }]),
            accessKey: "another-access-key",
            secretKey: "another-secret-key",
            subnet: "10.191.9.0/24",
        },
        reasons: [
            `pools\\[0\\]\\.nodeCount: 4 doesn't match the data .* grow by another pool at the end.*${allow("poolChange")}`,
            `pools\\[0\\]\\.drivesPerNode: 1 doesn't match the data .* was made with drivesPerNode 2.*${allow("poolChange")}`,
            `pools: has no pool 2, .*pools can't be removed. Set it back${allow("poolChange")}`,
            `accessKey: is not the one that the data of .* was made with .*${allow("rootKeyChange")}`,
            `secretKey: is not the one that the data of .* was made with .*${allow("rootKeyChange")}`,
        ],
        reasonsOfWhatRuns: [
            `subnet: "10\\.191\\.9\\.0/24" differs from the nodes' network .*${allow("networkChange")}`,
        ],
    },
    {
        name: "pools change places, under another store",
        change: { pools: JSON.stringify([...POOLS].reverse()), ...minioStore().config },
        reasons: [
            `pools\\[0\\]\\.drivesPerNode: 1 doesn't match the data .*${allow("poolChange")}`,
            `pools\\[1\\]\\.drivesPerNode: 2 doesn't match the data .*${allow("poolChange")}`,
            `profile: "minio" doesn't match the data .* with profile service\\. Set it back, or .*`,
        ],
    },
    {
        name: "another name",
        change: { storeName: `${runPrefix()}-${randomBytes(3).toString("hex")}` },
        reasons: [`storeName: .* is new, and this stack's data is under the name .*: set it back${allow("rename")}`],
    },
];

describe("changes that the data doesn't allow are refused, with and without a preview, and nothing is changed", () => {
    const host = new DockerHost();
    const withoutKeys = { ...standInStore().config, pools: JSON.stringify(POOLS) };
    const config: DeploymentConfig = { ...withoutKeys, ...KEYS };
    let deployment: Deployment;

    beforeAll(async () => {
        deployment = await Deployment.create(config);
        await deployment.up();
    }, 180_000);

    afterAll(() => deployment.remove(), 120_000);

    const refuse = (change: DeploymentConfig, reasons: string[]) =>
        expectRefused(
            deployment,
            { ...config, storeName: deployment.clusterName },
            change,
            reasons.map((reason) => new RegExp(reason)),
        );

    describe("with all resources in place", () => {
        test.each(REFUSALS)(
            "$name",
            ({ change, reasons, reasonsOfWhatRuns = [] }) => refuse(change, [...reasons, ...reasonsOfWhatRuns]),
            120_000,
        );

        test("a renamed stack without storeName, with data that Pulumi may delete", async () => {
            const { stackName, clusterName } = deployment;
            const renamed = `${runPrefix()}-${randomBytes(3).toString("hex")}`;
            await deployment.configure({ retainData: "false" });
            await deployment.rename(`renamed-${stackName}`);
            try {
                // A preview compares with the state. `npm run up` has no preview, and compares itself
                // (tools/stack/dataVolumes.ts).
                await deployment.configure({ storeName: renamed });
                expect(await deployment.previewFailing()).toMatch(
                    new RegExp(
                        `storeName: "${renamed}" is new, and this stack's data is under the name ${clusterName} .*: set it back${allow("rename")}`,
                    ),
                );
                await deployment.configure({ storeName: clusterName });
                // Under its previous name, the data is identified as the stack's own, whatever its labels are.
                const plan = await deployment.preview();
                expect(plan).not.toContain("is refused");
                // Every container is on the networks, so these are kept, with the labels of the previous name.
                expect(plan).not.toMatch(/docker:index:Network\b.*replace/);
            } finally {
                await deployment.rename(stackName);
                await deployment.unset("retainData");
            }
        }, 180_000);

        test("the removal of the data, which is protected", async () => {
            const volumes = (await host.namesOf(deployment.clusterName)).filter((name) => /-drive\d$/.test(name));
            const output = await deployment.destroyFailing();
            expect(output).toContain("cannot be deleted");
            expect(output).toContain("protect");
            expect(volumes).toHaveLength(6);
            expect(await host.namesOf(deployment.clusterName)).toEqual(expect.arrayContaining(volumes));
        }, 120_000);
    });

    describe("after `down`, with the volumes alone", () => {
        beforeAll(async () => {
            await deployment.down();
            const left = await host.namesOf(deployment.clusterName);
            expect(left.filter((name) => !/-(drive\d|secrets)$/.test(name))).toEqual([]);
        }, 120_000);

        test.each(REFUSALS)("$name", ({ change, reasons }) => refuse(change, reasons), 120_000);

        test("data of another stack, and newly generated root keys for existing data", async () => {
            const { clusterName, stackName } = deployment;
            const before = await inventoryOf(host, clusterName);
            const other = await Deployment.create({ ...withoutKeys, storeName: clusterName });
            try {
                const reason = `storeName: "${clusterName}" has data of the stack object-store/${stackName} .*: give this one another name`;
                for (const output of [await other.previewFailing(), await other.upFailing()]) {
                    expect(output).toMatch(new RegExp(reason + allow("otherStack")));
                }
                expect(await inventoryOf(host, clusterName)).toEqual(before);

                await other.configure({ allowedChanges: JSON.stringify(["otherStack"]) });
                const output = await other.upFailing();
                expect(output).toMatch(/accessKey: is not the one that the data of .* was made with/);
                const there = await inventoryOf(host, clusterName);
                expect(there).toEqual(expect.arrayContaining(before));
                expect(there.filter((entry) => /-(node\d|drive\d|secrets) /.test(entry))).toEqual(before);
            } finally {
                await other.remove();
            }
        }, 180_000);
    });
});
