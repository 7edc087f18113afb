import { minioProfile, rustfsProfile } from "../../../components";
import { LABELS } from "../../../components/naming/labels";
import type { FoundCluster } from "../../../migration/foundCluster";
import type { OwnContainer } from "../../../migration/ownContainer";
import { TrialContainers, type TrialClient, type TrialOptions } from "../../../migration/trialContainers";
import { EngineTrialNodes } from "../../../migration/trialNodes";
import { trialOptions, withoutPeers } from "../../../migration/trialOptions";

const NAMES = ["node1", "node2", "node3"];

const placeOf = (name: string, index: number) => ({
    name,
    serverName: name,
    address: `10.0.0.${index + 1}`,
    drives: [],
});

const nodes = NAMES.map(placeOf);

/** An engine that records what is asked of its containers. */
function virtualEngine() {
    const created = new Map<string, TrialOptions>();
    const done: string[] = [];
    const written: string[] = [];
    const containerOf = (id: string) => ({
        id,
        start: () => Promise.resolve(done.push(`start ${id}`)),
        stop: ({ t }: { t: number }) => Promise.resolve(done.push(`stop ${id} ${t}`)),
        rename: ({ name }: { name: string }) => Promise.resolve(done.push(`rename ${id} ${name}`)),
        remove: () => Promise.resolve(done.push(`remove ${id}`)),
        logs: () => Promise.resolve(Buffer.alloc(0)),
        inspect: () => Promise.reject(new Error("not asked")),
        putArchive: (archive: Buffer) => Promise.resolve(written.push(archive.toString("utf8"))),
    });
    const client: TrialClient = {
        listContainers: () => Promise.resolve([]),
        createContainer: ({ name, ...options }) => {
            created.set(name, options);
            return Promise.resolve(containerOf(name));
        },
        getContainer: containerOf,
        createVolume: () => Promise.resolve(),
        listVolumes: () => Promise.resolve({ Volumes: [] }),
        getVolume: () => ({ remove: () => Promise.resolve() }),
    };
    return { created, done, written, trials: new TrialContainers(client) };
}

const own = {
    Image: "sha256:minio",
    Config: {
        User: "1000:1000",
        Env: [
            "MINIO_VOLUMES=http://node{1...3}:9000/data/drive1",
            "MINIO_BROWSER=on",
            "MINIO_UPDATE=off",
            "OWN=a=b",
            "SECRETS_VERSION=1",
        ],
        Labels: {},
    },
    HostConfig: {
        ReadonlyRootfs: true,
        ExtraHosts: ["node1:10.0.0.1"],
        Tmpfs: { "/data": "size=1m,mode=0700,uid=1000,gid=1000" },
    },
    Mounts: [
        { Name: "b", Source: "", Destination: "/data/drive10" },
        { Name: "a", Source: "", Destination: "/data/drive2" },
        { Name: "secrets", Source: "", Destination: "/run/store" },
    ],
} as unknown as OwnContainer;

function trialNodes(trials: TrialContainers): EngineTrialNodes {
    const cluster = {
        name: "store",
        networkName: "store",
        nodes: nodes.map((place) => ({
            place,
            own,
            files: new Map(),
            secrets: { MINIO_ROOT_USER: "key", MINIO_ROOT_PASSWORD: "secret", OTHER: "kept" },
        })),
        trialsOn: () => trials,
    } as unknown as FoundCluster;
    return new EngineTrialNodes(cluster, { from: minioProfile, to: rustfsProfile, image: "rustfs:1" });
}

test("a trial is the node's own container with the other store's image, user and variables, and files of its own", async () => {
    const options = trialOptions(
        own,
        { name: "node1", address: "10.0.0.1" },
        { from: minioProfile, to: rustfsProfile, image: "rustfs:1", networkName: "store", nodeCount: 3 },
        "node1-trial-files",
    );
    expect(options).toMatchObject({ Image: "rustfs:1", User: "10001:10001", Cmd: ["rustfs"] });
    expect(options.Env).toEqual(
        expect.arrayContaining([
            "RUSTFS_VOLUMES=http://node{1...3}:9000/data/drive1",
            "RUSTFS_CONSOLE_ENABLE=true",
            "RUSTFS_UNSAFE_BYPASS_DISK_CHECK=true",
            "OWN=a=b",
        ]),
    );
    expect(options.Env?.join()).not.toMatch(/MINIO_|SECRETS_VERSION=1/);
    expect(options.HostConfig).toMatchObject({
        ReadonlyRootfs: true,
        Tmpfs: { "/data": "size=1m,mode=0700,uid=10001,gid=10001" },
        Binds: ["a:/data/drive2", "b:/data/drive10", "node1-trial-files:/run/store:ro"],
    });
    const engine = virtualEngine();
    await trialNodes(engine.trials).create(placeOf("node1", 0), false);
    expect(engine.written.join()).toContain("OTHER='kept'\nRUSTFS_ACCESS_KEY='key'\nRUSTFS_SECRET_KEY='secret'\n");
    expect(engine.written.join()).not.toContain("MINIO_ROOT");
});

describe("containers that only serve drives", () => {
    test("see none of their peers, and are none of the trial's nodes for a recovery", async () => {
        const engine = virtualEngine();
        const trials = trialNodes(engine.trials);
        await Promise.all(nodes.map((place) => trials.create(place, place.name !== "node1")));
        const stores = [...engine.created.keys()].filter((name) => !name.endsWith("-owner"));
        expect(stores.sort()).toEqual([
            "node1-trial",
            "node2-trial",
            "node2-trial-drives",
            "node3-trial",
            "node3-trial-drives",
        ]);
        const server = engine.created.get("node2-trial-drives");
        expect(server?.HostConfig).toMatchObject({ ExtraHosts: ["node1:233.252.0.1", "node3:233.252.0.2"] });
        expect(server?.Labels).toEqual({ [LABELS.trial]: "store" });
        expect(server?.NetworkingConfig).toEqual(engine.created.get("node2-trial")?.NetworkingConfig);
        expect(engine.created.get("node2-trial")?.HostConfig).toMatchObject({ ExtraHosts: ["node1:10.0.0.1"] });
    });

    test("are removed at once, and only they", async () => {
        const engine = virtualEngine();
        const trials = trialNodes(engine.trials);
        await Promise.all(nodes.map((place) => trials.create(place, place.name === "node3")));
        await trials.serveDrives(placeOf("node3", 2));
        await trials.start(placeOf("node1", 0));
        await trials.stop(placeOf("node1", 0));
        await trials.stop(placeOf("node3", 2));
        await trials.kill(placeOf("node3", 2));
        expect(engine.done.filter((event) => !event.startsWith("remove node") || event.endsWith("drives"))).toEqual([
            "start node3-trial-drives",
            "start node1-trial",
            "stop node1-trial 30",
            "stop node3-trial 30",
            "remove node3-trial-drives",
            "stop node3-trial 0",
            "stop node3-trial-owner 0",
        ]);
    });

    test("peers have addresses that differ, however many they are", () => {
        const peers = Array.from({ length: 1000 }, (_, index) => `peer${index}`);
        const hosts = withoutPeers(own, peers).HostConfig.ExtraHosts ?? [];
        const addresses = hosts.filter((entry) => entry.startsWith("peer")).map((entry) => entry.split(":")[1]);
        expect(new Set(addresses).size).toBe(1000);
        expect(addresses[999]).toBe("233.252.3.232");
    });
});
