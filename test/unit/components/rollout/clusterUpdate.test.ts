import "../../fakes/imageAtOnce";
import { StorageCluster, type StorageClusterArgs } from "../../../../components";
import { DockerEngine } from "../../../../components/docker/engine";
import { ClusterUpdate } from "../../../../components/rollout/clusterUpdate";
import type { EngineNetwork, ListedContainer, ListedVolume } from "../../../../components/docker/model";
import { LABELS } from "../../../../components/naming/labels";
import { ContainerProbe } from "../../../../components/requirements/containerTrialStart";
import { hostsNamed } from "../../fakes/mockSwarm";
import { mockEngine, settled } from "../../fakes/mockEngine";

jest.mock("../../../../components/requirements/requireAll", () => ({
    // As the real one, which waits for the root keys.
    requireAll: () => jest.requireActual<typeof import("@pulumi/pulumi")>("@pulumi/pulumi").secret([]),
}));
jest.mock("../../../../components/docker/isolatedGateway", () => ({ isolatedGateway: () => ({}) }));

test("the node network, whose replacement replaces all nodes, waits until the engine accepts the containers", async () => {
    jest.spyOn(DockerEngine, "connect").mockReturnValue(new Promise(() => undefined));
    const passed = jest.spyOn(ContainerProbe.prototype, "passed").mockReturnValue(new Promise(() => undefined));
    try {
        const resources = await mockEngine(false);
        new StorageCluster("store", { nodeCount: 2, allowDrivesOnOneDevice: true });
        await settled(resources);
        const names = resources.map(({ name }) => name);
        expect(names).toContain("store-image");
        expect(passed).toHaveBeenCalledTimes(1);
        expect(names).not.toContain("store-network");
    } finally {
        jest.restoreAllMocks();
    }
});

/** What an engine has. `of` names the cluster in the labels of containers and volumes. */
interface EngineContent {
    networks?: string[];
    containers?: string[];
    volumes?: string[];
    of?: string;
    fails?: boolean;
}

/** Plays an engine. Its test of the containers passes; it creates no network. */
function answerWith({
    networks = [],
    containers = [],
    volumes = [],
    of = "store",
    fails = false,
}: EngineContent): void {
    const labelled = (names: string[], label: string, value?: string) =>
        label === LABELS.cluster && value === of ? names.map((name) => ({ name, labels: {} })) : [];
    const engine: Partial<DockerEngine> = {
        whyUnsupported: () => Promise.resolve(undefined),
        differsFromProvider: () => Promise.resolve(undefined),
        hasStartInterval: () => Promise.resolve(false),
        containers: (label, value) => Promise.resolve(labelled(containers, label, value) as ListedContainer[]),
        volumes: (label = "", value) => Promise.resolve(labelled(volumes, label, value) as ListedVolume[]),
        networks: () =>
            fails
                ? Promise.reject(new Error("the Docker daemon gives no answer"))
                : Promise.resolve(networks.map((name) => ({ name }) as EngineNetwork)),
    };
    jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine as DockerEngine);
}

const HOSTS = hostsNamed("ab");

const ONE_DRIVE = { nodeCount: 2, allowDrivesOnOneDevice: true };

test.each<[string, EngineContent, StorageClusterArgs, boolean]>([
    ["of a new cluster begins before", { networks: ["other-nodes"] }, {}, true],
    ["of a new cluster beside another one begins before", { containers: ["a"], volumes: ["b"], of: "other" }, {}, true],
    ["of a cluster that has its network waits for", { networks: ["store-nodes"] }, {}, false],
    ["of a cluster that has containers waits for", { containers: ["store-pool1-node1"] }, {}, false],
    ["of a cluster that has volumes waits for", { volumes: ["store-pool1-node1-drive1"] }, {}, false],
    ["on a Docker daemon that gives no answer waits for", { fails: true }, {}, false],
    ["of a cluster on folders waits for", {}, { drivePaths: [["/mnt/disk1"], ["/mnt/disk2"]] }, false],
    ["over several hosts waits for", {}, { hosts: HOSTS, allowSinglePointOfFailure: true }, false],
])("the rollout %s the node network", async (_, content, args, begins) => {
    answerWith(content);
    jest.spyOn(ContainerProbe.prototype, "passed").mockResolvedValue(undefined);
    const added = jest.spyOn(ClusterUpdate.prototype, "add");
    jest.spyOn(ClusterUpdate.prototype, "run").mockReturnValue(new Promise(() => undefined));
    try {
        const resources = await mockEngine(false, ["docker:index/network:Network"]);
        new StorageCluster("store", { ...ONE_DRIVE, ...args });
        let known = 0;
        added.mock.calls.forEach(([, inputs]) => inputs.apply(() => known++));
        await settled(resources);
        expect(added).toHaveBeenCalledTimes(2);
        expect(resources.map(({ name }) => name)).toContain("store-network");
        expect(known).toBe(begins ? 2 : 0);
    } finally {
        jest.restoreAllMocks();
    }
});

test("the rollout of a new cluster, too, waits until the engine accepts the containers", async () => {
    answerWith({});
    jest.spyOn(ContainerProbe.prototype, "passed").mockReturnValue(new Promise(() => undefined));
    const added = jest.spyOn(ClusterUpdate.prototype, "add");
    jest.spyOn(ClusterUpdate.prototype, "run").mockReturnValue(new Promise(() => undefined));
    try {
        const resources = await mockEngine(false);
        new StorageCluster("store", ONE_DRIVE);
        let known = 0;
        added.mock.calls.forEach(([, inputs]) => inputs.apply(() => known++));
        await settled(resources);
        expect(known).toBe(0);
    } finally {
        jest.restoreAllMocks();
    }
});
