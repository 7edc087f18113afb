import { minioProfile, rustfsProfile } from "../../../../components";
import {
    ALLOWABLE_CHANGES,
    checkClusterChange,
    unneededChanges,
    type AllowableChange,
} from "../../../../components/requirements/clusterChanges";
import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import type { DeployedCluster } from "../../../../components/requirements/deployedCluster";
import {
    deployedAs,
    desiredFor,
    FOUR,
    FOUR_TIMES_TWO,
    TWO,
    onPaths,
    secretsOf,
    KEYS,
    sharedAs,
    pathsOf,
    afterDown,
} from "../../fakes/changedCluster";

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
