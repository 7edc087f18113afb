import "../../fakes/noHostAsked";
import * as pulumi from "@pulumi/pulumi";
import { ObjectStore, type AdditionalStoreArgs, type ObjectStoreArgs } from "../../../../components";
import { LABELS } from "../../../../components/naming/labels";
import { checkDeployment } from "../../../../components/deployment";
import { partsOf } from "../../../../components/settings/deploymentSettings";
import { requirementsOf } from "../../../../components/settings/requirements";
import { problemsWith } from "../../fakes/askedEngines";
import { mockHost } from "../../fakes/mockHost";
import { mockEngine, secretValue, settled, valueOf, type RegisteredResource } from "../../fakes/mockEngine";

const ARGS = { s3Host: "s3.example.com", consoleHost: "console.example.com" };
const MEDIA = { name: "media", s3Host: "media.example.com", consoleHost: "media-console.example.com" };

function checked(args: Partial<ObjectStoreArgs>) {
    const all = { ...ARGS, ...args };
    return checkDeployment(all, partsOf("store", all));
}

/** The problems of a deployment with these additional stores, as lines. */
function problemsOf(additionalStores: AdditionalStoreArgs[], args: Partial<ObjectStoreArgs> = {}): string[] {
    return checked({ ...args, additionalStores }).problems.map(
        ({ propertyPath, reason }) => `${propertyPath}: ${reason}`,
    );
}

describe("a store with another one behind the same proxy", () => {
    let resources: RegisteredResource[];
    let store: ObjectStore;

    beforeAll(async () => {
        resources = await mockEngine();
        store = new ObjectStore("store", {
            ...ARGS,
            httpsPort: 8443,
            labels: { team: "storage" },
            openFiles: 4096,
            buckets: { photos: {} },
            additionalStores: [
                { ...MEDIA, profile: "minio", virtualHostBuckets: true, memory: 512, buckets: { photos: {} } },
            ],
        });
        await settled(resources);
    });

    const named = (type: string, name: string): RegisteredResource["inputs"] =>
        resources.find((one) => one.type === `docker:index/${type}` && one.name === name)?.inputs ?? {};

    test("has a cluster of its own for each, and one proxy", () => {
        const components = resources.filter(({ type }) => /:(StorageCluster|HaproxyFrontEnd)$/.test(type));
        expect(components.map(({ name }) => name).sort()).toEqual([
            "store-cluster",
            "store-cluster-media",
            "store-front-end",
        ]);
    });

    test("has names, a network, volumes and credentials of its own for each", () => {
        expect(named("network:Network", "store-cluster-media-network")).toMatchObject({ name: "store-media-nodes" });
        expect(named("volume:Volume", "store-cluster-media-node1-drive1")).toMatchObject({
            name: "store-media-pool1-node1-drive1",
        });
        const node = named("container:Container", "store-cluster-media-node1");
        expect(node).toMatchObject({ name: "store-media-pool1-node1", memory: 512, ulimits: [{ hard: 4096 }] });
        expect(node["labels"]).toContainEqual({ label: "team", value: "storage" });
        expect(node["envs"]).toContain("MINIO_DOMAIN=media.example.com");
        expect(node["envs"]).toContain("MINIO_BROWSER_REDIRECT_URL=https://media-console.example.com:8443");
        const keys = resources.filter(({ name }) => name.endsWith("-credentials-secret-key")).map(({ name }) => name);
        expect(keys.sort()).toEqual([
            "store-cluster-credentials-secret-key",
            "store-cluster-media-credentials-secret-key",
        ]);
    });

    test("routes the hostnames of both, and has one certificate for all of them", () => {
        const writer = named("container:Container", "store-front-end-configuration-writer");
        const configuration = JSON.stringify(secretValue(writer["uploads"]));
        expect(configuration).toContain("backend s3\\n");
        expect(configuration).toContain("backend s3-media\\n");
        const request = resources.find(({ type }) => type.endsWith(":CertRequest"));
        expect(request?.inputs["dnsNames"]).toEqual([
            "s3.example.com",
            "console.example.com",
            "media.example.com",
            "media-console.example.com",
            "*.media.example.com",
        ]);
    });

    test("has a proxy on both networks, which a label records", () => {
        const proxy = named("container:Container", "store-front-end");
        expect(proxy["networksAdvanced"]).toMatchObject([
            { name: "store-public" },
            { name: "store-nodes" },
            { name: "store-media-nodes" },
        ]);
        expect(proxy["labels"]).toContainEqual({
            label: LABELS.nodeNetworks,
            value: expect.stringMatching(/^store-nodes=10\.[0-9.]+,store-media-nodes=$/) as string,
        });
    });

    test("has buckets of the same name, each as a resource with a name of its own", () => {
        const buckets = resources.filter(({ type }) => type.endsWith(":Bucket")).map(({ name }) => name);
        expect(buckets.sort()).toEqual(["store-cluster-media.photos", "store-photos"]);
    });

    test("has the outputs of each, as a secret", async () => {
        expect(await pulumi.isSecret(store.additionalStores)).toBe(true);
        expect((await valueOf(store.additionalStores))["media"]).toMatchObject({
            s3Endpoint: "https://media.example.com:8443",
            consoleUrl: "https://media-console.example.com:8443",
            secretKey: "generated-store-cluster-media-credentials-secret-key",
            nodeNames: ["store-media-pool1-node1"],
            volumeNames: ["store-media-pool1-node1-drive1"],
        });
    });
});

test("one store has no outputs of others", async () => {
    const resources = await mockEngine();
    const store = new ObjectStore("store", ARGS);
    await settled(resources);
    expect(await valueOf(store.additionalStores)).toEqual({});
});

describe("additional stores are refused", () => {
    beforeAll(() => mockEngine());

    test.each<[string, AdditionalStoreArgs[], Partial<ObjectStoreArgs>, RegExp]>([
        [
            "a hostname of the first",
            [{ ...MEDIA, s3Host: "S3.example.com" }],
            {},
            /^additionalStores\[0\]\.s3Host: "S3.example.com" is s3Host already/,
        ],
        [
            "a hostname of another",
            [MEDIA, { ...MEDIA, name: "logs", s3Host: "logs.example.com" }],
            {},
            /^additionalStores\[1\]\.consoleHost: "media-console.example.com" is additionalStores\[0\]\.consoleHost already/,
        ],
        [
            "a name of another",
            [MEDIA, { name: "media", s3Host: "a.b", consoleHost: "c.d" }],
            {},
            /^additionalStores\[1\]\.name: "media" is additionalStores\[0\]\.name already/,
        ],
        ["no hostname", [{ ...MEDIA, s3Host: "" }], {}, /^additionalStores\[0\]\.s3Host: /],
        [
            "a name that isn't one",
            [{ ...MEDIA, name: "Media" }],
            {},
            /^additionalStores\[0\]\.name: "Media" is not allowed/,
        ],
        ["the name of a node", [{ ...MEDIA, name: "node1" }], {}, /^additionalStores\[0\]\.name: "node1" begins as/],
        [
            "a name that is too long",
            [MEDIA],
            { storeName: "a".repeat(36) },
            /^additionalStores\[0\]\.name: "media" makes the name .* 42 characters of at most 40/,
        ],
        ["a profile that isn't one", [{ ...MEDIA, profile: "ceph" }], {}, /^additionalStores\[0\]\.profile: "ceph"/],
        [
            "drives without erasure sets",
            [{ ...MEDIA, nodeCount: 2 }],
            {},
            /^additionalStores\[0\]\.(drivesPerNode|allowDrivesOnOneDevice): /,
        ],
        [
            "a bucket's name that isn't one",
            [{ ...MEDIA, buckets: { A: {} } }],
            {},
            /^additionalStores\[0\]\.buckets\.A: /,
        ],
        [
            "trust in a gateway",
            [{ ...MEDIA, subnet: "10.9.0.0/24", adminNetworks: ["10.9.0.0/24"] }],
            {},
            /^additionalStores\[0\]\.adminNetworks\[0\]: /,
        ],
        [
            "the drive of another store",
            [{ ...MEDIA, drivePaths: [["/mnt/a/"]] }],
            { drivePaths: [["/mnt/a"]] },
            /^additionalStores\[0\]\.drivePaths\[0\]\[0\]: "\/mnt\/a\/" is drivePaths\[0\]\[0\] already/,
        ],
        ...[
            ["in another spelling", "/mnt//a", "is drivePaths"],
            ["in another spelling, with a dot", "/mnt/./a", "is drivePaths"],
            ["with a path through another folder", "/mnt/b/../a", 'has "\\.\\."'],
            ["as a folder in it", "/mnt/a/b", 'and "/mnt/a" of drivePaths'],
            ["as the folder that contains it", "/mnt", 'and "/mnt/a" of drivePaths'],
        ].map(([how, path, reason]): [string, AdditionalStoreArgs[], Partial<ObjectStoreArgs>, RegExp] => [
            `the drive of another store ${how}`,
            [{ ...MEDIA, drivePaths: [[path ?? ""]] }],
            { drivePaths: [["/mnt/a"]] },
            new RegExp(`^additionalStores\\[0\\]\\.drivePaths\\[0\\]\\[0\\]: "${path}" ${reason}`),
        ]),
        [
            "several hosts",
            [MEDIA],
            {
                hosts: ["a", "b"].map((name, index) => ({
                    name,
                    dockerHost: `ssh://${name}`,
                    address: `10.0.0.${index + 1}`,
                })),
            },
            /^additionalStores: and hosts exclude each other/,
        ],
    ])("with %s", (_, stores, args, message) => {
        expect(problemsOf(stores, args)).toContainEqual(expect.stringMatching(message));
    });

    test("with all problems at once", () => {
        const problems = problemsOf([{ ...MEDIA, profile: "ceph", memory: 1 }], { consoleHost: "s3.example.com" });
        const paths = problems.map((problem) => problem.split(": ")[0]);
        expect(paths).toEqual(
            expect.arrayContaining(["additionalStores[0].profile", "additionalStores[0].memory", "consoleHost"]),
        );
    });

    test("and accepted if nothing is wrong", () => {
        expect(
            problemsOf([MEDIA, { name: "logs", s3Host: "logs.example.com", consoleHost: "logs-console.example.com" }]),
        ).toEqual([]);
    });

    test("has its drives compared with those of all stores before it, also where links lead", async () => {
        const { planned } = checked({
            drivePaths: [["/mnt/a"]],
            additionalStores: [
                { ...MEDIA, drivePaths: [["/mnt/b"]] },
                {
                    name: "more",
                    s3Host: "more.example.com",
                    consoleHost: "more-console.example.com",
                    drivePaths: [["/mnt/c"]],
                },
            ],
        });
        const host = mockHost({
            folders: { "/mnt/a": {}, "/mnt/b": {}, "/mnt/c": {} },
            links: { "/mnt/b": "/mnt/a", "/mnt/c": "/mnt/a" },
        });
        const problems = await problemsWith(requirementsOf(planned), new Map([[undefined, {}]]), host);
        expect(problems).toEqual([
            expect.stringMatching(/^additionalStores\[0\]\.drivePaths\[0\]\[0\]: .* drivePaths\[0\]\[0\]/),
            expect.stringMatching(/^additionalStores\[1\]\.drivePaths\[0\]\[0\]: .*/),
        ]);
    });

    test("if their networks overlap", async () => {
        const subnet = "10.9.0.0/24";
        const { planned } = checked({ subnet, additionalStores: [{ ...MEDIA, subnet }] });
        expect(await problemsWith(requirementsOf(planned), new Map([[undefined, {}]]))).toEqual([
            expect.stringMatching(
                /^additionalStores\[0\]\.subnet: .* overlaps with 10\.9\.0\.0\/24 of the Docker network store-nodes/,
            ),
        ]);
    });
});
