import { rustfsProfile, type Pool, type ServiceProfile } from "../../../components";
import { checkClusterChange } from "../../../components/requirements/clusterChanges";
import type { DesiredCluster } from "../../../components/requirements/desiredCluster";
import type { DeployedCluster, DeployedNode } from "../../../components/requirements/deployedCluster";
import { LABELS } from "../../../components/naming/labels";
import { sharedDigest, type SharedInputs } from "../../../components/store/nodeEnvironment";
import { layOut } from "../../../components/store/topology";

export const RELEASE = "minio/minio:RELEASE.2025-09-07T16-13-09Z";
export const DIGEST = `sha256:${"a".repeat(64)}`;
const SUBNET = "10.200.7.0/24";
export const KEYS = { access: "the-access-key", secret: "the-secret-key" };

/** Variables of a node with this profile and these keys. */
export function secretsOf({ variables }: ServiceProfile, keys = KEYS): { [name: string]: string } {
    return { [variables.accessKey]: keys.access, [variables.secretKey]: keys.secret };
}

export function sharedAs(value: string, image = ""): SharedInputs {
    return { image, names: ["VARIABLE"], values: [value] };
}

export function desiredFor(pools: Pool[], more: Partial<DesiredCluster> = {}): DesiredCluster {
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
export function deployedAs({
    nodes,
    secrets,
    subnet,
    networkKind,
    alike = sharedAs(""),
}: DesiredCluster): DeployedCluster {
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
export function afterDown(deployed: DeployedCluster): DeployedCluster {
    const nodes = deployed.nodes.map((node): DeployedNode => ({ ...node, container: undefined }));
    return { ...deployed, nodes, subnet: undefined };
}

export const FOUR_TIMES_TWO: Pool = { nodeCount: 4, drivesPerNode: 2 };
export const FOUR: Pool = { nodeCount: 4 };
export const TWO: Pool = { nodeCount: 2, drivesPerNode: 2 };

export const pathsOf = (deployed: DeployedCluster, desired: DesiredCluster) => [
    ...new Set(checkClusterChange(deployed, desired).map(({ propertyPath }) => propertyPath)),
];
export const reasonsOf = (deployed: DeployedCluster, desired: DesiredCluster) =>
    checkClusterChange(deployed, desired).map(({ reason }) => reason);

export const onPaths = (...paths: string[]): Pool => ({
    nodeCount: paths.length,
    drivePaths: paths.map((path) => [path]),
});
