import { minioProfile, rustfsProfile, serviceProfile, type ServiceProfile } from "../../components";
import type { Recovery } from "../../components/engine/trialRecovery";
import { LABELS } from "../../components/naming/labels";
import { checkClusterChange, unneededChanges } from "../../components/preflight/clusterChanges";
import type { DeployedCluster, DeployedNode } from "../../components/preflight/deployedCluster";
import type { DesiredCluster } from "../../components/preflight/desiredCluster";
import {
    checkTakeOver,
    continuationOf,
    describeTakeOver,
    isHalfTakenOver,
    takeOverOf,
} from "../../components/preflight/profileChange";
import { takeOverBetween, type TakeOver } from "../../components/store/profiles/takeOvers";
import { layOut } from "../../components/store/topology";

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
    allowedChanges: ["profileChange"],
    namesPools: false,
    ...more,
});

/** A cluster that one store has created, and whose nodes were prepared for, and run, others. */
function deployedAs(created: ServiceProfile, nodes: Partial<DeployedNode>[]): DeployedCluster {
    const places = placesOf(created);
    return {
        nodes: places.map(({ name }, place) => ({
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
            ...nodes[place],
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
const takenOver = deployedAs(
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
    test("is a take-over, which needs its word alone", () => {
        expect(takeOverOf(ofMinio, desiredAs(rustfsProfile))?.to.name).toBe("rustfs");
        expect(checkClusterChange(ofMinio, desiredAs(rustfsProfile))).toEqual([]);
        expect(checkClusterChange(ofMinio, desiredAs(rustfsProfile, { allowedChanges: [] }))).toEqual([
            expect.objectContaining({ propertyPath: "profile" }),
        ]);
    });

    test("afterwards the nodes' variables count, not the labels of the volumes: nothing is refused, the word isn't needed", () => {
        const desired = desiredAs(rustfsProfile, { alike: undefined });
        expect(takeOverOf(takenOver, desired)).toBeUndefined();
        expect(checkClusterChange(takenOver, { ...desired, allowedChanges: [] })).toEqual([]);
        expect(unneededChanges(takenOver, desired)).toEqual(["profileChange"]);
    });

    test("the way back needs the word too, although the labels are those of the first store", () => {
        expect(takeOverOf(takenOver, desiredAs(minioProfile))?.to.name).toBe("minio");
        expect(checkClusterChange(takenOver, desiredAs(minioProfile, { allowedChanges: [] }))).toHaveLength(1);
    });

    test("while the variables can't be read, a volume's label of the other store refuses nothing", () => {
        const unread = deployedAs(
            minioProfile,
            ofBoth({ container: undefined, unread: true, secrets: undefined, runningSecrets: undefined }),
        );
        expect(checkClusterChange(unread, desiredAs(rustfsProfile, { allowedChanges: [] }))).toEqual([]);
    });

    test("is half done if some nodes already run the new store", () => {
        const half = deployedAs(minioProfile, [
            { runningSecrets: keysOf(rustfsProfile), secrets: keysOf(rustfsProfile) },
        ]);
        expect(isHalfTakenOver(half, desiredAs(rustfsProfile))).toBe(true);
        expect(isHalfTakenOver(half, desiredAs(minioProfile))).toBe(true);
        expect(isHalfTakenOver(ofMinio, desiredAs(rustfsProfile))).toBe(false);
    });

    test.each<[string, Partial<DeployedNode>, ServiceProfile, Recovery, string]>([
        ["nodes of both exist", { runningSecrets: keysOf(rustfsProfile) }, rustfsProfile, "passed", "goesOn"],
        ["nodes of both exist", { runningSecrets: keysOf(rustfsProfile) }, rustfsProfile, "turnedBack", "refused"],
        ["nodes of both exist", { runningSecrets: keysOf(rustfsProfile) }, rustfsProfile, "nothing", "refused"],
        ["nodes of both exist", { runningSecrets: keysOf(rustfsProfile) }, minioProfile, "nothing", "goesOn"],
        ["nodes of both exist", { runningSecrets: keysOf(rustfsProfile) }, minioProfile, "turnedBack", "goesOn"],
        ["a node is missing", { container: undefined }, minioProfile, "turnedBack", "goesOn"],
        ["all nodes are MinIO's", {}, rustfsProfile, "passed", "goesOn"],
        ["all nodes are MinIO's", {}, rustfsProfile, "turnedBack", "begins"],
        ["all nodes are MinIO's", {}, rustfsProfile, "started", "begins"],
        ["what a node runs isn't known", { runningSecrets: undefined }, rustfsProfile, "nothing", "begins"],
    ])("%s: how an update goes on", (_, other, profile, recovery, expected) => {
        const deployed = deployedAs(minioProfile, [{}, other]);
        const takeOver = takeOverBetween(profile === rustfsProfile ? "minio" : "rustfs", profile.name) as TakeOver;
        expect(continuationOf(recovery, takeOver, deployed, desiredAs(profile))).toBe(expected);
    });

    test("all nodes run RustFS, and only the trial containers could not be removed: the way back begins, with a trial", () => {
        const takeOver = takeOverBetween("rustfs", "minio") as TakeOver;
        const continuation = (nodes: DeployedCluster) =>
            continuationOf("turnedBack", takeOver, nodes, desiredAs(minioProfile));
        expect(continuation(takenOver)).toBe("begins");
        const [node] = takenOver.nodes;
        const stopped = { ...node?.container, state: "exited" } as DeployedNode["container"];
        const rustfs = { runningSecrets: keysOf(rustfsProfile), secrets: keysOf(rustfsProfile) };
        // RustFS may have no quorum, and could not be compared.
        for (const container of [undefined, stopped]) {
            expect(continuation(deployedAs(minioProfile, [rustfs, { ...rustfs, container }]))).toBe("goesOn");
        }
    });

    test("is half done if a node is missing that was prepared for the other store", () => {
        const missing: Partial<DeployedNode> = { container: undefined, runningSecrets: undefined };
        const gone = deployedAs(minioProfile, [{}, { ...missing, secrets: keysOf(rustfsProfile) }]);
        expect(takeOverOf(gone, desiredAs(minioProfile))?.from.name).toBe("rustfs");
        expect(isHalfTakenOver(gone, desiredAs(minioProfile))).toBe(true);
        // The new store has not run here: it has to be tried.
        expect(isHalfTakenOver(gone, desiredAs(rustfsProfile))).toBe(false);
        const never = deployedAs(minioProfile, ofBoth({ ...missing, secrets: keysOf(rustfsProfile) }));
        expect(isHalfTakenOver(never, desiredAs(minioProfile))).toBe(false);
        // What its process has isn't known, and its files may be newer.
        const unknown = { runningSecrets: undefined, secrets: keysOf(rustfsProfile) };
        expect(isHalfTakenOver(deployedAs(minioProfile, [{}, unknown]), desiredAs(rustfsProfile))).toBe(false);
        const lost = deployedAs(minioProfile, [{}, missing]);
        expect(takeOverOf(lost, desiredAs(minioProfile))).toBeUndefined();
        expect(isHalfTakenOver(lost, desiredAs(minioProfile))).toBe(false);
    });

    test("an interrupted one, whose nodes were prepared and not replaced, is still one", () => {
        const prepared = deployedAs(minioProfile, ofBoth({ secrets: keysOf(rustfsProfile) }));
        expect(takeOverOf(prepared, desiredAs(rustfsProfile))?.to.name).toBe("rustfs");
        expect(takeOverOf(prepared, desiredAs(minioProfile))).toBeUndefined();
        expect(isHalfTakenOver(prepared, desiredAs(rustfsProfile))).toBe(false);
    });

    test("keeps the root keys", () => {
        const secrets = { ...keysOf(rustfsProfile), [rustfsProfile.variables.secretKey]: "another" };
        expect(checkClusterChange(ofMinio, desiredAs(rustfsProfile, { secrets }))).toEqual([
            expect.objectContaining({ propertyPath: "secretKey" }),
        ]);
    });

    test.each<[string, DeployedCluster, Partial<DesiredCluster>, string, RegExp]>([
        ["another subnet", ofMinio, { subnet: "10.200.8.0/24" }, "subnet", /an update of its own/],
        ["another pool", ofMinio, { pools: [...POOLS, ...POOLS] }, "pools", /an update of its own/],
        [
            "no node",
            deployedAs(minioProfile, ofBoth({ container: undefined })),
            {},
            "profile",
            /first run an update with profile minio/,
        ],
        [
            "a key that encrypts",
            deployedAs(
                minioProfile,
                ofBoth({ runningSecrets: { ...keysOf(minioProfile), MINIO_KMS_SECRET_KEY: "k:v" } }),
            ),
            {},
            "profile",
            /MINIO_KMS_SECRET_KEY of minio encrypts/,
        ],
    ])("is refused together with %s, whatever is allowed", (_, deployed, more, propertyPath, reason) => {
        const desired = desiredAs(rustfsProfile, {
            allowedChanges: ["profileChange", "networkChange", "poolChange"],
            ...more,
        });
        const problems = checkTakeOver(deployed, desired);
        expect(problems).toEqual([expect.objectContaining({ propertyPath })]);
        expect(problems[0]?.reason).toMatch(reason);
        expect(checkClusterChange(deployed, desired)).toEqual(expect.arrayContaining(problems));
    });

    test("preview says what happens, and how to go back", () => {
        const desired = desiredAs(rustfsProfile);
        const takeOver = takeOverOf(ofMinio, desired);
        expect(takeOver && describeTakeOver(takeOver, desired)).toMatch(
            /rustfs takes over the drives of minio, with an outage of all 2 node\(s\).*Otherwise minio is started again.*set profile to "minio" again/,
        );
    });
});
