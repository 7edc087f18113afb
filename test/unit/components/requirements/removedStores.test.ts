import { LABELS } from "../../../../components/naming/labels";
import { checkRemovedStores } from "../../../../components/requirements/clusterIdentity";
import type { DeployedCluster } from "../../../../components/requirements/deployedCluster";
import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import { refuseProtectedStores } from "../../../../tools/stack/dataVolumes";
import { DOCKER_TYPES, type StackState } from "../../../../tools/pulumi/stackState";

describe("a store that was removed", () => {
    const desired = {
        clusterName: "prod",
        componentName: "store",
        stackName: "object-store/prod",
        additionalClusters: ["prod-logs"],
    } as unknown as DesiredCluster;
    const drive = (cluster: string, component: string, stack = "object-store/prod") => ({
        volume: `${cluster}-pool1-node1-drive1`,
        hostPath: undefined,
        labels: { [LABELS.cluster]: cluster, [LABELS.component]: component, [LABELS.stack]: stack },
    });
    const problems = (...otherDrives: DeployedCluster["otherDrives"]) =>
        checkRemovedStores({ otherDrives } as unknown as DeployedCluster, desired);

    test("is refused, with its volumes", () => {
        expect(problems(drive("prod-media", "store-media"), drive("prod-logs", "store-logs"))).toEqual([
            {
                propertyPath: "additionalStores",
                reason: 'has no store named "media" any more, whose objects would be deleted (volumes: prod-media-pool1-node1-drive1). Put it back',
            },
        ]);
    });

    test.each([
        ["another stack", drive("prod-media", "store-media", "object-store/other")],
        ["another component of the program", drive("prod-media", "media")],
        ["another cluster", drive("media", "store-media")],
    ])("is not %s", (_, other) => {
        expect(problems(other)).toEqual([]);
    });

    test("is not looked for by a cluster that isn't part of a whole deployment", () => {
        const alone = { ...desired, additionalClusters: undefined };
        const deployed = { otherDrives: [drive("prod-media", "store-media")] } as unknown as DeployedCluster;
        expect(checkRemovedStores(deployed, alone)).toEqual([]);
    });

    test("is refused by npm run up as long as Pulumi protects its volumes", () => {
        const stateOf = (protect: boolean): StackState => ({
            pending: [],
            resources: ["prod", "prod-media"].map((cluster) => ({
                urn: `urn:pulumi:prod::object-store::${DOCKER_TYPES.volume}::${cluster}-node1-drive1`,
                type: DOCKER_TYPES.volume,
                protect,
                inputs: {
                    name: `${cluster}-pool1-node1-drive1`,
                    labels: [
                        { label: LABELS.cluster, value: cluster },
                        { label: LABELS.drive, value: "1" },
                    ],
                },
            })),
        });
        expect(() => refuseProtectedStores(stateOf(true), "prod", [])).toThrow(
            /additionalStores: .*\n {4}prod-media-pool1-node1-drive1\n.*retainData: false/,
        );
        expect(() => refuseProtectedStores(stateOf(false), "prod", [])).not.toThrow();
        expect(() => refuseProtectedStores(stateOf(true), "prod", ["media"])).not.toThrow();
    });
});
