import { minioProfile, rustfsProfile } from "../../../../components";
import {
    ALLOWABLE_CHANGES,
    checkClusterChange,
    unneededChanges,
} from "../../../../components/requirements/clusterChanges";
import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import type { DeployedCluster } from "../../../../components/requirements/deployedCluster";
import {
    deployedAs,
    desiredFor,
    FOUR,
    FOUR_TIMES_TWO,
    TWO,
    afterDown,
    sharedAs,
    pathsOf,
    secretsOf,
    onPaths,
    KEYS,
    reasonsOf,
} from "../../fakes/changedCluster";

describe("changes that are not refused", () => {
    const profiles = [rustfsProfile, minioProfile];

    test.each(profiles)("nothing is deployed yet: $name", (profile) => {
        const empty: DeployedCluster = {
            nodes: [],
            drives: [],
            formerDrives: [],
            otherDrives: [],
            volumesInState: [],
            otherVolumes: [],
            imageId: undefined,
            subnet: undefined,
            formed: true,
        };
        expect(checkClusterChange(empty, desiredFor([FOUR], { profile }))).toEqual([]);
    });

    test.each(profiles)("the present resources match the desired ones: $name", (profile) => {
        const desired = desiredFor([FOUR_TIMES_TWO, TWO], { profile });
        expect(checkClusterChange(deployedAs(desired), desired)).toEqual([]);
        expect(checkClusterChange(afterDown(deployedAs(desired)), desired)).toEqual([]);
    });

    test("a word for drives isn't needed unless the rule for drives needs it; while that isn't known, nothing is said", () => {
        const desired = desiredFor([FOUR], { allowedChanges: ["emptyDrives:node1", "unhealedDrives:node2"] });
        expect(unneededChanges(deployedAs(desired), desired, ["emptyDrives:node1"])).toEqual(["unhealedDrives:node2"]);
        expect(unneededChanges(deployedAs(desired), desired)).toEqual([]);
    });

    test("entries of allowedChanges that are no longer needed are found", () => {
        const desired = {
            ...desiredFor([FOUR_TIMES_TWO], { allowedChanges: ALLOWABLE_CHANGES }),
            additionalClusters: [],
        };
        expect(unneededChanges(deployedAs(desired), desired)).toEqual(ALLOWABLE_CHANGES);
        const other = { ...desired, subnet: "10.200.8.0/24", allowedChanges: ["poolChange", "networkChange"] };
        expect(unneededChanges(deployedAs(desired), other)).toEqual(["poolChange"]);
    });

    test("one more pool at the end, except for the outage that it needs", () => {
        const there = deployedAs(desiredFor([FOUR]));
        const desired = desiredFor([FOUR, FOUR_TIMES_TWO], { alike: sharedAs("another list of pools") });
        expect(pathsOf(there, desired)).toEqual(["allowedChanges"]);
        expect(pathsOf(there, { ...desired, allowedChanges: ["outage"] })).toEqual([]);
        expect(pathsOf(afterDown(there), desired)).toEqual([]);
    });

    test("another stack's data next to a new cluster", () => {
        const otherDrives = deployedAs(desiredFor([FOUR], { clusterName: "other", stackName: "project/other" })).drives;
        expect(checkClusterChange({ ...deployedAs(desiredFor([])), otherDrives }, desiredFor([FOUR]))).toEqual([]);
    });

    test("data that the stack created itself, under another stack name", () => {
        const there = deployedAs(desiredFor([FOUR], { stackName: "project/former" }));
        const volumesInState = there.drives.map(({ volume }) => volume);
        expect(checkClusterChange({ ...there, volumesInState }, desiredFor([FOUR]))).toEqual([]);
    });

    test("secrets that a preview can't read", () => {
        const { nodes, ...rest } = afterDown(deployedAs(desiredFor([FOUR])));
        const unread = nodes.map((node) => ({ ...node, unread: true, secrets: undefined }));
        const others = desiredFor([FOUR], { secrets: secretsOf(rustfsProfile, { access: "other", secret: "other" }) });
        expect(checkClusterChange({ ...rest, nodes: unread }, others)).toEqual([]);
    });

    test("a folder with another trailing slash", () => {
        const [there, desired] = ["/mnt/a", "/mnt/a/"].map((path) => desiredFor([onPaths(path)])) as [
            DesiredCluster,
            DesiredCluster,
        ];
        expect(checkClusterChange(deployedAs(there), desired)).toEqual([]);
    });

    test("a deployment that ended before every node was created", () => {
        const desired = desiredFor([FOUR_TIMES_TWO]);
        const { nodes, drives, ...rest } = deployedAs(desired);
        const unprepared = nodes.map((node, index) => (index < 2 ? node : { ...node, secrets: undefined }));
        const kept = drives.filter(({ volume }) => /node[12]-/.test(volume));
        expect(checkClusterChange({ ...rest, nodes: unprepared, drives: kept }, desired)).toEqual([]);
        expect(checkClusterChange({ ...rest, nodes: nodes.slice(0, 2), drives: kept }, desired)).toEqual([]);
    });

    test("inputs that depend on another resource, before they are known", () => {
        const desired = desiredFor([FOUR], { profile: minioProfile, secrets: {} });
        delete desired.alike;
        expect(checkClusterChange(deployedAs(desiredFor([FOUR], { profile: minioProfile })), desired)).toEqual([]);
    });

    test("root keys if some nodes have the former and some the new ones, in both directions", () => {
        const [before, after] = [KEYS, { access: "new-access-key", secret: "new-secret-key" }].map((keys) =>
            desiredFor([FOUR], { secrets: secretsOf(rustfsProfile, keys) }),
        ) as [DesiredCluster, DesiredCluster];
        const { nodes, ...rest } = deployedAs(before);
        const half = { ...rest, nodes: nodes.map((node, index) => (index < 2 ? { ...node, ...after } : node)) };
        expect(checkClusterChange(half, before)).toEqual([]);
        expect(checkClusterChange(half, after)).toEqual([]);
    });

    test("other root keys before there is any data", () => {
        const there = { ...deployedAs(desiredFor([{ nodeCount: 1 }])), drives: [] };
        const desired = desiredFor([{ nodeCount: 1 }], {
            secrets: secretsOf(rustfsProfile, { ...KEYS, access: "another" }),
        });
        expect(reasonsOf(there, desired).join()).not.toContain("made with");
    });
});
