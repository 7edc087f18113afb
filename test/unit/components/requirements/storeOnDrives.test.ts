import { minioProfile, rustfsProfile, serviceProfile, type ServiceProfile } from "../../../../components";
import { LABELS } from "../../../../components/naming/labels";
import { checkClusterChange } from "../../../../components/requirements/clusterChanges";
import { changesOfAllNodes } from "../../../../components/requirements/neededOutage";
import type { DeployedCluster, DeployedNode } from "../../../../components/requirements/deployedCluster";
import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import { markText, readMark } from "../../../../components/requirements/migrationMark";
import { checkStore } from "../../../../components/requirements/storeOnDrives";
import { layOut } from "../../../../components/store/topology";

const POOLS = [{ nodeCount: 2 }];
const SUBNET = "10.200.7.0/24";

const keysOf = ({ variables }: ServiceProfile) => ({ [variables.accessKey]: "key", [variables.secretKey]: "secret" });

const placesOf = (profile: ServiceProfile, pools = POOLS) => {
    const labels = { [LABELS.stack]: "project/stack", [LABELS.component]: "store" };
    return layOut({ clusterName: "store", profileName: profile.name, pools, subnet: SUBNET, labels }).nodes;
};

const desiredAs = (profile: ServiceProfile, more: Partial<DesiredCluster> = {}): DesiredCluster => ({
    clusterName: "store",
    stackName: "project/stack",
    componentName: "store",
    profile,
    pools: POOLS,
    nodes: placesOf(profile),
    networkName: "store-nodes",
    subnet: SUBNET,
    networkKind: "bridge",
    alike: { image: "", names: [], values: [] },
    secrets: keysOf(profile),
    allowedChanges: [],
    namesPools: false,
    ...more,
});

/** A cluster that one store has created, and whose nodes were prepared for, and run, others. */
function deployedAs(created: ServiceProfile, nodes: Partial<DeployedNode>[]): DeployedCluster {
    const places = placesOf(created);
    return {
        nodes: places.map(({ name }, index) => ({
            name,
            container: {
                name,
                id: name,
                state: "running",
                imageId: "sha256:1",
                labels: {},
                networks: [],
                addresses: {},
            },
            imageNames: [],
            unread: false,
            secrets: keysOf(created),
            runningSecrets: keysOf(created),
            ...nodes[index],
        })),
        drives: places.flatMap(({ drives }) =>
            drives.map(({ volumeName: volume, labels }) => ({ volume, labels, hostPath: undefined })),
        ),
        formerDrives: [],
        otherDrives: [],
        volumesInState: [],
        otherVolumes: [],
        subnet: SUBNET,
        networkKind: "bridge",
        imageId: undefined,
        formed: true,
    };
}

const ofBoth = (node: Partial<DeployedNode>) => [node, node];
const ofMinio = deployedAs(minioProfile, []);
const onRustfs = deployedAs(
    minioProfile,
    ofBoth({ secrets: keysOf(rustfsProfile), runningSecrets: keysOf(rustfsProfile) }),
);

test("other names of the same store's variables are no other store", () => {
    const variables = { ...serviceProfile.variables, accessKey: "ROOT_USER", secretKey: "ROOT_PASSWORD" };
    const renamed = { ...serviceProfile, variables };
    const deployed = deployedAs(serviceProfile, []);
    const refused = (profile: ServiceProfile) =>
        checkClusterChange(deployed, desiredAs(profile, { allowedChanges: ["outage"] })).map(
            ({ propertyPath }) => propertyPath,
        );
    expect(refused(renamed)).not.toContain("profile");
    expect(refused(minioProfile)).toContain("profile");
});

describe("another store on existing data", () => {
    const refusal = (deployed: DeployedCluster, profile: ServiceProfile) =>
        checkStore(deployed, desiredAs(profile)).map(({ reason }) => reason);
    const toRustfs = { store: "rustfs", from: "minio" };

    test("is refused, with the command that migrates", () => {
        expect(refusal(ofMinio, rustfsProfile)).toEqual([
            expect.stringMatching(
                /^"rustfs" doesn't match the data .* profile minio\. Set it back.*npm run migrate -- --to rustfs/,
            ),
        ]);
        expect(refusal(ofMinio, serviceProfile)).toEqual([expect.not.stringContaining("migrate")]);
    });

    test("while a migration hasn't ended, every store is refused, with both commands", () => {
        const migrating = { ...ofMinio, mark: { store: "minio", to: "rustfs" } };
        for (const profile of [minioProfile, rustfsProfile]) {
            expect(refusal(migrating, profile)).toEqual([
                expect.stringMatching(
                    /`npm run migrate -- --to rustfs` goes on, `npm run migrate -- --back` returns to minio/,
                ),
            ]);
        }
    });

    test("once it was migrated, the new store is taken, and all nodes are replaced together without a word; the former one is refused", () => {
        const migrated = { ...ofMinio, mark: toRustfs };
        expect(checkClusterChange(migrated, desiredAs(rustfsProfile))).toEqual([]);
        expect(changesOfAllNodes(migrated, desiredAs(rustfsProfile))).toEqual(["the store"]);
        expect(refusal(migrated, minioProfile)).toEqual([expect.stringContaining("npm run migrate -- --back")]);
    });

    test("afterwards it is as if the store had made the data", () => {
        const desired = desiredAs(rustfsProfile, { alike: undefined });
        expect(checkClusterChange({ ...onRustfs, mark: toRustfs }, desired)).toEqual([]);
        expect(changesOfAllNodes({ ...onRustfs, mark: toRustfs }, desired)).toEqual([]);
    });

    test("while the variables can't be read, a volume's label of the other store refuses nothing", () => {
        const unread = deployedAs(
            minioProfile,
            ofBoth({ container: undefined, unread: true, secrets: undefined, runningSecrets: undefined }),
        );
        expect(refusal(unread, rustfsProfile)).toEqual([]);
    });

    test("keeps the root keys", () => {
        const secrets = { ...keysOf(rustfsProfile), [rustfsProfile.variables.secretKey]: "another" };
        expect(checkClusterChange({ ...ofMinio, mark: toRustfs }, desiredAs(rustfsProfile, { secrets }))).toEqual([
            expect.objectContaining({ propertyPath: "secretKey" }),
        ]);
    });
});

test.each([
    [{ store: "minio", to: "rustfs" }, "minio migrating-to rustfs"],
    [{ store: "rustfs", from: "minio" }, "rustfs from minio"],
])("a mark is read as it was written: %j", (mark, text) => {
    expect(markText(mark)).toBe(text);
    expect(readMark(`${text}\n`)).toEqual(mark);
    expect(readMark("")).toBeUndefined();
});
