import * as pulumi from "@pulumi/pulumi";
import { rustfsProfile } from "../../../../components";
import { checkCluster } from "../../../../components/requirements/clusterRequirements";
import { readDeployedPart } from "../../../../components/requirements/deployedCluster";
import { EngineCache } from "../../../../components/requirements/engineCache";
import { deployedAs, desiredFor, FOUR, secretsOf } from "../../fakes/changedCluster";

jest.mock("../../../../components/requirements/deployedCluster", () => ({
    ...jest.requireActual<object>("../../../../components/requirements/deployedCluster"),
    readDeployedPart: jest.fn(),
}));
jest.mock("../../../../components/docker/engine", () => ({
    DockerEngine: {
        connect: () => ({
            differsFromProvider: () => undefined,
            whyUnsupported: () => undefined,
            hasStartInterval: () => false,
            containers: () => [],
            imageId: () => undefined,
        }),
    },
}));

describe("an entry of allowedChanges that isn't needed", () => {
    const keys = { ...secretsOf(rustfsProfile), RUSTFS_RPC_SECRET: "the secret between nodes" };

    test.each([
        ["is warned of", keys, 1],
        ["isn't while root secrets are to be generated: they may be others than the data has", {}, 0],
    ])("%s", async (_, secrets, warnings) => {
        const clusterName = `with-${Object.keys(secrets).length}-secrets`;
        const desired = desiredFor([FOUR], { clusterName, secrets, allowedChanges: ["rootKeyChange"] });
        jest.mocked(readDeployedPart).mockResolvedValue(deployedAs({ ...desired, secrets: keys }));
        const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue();
        try {
            expect(await checkCluster(new EngineCache([{}]), desired)).toEqual([]);
            expect(warn.mock.calls.filter(([text]) => text.includes('"rootKeyChange"'))).toHaveLength(warnings);
        } finally {
            warn.mockRestore();
        }
    });
});
