import type { DesiredCluster } from "../../components/preflight/desiredCluster";
import { readDeployedCluster } from "../../components/preflight/deployedCluster";
import { EngineSnapshot } from "../../components/preflight/engineSnapshot";

jest.mock("../../components/preflight/deployedCluster", () => ({ readDeployedCluster: jest.fn() }));
const connect = jest.fn();
jest.mock("../../components/engine/dockerEngine", () => ({
    DockerEngine: { connect: (): unknown => connect() as unknown },
}));

const DESIRED = { clusterName: "store", componentName: "store", stackName: "project/test" } as DesiredCluster;

let imageId: string;
let difference: string | undefined;

beforeEach(() => {
    [imageId, difference] = ["sha256:1", undefined];
    const engine = { differsFromProvider: () => difference, imageId: () => imageId };
    connect.mockReset().mockResolvedValue(engine);
    jest.mocked(readDeployedCluster)
        .mockReset()
        .mockResolvedValue({ drives: [], otherDrives: [] } as never);
});

test("a cluster is read once, with and without inputs that become known later", async () => {
    const snapshot = new EngineSnapshot();
    const withInputs = { ...DESIRED, alike: { image: "an-image", variables: [] } as never };
    await Promise.all([snapshot.cluster(DESIRED), snapshot.cluster(withInputs)]);
    await snapshot.cluster(withInputs);
    expect(connect).toHaveBeenCalledTimes(1);
    expect(readDeployedCluster).toHaveBeenCalledTimes(1);
    await snapshot.cluster({ ...DESIRED, clusterName: "another" });
    expect(readDeployedCluster).toHaveBeenCalledTimes(2);
});

test("its image is read at each check, because the update may have pulled it meanwhile", async () => {
    const snapshot = new EngineSnapshot();
    const withInputs = { ...DESIRED, alike: { image: "an-image", variables: [] } as never };
    expect((await snapshot.cluster(DESIRED)).imageId).toBeUndefined();
    expect((await snapshot.cluster(withInputs)).imageId).toBe("sha256:1");
    imageId = "sha256:2";
    expect((await snapshot.cluster(withInputs)).imageId).toBe("sha256:2");
});

test("another engine than the provider's is refused at every check", async () => {
    difference = "the provider talks to another engine";
    const snapshot = new EngineSnapshot();
    await expect(snapshot.engine()).rejects.toThrow(difference);
    await expect(snapshot.cluster(DESIRED)).rejects.toThrow(difference);
});
