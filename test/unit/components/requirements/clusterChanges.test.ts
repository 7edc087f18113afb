import * as pulumi from "@pulumi/pulumi";
import { minioProfile, rustfsProfile, type Pool, type ServiceProfile } from "../../../../components";
import {
    ALLOWABLE_CHANGES,
    checkClusterChange,
    unneededChanges,
    type AllowableChange,
} from "../../../../components/requirements/clusterChanges";
import { changesOfAllNodes } from "../../../../components/requirements/neededOutage";
import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import { checkCluster } from "../../../../components/requirements/clusterRequirements";
import { needsState } from "../../../../components/requirements/clusterIdentity";
import {
    readDeployedPart,
    type DeployedCluster,
    type DeployedNode,
} from "../../../../components/requirements/deployedCluster";
import { EngineCache } from "../../../../components/requirements/engineCache";
import { LABELS } from "../../../../components/naming/labels";
import { sharedDigest, type SharedInputs } from "../../../../components/store/nodeEnvironment";
import { volumesOf } from "../../../../components/requirements/stackState";
import { layOut } from "../../../../components/store/topology";

jest.mock("../../../../components/requirements/deployedCluster", () => ({
    ...jest.requireActual<object>("../../../../components/requirements/deployedCluster"),
    readDeployedPart: jest.fn(),
}));
jest.mock("../../../../components/docker/engine", () => ({
    DockerEngine: {
        connect: () => ({
            differsFromProvider: () => undefined,
            whyUnsupported: () => undefined,
            hasStartInterval: () => false,
            containers: () => [],
            imageId: () => undefined,
        }),
    },
}));

const RELEASE = "minio/minio:RELEASE.2025-09-07T16-13-09Z";
const DIGEST = `sha256:${"a".repeat(64)}`;
const SUBNET = "10.200.7.0/24";
const KEYS = { access: "the-access-key", secret: "the-secret-key" };

/** Variables of a node with this profile and these keys. */
function secretsOf({ variables }: ServiceProfile, keys = KEYS): { [name: string]: string } {
    return { [variables.accessKey]: keys.access, [variables.secretKey]: keys.secret };
}

function sharedAs(value: string, image = ""): SharedInputs {
    return { image, names: ["VARIABLE"], values: [value] };
}

function desiredFor(pools: Pool[], more: Partial<DesiredCluster> = {}): DesiredCluster {
    const { clusterName = "store", stackName = "project/stack", profile = rustfsProfile, subnet = SUBNET } = more;
    const labels = { [LABELS.stack]: stackName, [LABELS.component]: "store" };
    return {
        clusterName,
        stackName,
        componentName: "store",
        profile,
        pools,
        nodes: layOut({ clusterName, profileName: profile.name, pools, subnet, labels }).nodes,
        networkName: `${clusterName}-nodes`,
        subnet,
        networkKind: "bridge",
        alike: sharedAs("alike"),
        secrets: secretsOf(profile),
        allowedChanges: [],
        namesPools: true,
        ...more,
    };
}

/** The resources after a cluster was deployed. */
function deployedAs({ nodes, secrets, subnet, networkKind, alike = sharedAs("") }: DesiredCluster): DeployedCluster {
    return {
        nodes: nodes.map(({ name }) => ({
            name,
            container: {
                name,
                id: `id of ${name}`,
                state: "running",
                imageId: "sha256:1",
                labels: { [LABELS.alike]: sharedDigest(alike) },
                networks: ["store-nodes"],
                addresses: {},
            },
            imageNames: [RELEASE, `minio/minio@${DIGEST}`, "mirror.example.com/store:1.2"],
            unread: false,
            secrets,
            runningSecrets: secrets,
        })),
        drives: nodes.flatMap(({ host, drives }) =>
            drives.map(({ volumeName: volume, labels, hostPath }) => ({ volume, labels, hostPath, host })),
        ),
        formerDrives: [],
        otherDrives: [],
        volumesInState: [],
        otherVolumes: [],
        imageId: undefined,
        subnet,
        networkKind,
        formed: true,
    };
}

/** The resources that `down` leaves: volumes. */
function afterDown(deployed: DeployedCluster): DeployedCluster {
    const nodes = deployed.nodes.map((node): DeployedNode => ({ ...node, container: undefined }));
    return { ...deployed, nodes, subnet: undefined };
}

const FOUR_TIMES_TWO: Pool = { nodeCount: 4, drivesPerNode: 2 };
const FOUR: Pool = { nodeCount: 4 };
const TWO: Pool = { nodeCount: 2, drivesPerNode: 2 };

const pathsOf = (deployed: DeployedCluster, desired: DesiredCluster) => [
    ...new Set(checkClusterChange(deployed, desired).map(({ propertyPath }) => propertyPath)),
];
const reasonsOf = (deployed: DeployedCluster, desired: DesiredCluster) =>
    checkClusterChange(deployed, desired).map(({ reason }) => reason);

/** A refused change: the present resources, and the desired cluster. */
interface Refusal {
    change: string;
    there: DeployedCluster;
    desired: DesiredCluster;
    propertyPath: string;
    reason: RegExp;
    word: AllowableChange;
    /** Whether the volumes alone, without containers and network, are enough to detect it. */
    shownByVolumes: boolean;
}

const former = deployedAs(desiredFor([FOUR], { clusterName: "former" }));
const growing = deployedAs(desiredFor([FOUR_TIMES_TWO, TWO]));
const onPaths = (...paths: string[]): Pool => ({ nodeCount: paths.length, drivePaths: paths.map((path) => [path]) });
const REFUSALS: Refusal[] = [
    {
        change: "a pool is removed",
        there: growing,
        desired: desiredFor([FOUR_TIMES_TWO]),
        propertyPath: "pools",
        reason: /^has no pool 2, and the cluster store has data in it \(volume store-pool2-node1-drive1\)/,
        word: "poolChange",
        shownByVolumes: true,
    },
    {
        change: "a pool shrinks",
        there: deployedAs(desiredFor([FOUR])),
        desired: desiredFor([{ nodeCount: 2 }]),
        propertyPath: "pools[0].nodeCount",
        reason: /^2 doesn't match the data of the cluster store: .* nodeCount 4\..* grow by another pool/,
        word: "poolChange",
        shownByVolumes: true,
    },
    {
        change: "a pool is widened",
        there: growing,
        desired: desiredFor([FOUR_TIMES_TWO, { ...TWO, nodeCount: 4 }]),
        propertyPath: "pools[1].nodeCount",
        reason: /^4 doesn't match the data of the cluster store: its volume store-pool2-node1-drive1 was made with nodeCount 2/,
        word: "poolChange",
        shownByVolumes: true,
    },
    {
        change: "pools change places",
        there: growing,
        desired: desiredFor([TWO, FOUR_TIMES_TWO]),
        propertyPath: "pools[0].nodeCount",
        reason: /^2 doesn't match the data/,
        word: "poolChange",
        shownByVolumes: true,
    },
    {
        change: "one node becomes several in place",
        there: deployedAs(desiredFor([{ nodeCount: 1 }])),
        desired: desiredFor([FOUR], { namesPools: false }),
        propertyPath: "nodeCount",
        reason: /^4 doesn't match the data .* give the cluster a new name beside the old one and copy the objects/,
        word: "poolChange",
        shownByVolumes: true,
    },
    {
        change: "nodes get more drives",
        there: deployedAs(desiredFor([FOUR_TIMES_TWO])),
        desired: desiredFor([{ nodeCount: 4, drivesPerNode: 3 }]),
        propertyPath: "pools[0].drivesPerNode",
        reason: /^3 doesn't match the data .* drivesPerNode 2/,
        word: "poolChange",
        shownByVolumes: true,
    },
    {
        change: "nodes get fewer drives",
        there: deployedAs(desiredFor([FOUR_TIMES_TWO])),
        desired: desiredFor([FOUR]),
        propertyPath: "pools[0].drivesPerNode",
        reason: /^1 doesn't match the data .* drivesPerNode 2/,
        word: "poolChange",
        shownByVolumes: true,
    },
    {
        change: "nodes get each other's folders",
        there: deployedAs(desiredFor([onPaths("/mnt/a", "/mnt/b")])),
        desired: desiredFor([onPaths("/mnt/b", "/mnt/a")]),
        propertyPath: "pools[0].drivePaths[0][0]",
        reason: /^"\/mnt\/b" is not where the data of store is: its volume store-pool1-node1-drive1 stands on "\/mnt\/a"\. Set it back/,
        word: "drivePathChange",
        shownByVolumes: true,
    },
    {
        change: "a drive leaves Docker's own data folder",
        there: deployedAs(desiredFor([{ nodeCount: 1 }])),
        desired: desiredFor([onPaths("/mnt/a")], { namesPools: false }),
        propertyPath: "drivePaths[0][0]",
        reason: /^"\/mnt\/a" is not where .* stands on Docker's own data folder/,
        word: "drivePathChange",
        shownByVolumes: true,
    },
    {
        change: "the cluster gets another name",
        there: { ...deployedAs(desiredFor([])), formerDrives: former.drives },
        desired: desiredFor([FOUR]),
        propertyPath: "clusterName",
        reason: /^"store" is new, and this stack's data is under the name former \(volume former-pool1-node1-drive1\): set it back/,
        word: "rename",
        shownByVolumes: true,
    },
    {
        change: "the stack gets another name, and the cluster its own from that",
        there: {
            ...deployedAs(desiredFor([])),
            otherDrives: deployedAs(desiredFor([FOUR], { clusterName: "former", stackName: "project/former" })).drives,
            volumesInState: ["former-pool1-node1-drive1"],
        },
        desired: desiredFor([FOUR]),
        propertyPath: "clusterName",
        reason: /^"store" is new, and this stack's data is under the name former \(volume former-pool1-node1-drive1\): set it back/,
        word: "rename",
        shownByVolumes: true,
    },
    {
        change: "data is another stack's",
        there: deployedAs(desiredFor([FOUR], { stackName: "project/other" })),
        desired: desiredFor([FOUR]),
        propertyPath: "clusterName",
        reason: /^"store" has data of the stack project\/other .*: give this one another name/,
        word: "otherStack",
        shownByVolumes: true,
    },
    {
        change: "the root access key is another one",
        there: deployedAs(desiredFor([FOUR])),
        desired: desiredFor([FOUR], { secrets: secretsOf(rustfsProfile, { ...KEYS, access: "another" }) }),
        propertyPath: "accessKey",
        reason: /^is not the one that the data of store was made with \(node store-pool1-node1\): give the former one/,
        word: "rootKeyChange",
        shownByVolumes: true,
    },
    {
        change: "the root secret key is another one",
        there: deployedAs(desiredFor([FOUR])),
        desired: desiredFor([FOUR], { secrets: secretsOf(rustfsProfile, { ...KEYS, secret: "another" }) }),
        propertyPath: "secretKey",
        reason: /^is not the one that the data/,
        word: "rootKeyChange",
        shownByVolumes: true,
    },
    {
        change: "the node network is another one",
        there: deployedAs(desiredFor([FOUR])),
        desired: desiredFor([FOUR], { subnet: "10.200.8.0/24" }),
        propertyPath: "subnet",
        reason: /^"10\.200\.8\.0\/24" differs from the nodes' network \(10\.200\.7\.0\/24\).*: set it back/,
        word: "networkChange",
        shownByVolumes: false,
    },
    {
        change: "nodes get what they can't differ in",
        there: deployedAs(desiredFor([FOUR])),
        desired: desiredFor([FOUR], { alike: sharedAs("different") }),
        propertyPath: "allowedChanges",
        reason: /^doesn't allow an outage, and a change of RUSTFS_VOLUMES, or one of RUSTFS_RPC_SECRET needs one/,
        word: "outage",
        shownByVolumes: false,
    },
];

describe.each(REFUSALS)("$change", ({ there, desired, propertyPath, reason, word, shownByVolumes }) => {
    test("is refused, with a remedy, and with the entry of allowedChanges that allows it", () => {
        expect(pathsOf(there, desired)).toContain(propertyPath);
        const { reason: found } =
            checkClusterChange(there, desired).find((one) => one.propertyPath === propertyPath) ?? {};
        expect(found).toMatch(reason);
        expect(found?.endsWith(`, or, if that is what you want, add "${word}" to allowedChanges`)).toBe(true);
    });

    test(`is ${shownByVolumes ? "refused" : "not refused"} with the volumes alone`, () => {
        expect(pathsOf(afterDown(there), desired).includes(propertyPath)).toBe(shownByVolumes);
    });

    test("is allowed by its own entry of allowedChanges only", () => {
        const others = ALLOWABLE_CHANGES.filter((other) => other !== word);
        expect(pathsOf(there, { ...desired, allowedChanges: others })).toEqual(
            // A change of the network replaces every node, whether or not all nodes need equal values.
            word === "outage" ? [] : pathsOf(there, desired),
        );
        expect(pathsOf(there, { ...desired, allowedChanges: [word] })).not.toContain(propertyPath);
        expect(unneededChanges(there, { ...desired, allowedChanges: [word] })).toEqual([]);
    });
});

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

describe("the stack's state", () => {
    const otherDrives = former.drives;
    const own = deployedAs(desiredFor([FOUR]));

    test.each([
        ["nothing is there", deployedAs(desiredFor([])), false],
        ["a new cluster beside others", { ...deployedAs(desiredFor([])), otherDrives }, true],
        ["its own data", { ...own, otherDrives }, false],
        ["data of another stack", deployedAs(desiredFor([FOUR], { stackName: "project/other" })), true],
    ])("is needed if volumes may be its own under other names: %s", (_there, deployed, expected) => {
        expect(needsState(deployed, desiredFor([FOUR]))).toBe(expected);
    });

    test("names the volumes of a component's nodes", () => {
        const urn = (type: string, name: string) => `urn:pulumi:prod::project::parent$${type}::${name}`;
        const volume = "docker:index/volume:Volume";
        const state = {
            [urn(volume, "store-node1-drive1")]: { type: volume, outputs: { name: "former-pool1-node1-drive1" } },
            [urn(volume, "other-node1-drive1")]: { type: volume, outputs: { name: "other-pool1-node1-drive1" } },
            [urn("docker:index/container:Container", "store-node1")]: {
                type: "docker:index/container:Container",
                outputs: { name: "former-pool1-node1" },
            },
        };
        expect(volumesOf(state, "store")).toEqual(["former-pool1-node1-drive1"]);
    });
});

describe("several changes at once", () => {
    test("are reported one by one", () => {
        const there = deployedAs(desiredFor([FOUR_TIMES_TWO]));
        const desired = desiredFor([{ nodeCount: 2, drivesPerNode: 4 }], {
            profile: minioProfile,
            subnet: "10.200.8.0/24",
        });
        expect(pathsOf(there, desired)).toEqual(
            expect.arrayContaining(["profile", "pools[0].nodeCount", "pools[0].drivesPerNode", "subnet"]),
        );
    });

    test("another store's variables don't count as changed root keys", () => {
        const there = deployedAs(desiredFor([{ nodeCount: 1 }]));
        expect(pathsOf(there, desiredFor([{ nodeCount: 1 }], { profile: minioProfile }))).toEqual(["profile"]);
    });
});

describe("values that must be equal on all nodes", () => {
    const minio = (more: Partial<DesiredCluster> = {}) => desiredFor([FOUR], { profile: minioProfile, ...more });
    const secrets = { ...secretsOf(minioProfile), MINIO_KMS_SECRET_KEY: "a secret" };

    test.each([
        ["a root key", minio({ secrets: { ...secrets, MINIO_ROOT_USER: "another" } }), ["MINIO_ROOT_USER"]],
        ["a secret variable", minio({ secrets: { ...secrets, MINIO_NEW: "x" } }), ["MINIO_NEW"]],
        ["a secret variable that is gone", minio({ secrets: secretsOf(minioProfile) }), ["MINIO_KMS_SECRET_KEY"]],
        ["an open variable", minio({ secrets, alike: sharedAs("different") }), ["the image, or one of MINIO_*"]],
        ["the network", minio({ secrets, subnet: "10.200.8.0/24" }), ["the node network"]],
        ["a variable of the user's own", minio({ secrets: { ...secrets, OTHER: "x" } }), []],
        ["nothing", minio({ secrets }), []],
    ])("MinIO: %s", (_change, desired, expected) => {
        expect(changesOfAllNodes(deployedAs(minio({ secrets })), desired)).toEqual(expected);
    });

    const withImage = (image: string, value = "alike") => minio({ secrets, alike: sharedAs(value, image) });

    test.each([
        ["of another registry", RELEASE, `quay.io/${RELEASE}`, []],
        ["back from there", `docker.io/${RELEASE}`, RELEASE, []],
        ["of another path, which the Docker daemon has as the same", RELEASE, "mirror.example.com/store:1.2", []],
        ["pinned by its digest", RELEASE, `${RELEASE}@${DIGEST}`, []],
        ["of another registry, pinned", `${RELEASE}@${DIGEST}`, `quay.io/${RELEASE}@${DIGEST}`, []],
        ["pinned no more", `${RELEASE}@${DIGEST}`, RELEASE, []],
        ["of another digest", RELEASE, `${RELEASE}@sha256:${"b".repeat(64)}`, ["the image, or one of MINIO_*"]],
        ["of another path", RELEASE, "mirror.example.com/minio:1.2", ["the image, or one of MINIO_*"]],
        ["of another version", RELEASE, "quay.io/minio/minio:RELEASE.2026", ["the image, or one of MINIO_*"]],
    ])("MinIO: an image %s", (_image, former, image, expected) => {
        expect(changesOfAllNodes(deployedAs(withImage(former)), withImage(image))).toEqual(expected);
    });

    test("MinIO: a name that only differs in the registry, and names another image on the engine", () => {
        const there = { ...deployedAs(withImage(RELEASE)), imageId: "sha256:2" };
        expect(changesOfAllNodes(there, withImage(`quay.io/${RELEASE}`))).toHaveLength(1);
        expect(changesOfAllNodes({ ...there, imageId: "sha256:1" }, withImage("mirror.example.com/other:3"))).toEqual(
            [],
        );
    });

    test("MinIO: the same image under another name, and another value", () => {
        const there = deployedAs(withImage(RELEASE));
        expect(changesOfAllNodes(there, withImage(`quay.io/${RELEASE}`, "different"))).toHaveLength(1);
    });

    describe("RustFS: another release", () => {
        const runs = (former: string) => {
            const there = deployedAs(desiredFor([FOUR]));
            return { ...there, nodes: there.nodes.map((node) => ({ ...node, imageNames: [former] })) };
        };
        const wants = (image: string | undefined, ...allowedChanges: AllowableChange[]) =>
            desiredFor([FOUR], { image, allowedChanges });
        const former = "rustfs/rustfs:1.0.0-beta.11";
        const next = "rustfs/rustfs:1.0.1";

        test.each([
            ["from a release of the same range", "rustfs/rustfs:1.0.0", next],
            ["back to one", next, "mirror.example.com/rustfs:1.0.0"],
            ["of another registry", former, "mirror.example.com/rustfs:1.0.0-beta.11"],
            ["that isn't known yet", former, undefined],
        ])("%s is rolled out", (_, there, image) => {
            expect(checkClusterChange(runs(there), wants(image))).toEqual([]);
            expect(changesOfAllNodes(runs(there), wants(image, "outage"))).toEqual([]);
        });

        test.each([
            ["a release of another range", former, next],
            ["a tag that is no release", next, "rustfs/rustfs:latest"],
            ["a digest", next, `rustfs/rustfs@${DIGEST}`],
        ])("%s is refused, and named with the one that runs", (_, there, image) => {
            expect(checkClusterChange(runs(there), wants(image))).toEqual([
                {
                    propertyPath: "image",
                    reason: expect.stringMatching(
                        `^"${image}" .* with "${there}"\\. .*add "outage" .*, or, if that is what you want, add "mixedReleases"`,
                    ) as string,
                },
            ]);
        });

        test("with outage all nodes are replaced at once", () => {
            const desired = wants(next, "outage");
            expect(checkClusterChange(runs(former), desired)).toEqual([]);
            expect(changesOfAllNodes(runs(former), desired)).toEqual([`the image ${former}`]);
            expect(unneededChanges(runs(former), desired)).toEqual([]);
        });

        test.each<[AllowableChange[]]>([[["mixedReleases"]], [["mixedReleases", "outage"]]])(
            "with %s it is rolled out",
            (allowed) => {
                const desired = wants(next, ...allowed);
                expect(checkClusterChange(runs(former), desired)).toEqual([]);
                expect(changesOfAllNodes(runs(former), desired)).toEqual([]);
            },
        );

        test("mixedReleases is not needed for a release of the same range", () => {
            expect(unneededChanges(runs("rustfs/rustfs:1.0.0"), wants(next, "mixedReleases"))).toEqual([
                "mixedReleases",
            ]);
        });

        test("an image with the same id is no other release", () => {
            const there = { ...runs(former), imageId: "sha256:1" };
            expect(checkClusterChange(there, wants("rustfs/rustfs:latest"))).toEqual([]);
        });

        test("one node is replaced by any", () => {
            const there = deployedAs(desiredFor([{ nodeCount: 1 }]));
            const nodes = there.nodes.map((node) => ({ ...node, imageNames: [former] }));
            expect(checkClusterChange({ ...there, nodes }, desiredFor([{ nodeCount: 1 }], { image: next }))).toEqual(
                [],
            );
        });
    });

    test("are not checked for generated root keys before these are known", () => {
        expect(changesOfAllNodes(deployedAs(minio()), minio({ secrets: {} }))).toEqual([]);
    });

    test("RustFS: root keys are changed node by node", () => {
        const desired = desiredFor([FOUR], { secrets: secretsOf(rustfsProfile, { access: "new", secret: "new" }) });
        expect(changesOfAllNodes(deployedAs(desiredFor([FOUR])), desired)).toEqual([]);
    });

    test("no outage is needed if an update that rolls ended after it had written a node's secrets: neither for the new ones, nor for the former", () => {
        const rolled = { ...secrets, OTHER: "new" };
        const { nodes, ...rest } = deployedAs(minio({ secrets }));
        const written = nodes.map((node, index) => ({
            ...node,
            secrets: index < 2 ? rolled : secrets,
            runningSecrets: index < 1 ? rolled : secrets,
        }));
        expect(changesOfAllNodes({ ...rest, nodes: written }, minio({ secrets: rolled }))).toEqual([]);
        expect(changesOfAllNodes({ ...rest, nodes: written }, minio({ secrets }))).toEqual([]);
    });

    test("an outage is needed if a secret variable was removed, and an update ended after it had written all nodes' secrets", () => {
        const { nodes, ...rest } = deployedAs(minio({ secrets }));
        const less = secretsOf(minioProfile);
        const written = nodes.map((node) => ({ ...node, secrets: less, runningSecrets: secrets }));
        expect(changesOfAllNodes({ ...rest, nodes: written }, minio({ secrets: less }))).toEqual([
            "MINIO_KMS_SECRET_KEY",
        ]);
    });

    test("no outage is needed for another root key if some node runs with it", () => {
        const { nodes, ...rest } = deployedAs(minio({ secrets }));
        const others = { ...secrets, MINIO_ROOT_USER: "another" };
        const written = nodes.map((node) => ({ ...node, secrets: others, runningSecrets: secrets }));
        const allowed = minio({ secrets, allowedChanges: ["outage"] });
        expect(checkClusterChange({ ...rest, nodes: written }, allowed)).toEqual([]);
    });

    test("an outage is needed for a node that runs with unknown secrets", () => {
        const { nodes, ...rest } = deployedAs(minio({ secrets }));
        const written = nodes.map((node) => ({ ...node, runningSecrets: undefined }));
        expect(changesOfAllNodes({ ...rest, nodes: written }, minio({ secrets }))).toEqual(Object.keys(secrets));
    });

    test("no outage is needed for a store that was never formed", () => {
        const unformed = { ...deployedAs(minio({ secrets })), formed: false };
        expect(changesOfAllNodes(unformed, minio({ secrets, alike: sharedAs("different") }))).toEqual([]);
    });

    test("no outage is needed for a single node", () => {
        const [one, other] = ["one", "other"].map((alike) =>
            desiredFor([{ nodeCount: 1 }], { alike: sharedAs(alike) }),
        ) as [DesiredCluster, DesiredCluster];
        expect(changesOfAllNodes(deployedAs(one), other)).toEqual([]);
    });
});

describe("a cluster over several hosts", () => {
    /** Four nodes, on these hosts in turn. */
    const on = (hosts: string[], networkKind: DesiredCluster["networkKind"] = "encrypted overlay") => {
        const desired = desiredFor([FOUR], { networkKind });
        const nodes = desired.nodes.map((node, index) => ({ ...node, host: hosts[index % hosts.length] }));
        return { ...desired, nodes };
    };

    test("may be deployed again as it is", () => {
        expect(checkClusterChange(deployedAs(on(["a", "b"])), on(["a", "b"]))).toEqual([]);
    });

    test("can't place a node where its data isn't", () => {
        const [first, ...others] = checkClusterChange(deployedAs(on(["a", "b"])), on(["b", "a"]));
        expect(first?.propertyPath).toBe("hosts");
        expect(first?.reason).toMatch(
            /^puts store-pool1-node1 on b, and its data is on a \(volume store-pool1-node1-drive1\)/,
        );
        expect(others).toHaveLength(3);
    });

    test.each<[string, DesiredCluster, DesiredCluster, string, RegExp]>([
        ["from one host", desiredFor([FOUR]), on(["a", "b"]), "hosts", /has its data on one host/],
        ["to one host", on(["a", "b"]), desiredFor([FOUR]), "hosts", /has its data on several hosts/],
        [
            "to another encryption",
            on(["a", "b"]),
            on(["a", "b"], "unencrypted overlay"),
            "unencryptedOverlay",
            /^true doesn't match the nodes' network, which is an encrypted overlay network/,
        ],
    ])("can't be changed %s", (_, present, desired, path, message) => {
        const problems = checkClusterChange(deployedAs(present), desired);
        expect(problems).toContainEqual({ propertyPath: path, reason: expect.stringMatching(message) as string });
    });
});

describe("an entry of allowedChanges that isn't needed", () => {
    const keys = { ...secretsOf(rustfsProfile), RUSTFS_RPC_SECRET: "the secret between nodes" };

    test.each([
        ["is warned of", keys, 1],
        ["isn't while root secrets are to be generated: they may be others than the data has", {}, 0],
    ])("%s", async (_, secrets, warnings) => {
        const clusterName = `with-${Object.keys(secrets).length}-secrets`;
        const desired = desiredFor([FOUR], { clusterName, secrets, allowedChanges: ["rootKeyChange"] });
        jest.mocked(readDeployedPart).mockResolvedValue(deployedAs({ ...desired, secrets: keys }));
        const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue();
        try {
            expect(await checkCluster(new EngineCache([{}]), desired)).toEqual([]);
            expect(warn.mock.calls.filter(([text]) => text.includes('"rootKeyChange"'))).toHaveLength(warnings);
        } finally {
            warn.mockRestore();
        }
    });
});
