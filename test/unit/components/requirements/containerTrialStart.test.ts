import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type Docker from "dockerode";
import { openFilesLimit } from "../../../../components/docker/containerBasics";
import { inputsDigest } from "../../../../components/docker/containerArgs";
import { ContainerProbe, type ProbeEngine } from "../../../../components/requirements/containerTrialStart";
import { LABELS } from "../../../../components/naming/labels";
import { valueOf } from "../../fakes/mockEngine";

const NODE: docker.ContainerArgs = {
    name: "store-pool1-node1",
    image: "sha256:store",
    user: "10001:10001",
    readOnly: true,
    init: true,
    capabilities: { drops: ["ALL"] },
    sysctls: { "net.ipv4.tcp_syn_retries": "1" },
    tmpfs: { "/tmp": "size=64m" },
    memory: 512,
    memorySwap: 512,
    cpus: "1.5",
    ulimits: openFilesLimit(4096),
    envs: ["A=1"],
    volumes: [{ volumeName: "drive", containerPath: "/data/drive1" }],
    ports: [{ internal: 80 }],
    networksAdvanced: [{ name: "store-nodes" }],
};

/** An engine that refuses some containers, and records its requests. */
class FakeEngine implements ProbeEngine {
    readonly tried: Docker.ContainerCreateOptions[] = [];
    readonly cleared: string[] = [];
    labels: { [label: string]: string } | undefined;

    constructor(private readonly refuses: (limits: Docker.HostConfig) => string | undefined = () => undefined) {}

    containers() {
        const container = {
            name: "store-pool1-node1",
            id: "id",
            state: "running",
            imageId: "sha256:1",
            networks: [],
            addresses: {},
        };
        return Promise.resolve(this.labels === undefined ? [] : [{ ...container, labels: this.labels }]);
    }

    readonly oneShots = {
        try: (_owner: string, options: Docker.ContainerCreateOptions) => {
            this.tried.push(options);
            return Promise.resolve(this.refuses(options.HostConfig ?? {}));
        },
        removeLeftovers: (owner: string) => {
            this.cleared.push(owner);
            return Promise.resolve();
        },
    };
}

const probeOf = (engine: FakeEngine, ...containers: docker.ContainerArgs[]) => {
    const probe = new ContainerProbe("StorageCluster", "store", LABELS.cluster, () => Promise.resolve(engine));
    containers.forEach((args) => probe.add("store-pool1-node1", args));
    return probe;
};

describe("in an update", () => {
    beforeAll(async () => {
        await pulumi.runtime.setMocks(
            { newResource: () => ({ id: "", state: {} }), call: () => ({}) },
            "p",
            "s",
            false,
        );
    });

    test("a container to be created is tested with its limits, without volumes, networks and ports", async () => {
        const engine = new FakeEngine();
        await probeOf(engine, NODE).passed();
        expect(engine.cleared).toEqual(["store"]);
        expect(engine.tried).toEqual([
            {
                Image: "sha256:store",
                User: "10001:10001",
                Entrypoint: ["/bin/sh", "-c"],
                Cmd: ["exit 0"],
                HostConfig: {
                    NetworkMode: "none",
                    ReadonlyRootfs: true,
                    Init: true,
                    CapDrop: ["ALL"],
                    Sysctls: { "net.ipv4.tcp_syn_retries": "1" },
                    Tmpfs: { "/tmp": "size=64m" },
                    Memory: 512 * 1024 * 1024,
                    MemorySwap: 512 * 1024 * 1024,
                    NanoCpus: 1.5e9,
                    Ulimits: [{ Name: "nofile", Soft: 4096, Hard: 4096 }],
                },
            },
        ]);
    });

    test("a container that stays unchanged is not tested, but leftovers are removed", async () => {
        const engine = new FakeEngine(() => "no");
        engine.labels = { [LABELS.inputs]: await valueOf(inputsDigest(NODE)) };
        await probeOf(engine, NODE).passed();
        expect(engine.tried).toEqual([]);
        expect(engine.cleared).toEqual(["store"]);
    });

    test("a container to be replaced is tested", async () => {
        const engine = new FakeEngine();
        engine.labels = { [LABELS.inputs]: "of former inputs" };
        await probeOf(engine, NODE).passed();
        expect(engine.tried).toHaveLength(1);
    });

    test("equal nodes are tested once", async () => {
        const engine = new FakeEngine();
        await probeOf(engine, NODE, { ...NODE, name: "store-pool1-node2", envs: ["A=2"] }).passed();
        expect(engine.tried).toHaveLength(1);
    });

    test("every limit that the engine refuses is named, with the engine's message", async () => {
        const engine = new FakeEngine(({ NanoCpus: cpus = 0, Ulimits: ulimits = [] }) =>
            cpus > 2e9 ? "range of CPUs" : ulimits.length > 0 ? "operation not permitted" : undefined,
        );
        const failure = probeOf(engine, { ...NODE, cpus: "64.0" }).passed();
        await expect(failure).rejects.toBeInstanceOf(pulumi.InputPropertiesError);
        await expect(failure).rejects.toThrow(
            "StorageCluster can't be deployed with these args:\n" +
                "  - cpus: 64 is refused by the Docker daemon: range of CPUs. Give another\n" +
                "  - openFiles: 4096 is refused by the Docker daemon: operation not permitted. Give another",
        );
    });

    test("an image from which no container can be created is named", async () => {
        const engine = new FakeEngine(() => "exec format error");
        await expect(probeOf(engine, NODE).passed()).rejects.toThrow(
            '  - image: "sha256:store" can\'t be used for a container: exec format error',
        );
    });

    test("an engine that can't be reached is an error, but no refusal of an image or a limit", async () => {
        const lost = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
        const engine = new FakeEngine();
        engine.oneShots.try = () => Promise.reject(lost);
        await expect(probeOf(engine, NODE).passed()).rejects.toBe(lost);
        const away = new ContainerProbe("HaproxyFrontEnd", "store", LABELS.proxy, () => Promise.reject(lost));
        away.add("store-proxy", NODE);
        await expect(away.passed()).rejects.toBe(lost);
    });
});

test("a preview tests nothing", async () => {
    await pulumi.runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) }, "p", "s", true);
    const engine = new FakeEngine(() => "no");
    await probeOf(engine, NODE).passed();
    expect([engine.tried, engine.cleared]).toEqual([[], []]);
});
