import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import { readDeployedPart, wholeCluster, type DeployedPart } from "../../../../components/requirements/deployedCluster";
import { resourcesOn } from "../../../../components/settings/context";
import { EngineCache } from "../../../../components/requirements/engineCache";

jest.mock("../../../../components/requirements/deployedCluster", () => ({
    ...jest.requireActual<object>("../../../../components/requirements/deployedCluster"),
    readDeployedPart: jest.fn(),
}));
const connect = jest.fn();
const containers = jest.fn();
jest.mock("../../../../components/docker/engine", () => ({
    DockerEngine: { connect: (): unknown => connect() as unknown },
}));

const DESIRED = { clusterName: "store", componentName: "store", stackName: "project/test" } as DesiredCluster;

const NOTHING: DeployedPart = {
    nodes: [],
    drives: [],
    formerDrives: [],
    otherDrives: [],
    volumesInState: [],
    otherVolumes: [],
    subnet: undefined,
    imageId: undefined,
    formed: undefined,
};

let imageId: string;
let difference: string | undefined;
let unsupported: string | undefined;

beforeEach(() => {
    [imageId, difference, unsupported] = ["sha256:1", undefined, undefined];
    const engine = {
        differsFromProvider: () => difference,
        whyUnsupported: () => unsupported,
        imageId: () => imageId,
        hasStartInterval: () => true,
        containers,
    };
    containers.mockReset().mockResolvedValue([]);
    connect.mockReset().mockResolvedValue(engine);
    jest.mocked(readDeployedPart).mockReset().mockResolvedValue(NOTHING);
});

test("a cluster is read once, with and without inputs that become known later", async () => {
    const snapshot = new EngineCache([{}]);
    const withInputs = { ...DESIRED, image: "an-image" };
    await Promise.all([snapshot.cluster(DESIRED), snapshot.cluster(withInputs)]);
    await snapshot.cluster(withInputs);
    expect(connect).toHaveBeenCalledTimes(1);
    expect(readDeployedPart).toHaveBeenCalledTimes(1);
    await snapshot.cluster({ ...DESIRED, clusterName: "another" });
    expect(readDeployedPart).toHaveBeenCalledTimes(2);
});

test("its image is read at each check, because the update may have pulled it meanwhile", async () => {
    const snapshot = new EngineCache([{}]);
    const withInputs = { ...DESIRED, image: "an-image" };
    expect((await snapshot.cluster(DESIRED)).imageId).toBeUndefined();
    expect((await snapshot.cluster(withInputs)).imageId).toBe("sha256:1");
    imageId = "sha256:2";
    expect((await snapshot.cluster(withInputs)).imageId).toBe("sha256:2");
});

test("another engine than the provider's is refused at every check", async () => {
    difference = "the provider talks to another Docker daemon";
    const snapshot = new EngineCache([{}]);
    await expect(snapshot.hosts.get(undefined)?.engine()).rejects.toThrow(difference);
    await expect(snapshot.cluster(DESIRED)).rejects.toThrow(difference);
});

test("an engine to which nothing can be deployed is refused", async () => {
    unsupported = "the Docker daemon is Podman";
    await expect(new EngineCache([{}]).hosts.get(undefined)?.engine()).rejects.toThrow(unsupported);
});

describe("what decides about the form of containers", () => {
    const LABEL = "docker-object-store.inputs";

    test("is read once for each host", async () => {
        containers.mockResolvedValue([{ name: "store-pool1-node1", labels: { [LABEL]: "12ab" } }]);
        const expected = { startInterval: true, inputs: { "store-pool1-node1": "12ab" } };
        const engines = new EngineCache([{ name: "a" }, { name: "b", away: true }]);
        expect(await engines.knownContainers("a")).toEqual(expected);
        expect(await engines.knownContainers("a")).toEqual(expected);
        expect(containers.mock.calls).toEqual([[LABEL]]);
        expect(await engines.knownContainers("b")).toEqual({ startInterval: false, inputs: {} });
    });

    test("can't be missing in an update: an engine that doesn't list its containers is refused", async () => {
        containers.mockRejectedValue(new Error("i/o timeout"));
        const engines = new EngineCache([{}]);
        await expect(engines.hosts.get(undefined)?.engine()).rejects.toThrow("i/o timeout");
        expect(await engines.knownContainers(undefined)).toEqual({ startInterval: false, inputs: {} });
    });
});

test("of several hosts, each is connected to once, and its parts have its name", async () => {
    const labels = { "docker-object-store.stack": DESIRED.stackName };
    const drive = { volume: "store-pool1-node1-drive1", labels, hostPath: undefined };
    jest.mocked(readDeployedPart)
        .mockResolvedValueOnce({ ...NOTHING, drives: [drive], subnet: "10.0.0.0/24", networkKind: "encrypted overlay" })
        .mockResolvedValueOnce(NOTHING);
    const snapshot = new EngineCache([{ name: "a" }, { name: "b" }]);
    const { drives, subnet, networkKind } = await snapshot.cluster(DESIRED);
    await snapshot.cluster(DESIRED);
    expect(connect).toHaveBeenCalledTimes(2);
    expect({ drives, subnet, networkKind }).toEqual({
        drives: [{ ...drive, host: "a" }],
        subnet: "10.0.0.0/24",
        networkKind: "encrypted overlay",
    });
});

test.each([
    [[undefined, undefined], true],
    [[undefined, false], false],
    [[false, true], true],
])("a cluster whose hosts see its format as %j has been formed: %s", (formed, expected) => {
    const parts = formed.map((one, index): [string, DeployedPart] => [String(index), { ...NOTHING, formed: one }]);
    expect(wholeCluster(new Map(parts)).formed).toBe(expected);
});

test("what stays as it is also ignores what it ignores anyway: the wildcard doesn't cover what the engine has added", () => {
    const [transformation] = resourcesOn({ away: true }).transformations ?? [];
    const args = { type: "", name: "", props: {}, resource: undefined as never };
    const ignored = (ignoreChanges?: string[]) =>
        transformation?.({ ...args, opts: { ignoreChanges } })?.opts.ignoreChanges;
    expect(ignored(["options", "labels"])).toEqual(["options", "labels", "*"]);
    expect(ignored()).toEqual(["*"]);
});
