import { connectEngine } from "../../../../components/docker/connectEngine";
import type { DockerEngine } from "../../../../components/docker/engine";
import { gatewayOptions } from "../../../../components/docker/isolatedGateway";
import { mockEngine } from "../../fakes/mockEngine";

jest.mock("../../../../components/docker/connectEngine", () => ({ connectEngine: jest.fn() }));

/** The options of a node network, or why there are none. */
async function optionsOn(preview: boolean, isolatesGateways: () => Promise<boolean>): Promise<unknown> {
    jest.mocked(connectEngine).mockResolvedValue({ isolatesGateways } as unknown as DockerEngine);
    await mockEngine(preview);
    return gatewayOptions().catch((error: unknown) => (error as Error).message);
}

const silent = () => Promise.reject(new Error("Docker doesn't answer"));

describe("a node network", () => {
    test("has no address of the host, if the engine can do that", async () => {
        const isolated = { "com.docker.network.bridge.gateway_mode_ipv4": "isolated" };
        expect(await optionsOn(false, () => Promise.resolve(true))).toEqual(isolated);
        expect(await optionsOn(false, () => Promise.resolve(false))).toEqual({});
    });

    test("is an error of the update if the engine doesn't say whether it can be isolated", async () => {
        expect(await optionsOn(false, silent)).toBe(
            "the node network was not made, since the Docker daemon doesn't say how: Docker doesn't answer. Run the same command again",
        );
    });

    test("is no error of a preview, which another check refuses", async () => {
        expect(await optionsOn(true, silent)).toEqual({});
    });
});
