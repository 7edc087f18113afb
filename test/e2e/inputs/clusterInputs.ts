import type { StorageClusterArgs } from "../../../components";
import { withCluster, type InputsOf } from "./input";
import type { Materials } from "./materials";
import { testedEngine } from "../harness/testRun";
import { onSeveralHosts } from "./severalHostsInputs";

const MEBIBYTE = 1024 * 1024;

/** Every property of a cluster's args. */
export function clusterInputs(given: () => Materials): InputsOf<StorageClusterArgs> {
    return {
        clusterName: {
            fixed: {
                first: () => given().clusterName,
                changed: () => `${given().clusterName}-2`,
                shown: async (deployed) => (await deployed.node()).Config.Labels["docker-object-store.cluster"],
                expected: (name) => name,
                refusal: "this stack's data is under the name",
            },
        },
        profile: {
            fixed: {
                // Not set, because the custom profile is set, which excludes this property.
                first: () => undefined,
                changed: () => "minio",
                shown: async (deployed) => (await deployed.drive()).Labels["docker-object-store.profile"],
                expected: () => "service",
                besides: (desired) =>
                    withCluster(desired, {
                        customProfile: undefined,
                        internodeSecret: undefined,
                        image: given().storeImages[0],
                    }),
                refusal: "profile: minio doesn't match the data of the cluster",
            },
        },
        customProfile: { divided: { into: "profileInputs" } },
        image: {
            shown: {
                first: () => undefined,
                changed: () => given().storeImages[2],
                shown: async (deployed) => (await deployed.node()).Image,
                expected: (image, deployed) => deployed.imageId(image ?? given().storeImages[0]),
                replaces: ["node"],
                round: "args",
            },
        },
        nodeCount: {
            fixed: {
                first: () => undefined,
                changed: () => 2,
                shown: (deployed) => deployed.nodeNames(),
                expected: () => [`${given().clusterName}-pool1-node1`],
                besides: (desired) =>
                    withCluster(desired, { drivePaths: given().driveFolders.map((folder) => [folder]) }),
                refusal: "nodeCount: 2 doesn't match the data of the cluster",
            },
        },
        drivesPerNode: {
            fixed: {
                first: () => undefined,
                changed: () => 2,
                shown: async (deployed) => {
                    const { Mounts: mounts } = await deployed.node();
                    return mounts.map(({ Destination: path }) => path).filter((path) => path.startsWith("/data/"));
                },
                expected: () => ["/data/drive1"],
                besides: (desired) => withCluster(desired, { drivePaths: [given().driveFolders] }),
                refusal: "drivesPerNode: 2 doesn't match the data of the cluster",
            },
        },
        drivePaths: {
            fixed: {
                first: () => [[given().driveFolders[0]]],
                changed: () => [[given().driveFolders[1]]],
                shown: async (deployed) => [[(await deployed.drive()).Options?.["device"]]],
                expected: (folders) => folders,
                refusal: "is not where the data of",
            },
        },
        volumeNames: { divided: { into: "composition" } },
        pools: {
            hidden: {
                changed: () => [{ nodeCount: 1, drivesPerNode: 1, drivePaths: [[given().driveFolders[0]]] }],
                besides: (desired) => withCluster(desired, { drivePaths: undefined }),
                because: "it is the same shape, said in another way; a pool more is another test's",
            },
        },
        allowedChanges: { hidden: { changed: () => ["outage"], because: "it only lets other changes pass" } },
        labels: {
            shown: {
                first: () => ({ team: "one" }),
                changed: () => ({ team: "two" }),
                shown: async (deployed) => (await deployed.node()).Config.Labels["team"],
                expected: (labels) => labels?.["team"],
                replaces: ["node"],
                round: "args",
            },
        },
        restartedAt: {
            shown: {
                first: () => undefined,
                changed: () => "2026-11-22",
                shown: async (deployed) => (await deployed.node()).Config.Labels["docker-object-store.restarted-at"],
                expected: (text) => text,
                replaces: ["node"],
                round: "args",
            },
        },
        drainTimeout: { hidden: { changed: () => 60, because: "it is a limit of the update's own" } },
        allowDrivesOnOneDevice: {
            shown: {
                first: () => true,
                changed: () => false,
                shown: async (deployed) => (await deployed.variables())[deployed.variableNames.drivesOnOneDevice ?? ""],
                expected: (allowed) => (allowed === true ? "true" : undefined),
                replaces: ["node"],
                round: "args",
            },
        },
        subnet: {
            shown: {
                first: () => given().nodeSubnets[0],
                changed: () => given().nodeSubnets[1],
                shown: (deployed) => deployed.subnet("nodes"),
                expected: (subnet) => subnet,
                replaces: ["node", "proxy"],
                round: "args",
                allows: "networkChange",
            },
        },
        accessKey: {
            shown: {
                first: () => "first-access-key",
                changed: () => "changed-access-key",
                shown: (deployed) => deployed.secret(deployed.variableNames.accessKey),
                expected: (key) => key,
                replaces: ["node"],
                round: "args",
                allows: "rootKeyChange",
            },
        },
        secretKey: {
            shown: {
                first: () => "first-secret-key",
                changed: () => "changed-secret-key",
                shown: (deployed) => deployed.secret(deployed.variableNames.secretKey),
                expected: (key) => key,
                replaces: ["node"],
                round: "args",
                allows: "rootKeyChange",
            },
        },
        internodeSecret: {
            shown: {
                first: () => "first-internode-secret",
                changed: () => "changed-internode-secret",
                shown: (deployed) => deployed.secret(deployed.variableNames.internodeSecret ?? ""),
                expected: (secret) => secret,
                replaces: ["node"],
                round: "args",
            },
        },
        logLevel: {
            shown: {
                first: () => undefined,
                changed: () => "debug",
                shown: async (deployed) => (await deployed.variables())[deployed.variableNames.logLevel ?? ""],
                expected: (level) => level ?? "error",
                replaces: ["node"],
                round: "args",
            },
        },
        environment: {
            shown: {
                first: () => ({ GIVEN_ONE: "1", GIVEN_TWO: "2" }),
                changed: () => ({ GIVEN_TWO: "it's $HOME", GIVEN_THREE: "3" }),
                shown: async (deployed) => givenAmong(await deployed.variables()),
                expected: (environment) => environment,
                replaces: ["node"],
                round: "args",
            },
        },
        secretEnvironment: {
            shown: {
                first: () => ({ HIDDEN: "one" }),
                changed: () => ({ HIDDEN: "it's $HOME" }),
                shown: async (deployed) => ({ HIDDEN: await deployed.secret("HIDDEN") }),
                expected: (environment) => environment,
                replaces: ["node"],
                round: "args",
            },
        },
        additionalTrustedCertificates: {
            shown: {
                first: () => given().certificates[0].issuer,
                changed: () => given().certificates[1].issuer,
                shown: async (deployed) => {
                    const bundle = await deployed.nodeFile("ca-bundle.crt");
                    return given().certificates.map(({ issuer }) => bundle.includes(issuer.trim()));
                },
                expected: (pem) => given().certificates.map(({ issuer }) => issuer === pem),
                replaces: ["node"],
                round: "args",
            },
        },
        bucketDomains: { divided: { into: "virtualHostBuckets.test.ts" } },
        consoleUrl: {
            shown: {
                first: () => "https://console.localhost",
                changed: () => "https://console.example.com",
                shown: async (deployed) => (await deployed.variables())[deployed.variableNames.consoleUrl ?? ""],
                expected: (url) => url,
                replaces: ["node"],
                round: "args",
            },
        },
        egress: {
            shown: {
                first: () => false,
                changed: () => true,
                shown: async (deployed) => Object.keys((await deployed.node()).NetworkSettings.Networks).sort(),
                expected: (egress) => [...(egress === true ? ["egress"] : []), "nodes"].map(ofCluster(given)),
                replaces: ["node"],
                round: "args",
            },
        },
        memory: {
            shown: {
                first: () => 512,
                changed: () => 640,
                shown: async (deployed) => {
                    const { Memory: memory, MemorySwap: withSwap } = (await deployed.node()).HostConfig;
                    return { memory, withSwap };
                },
                expected: (mebibytes = 0) => ({ memory: mebibytes * MEBIBYTE, withSwap: mebibytes * MEBIBYTE }),
                replaces: ["node"],
                round: "args",
            },
        },
        cpus: {
            shown: {
                first: () => 1,
                changed: () => 1.5,
                shown: async (deployed) => (await deployed.node()).HostConfig.NanoCpus,
                expected: (cpus = 0) => cpus * 1e9,
                replaces: ["node"],
                round: "args",
            },
        },
        openFiles: {
            shown: {
                first: () => 4096,
                changed: () => 5000,
                shown: async (deployed) => (await deployed.node()).HostConfig.Ulimits,
                expected: (limit) => [{ Name: "nofile", Soft: limit, Hard: limit }],
                replaces: ["node"],
                round: "args",
            },
        },
        retainData: {
            shown: {
                first: () => true,
                changed: () => false,
                shown: (deployed) => deployed.isProtected("store-node1-drive1"),
                expected: (retained) => retained,
                replaces: [],
                round: "loaded",
            },
        },
        readyTimeout: { hidden: { changed: () => 200, because: "unhealthyNode.test.ts" } },
        ...onSeveralHosts(),
        clientImage: {
            hidden: {
                changed: () => "example.com/mc:1.0.1",
                because: "only the buckets, policies and access keys in the store use it",
            },
        },
        dockerHost: {
            hidden: {
                changed: testedEngine,
                because: "it is the Docker daemon itself, here the same one by its name",
            },
        },
    };
}

/** Variables that only the values in this table set. */
function givenAmong(variables: { [name: string]: string }): { [name: string]: string } {
    return Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith("GIVEN_")));
}

function ofCluster(given: () => Materials): (part: string) => string {
    return (part) => `${given().clusterName}-${part}`;
}
