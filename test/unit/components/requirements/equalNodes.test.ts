import { minioProfile, rustfsProfile } from "../../../../components";
import {
    checkClusterChange,
    unneededChanges,
    type AllowableChange,
} from "../../../../components/requirements/clusterChanges";
import { changesOfAllNodes } from "../../../../components/requirements/neededOutage";
import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import { deployedAs, desiredFor, FOUR, secretsOf, sharedAs, RELEASE, DIGEST } from "../../fakes/changedCluster";

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
