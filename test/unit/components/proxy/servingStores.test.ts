import { untilStoresServe } from "../../../../components/proxy/servingStores";
import { ProxyServers, type ProxyEngine, type ProxyServer } from "../../../../components/proxyControl/proxyServers";
import { VirtualClock } from "../../fakes/virtualClock";

const server = (name: string, status: string, others: Partial<ProxyServer> = {}): ProxyServer => ({
    ...{ proxy: "edge-proxy", worker: "9", current: true, node: name, address: "10.0.0.10", running: 0 },
    ...{ server: name, status, ...others },
});

describe("the stores of a proxy", () => {
    const listed = jest.spyOn(ProxyServers.prototype, "list");

    beforeEach(() => listed.mockReset());

    afterAll(() => listed.mockRestore());

    const wait = () => untilStoresServe({} as ProxyEngine, "edge", ["prod-media-nodes"], 60, new VirtualClock());

    test("are served once each backend has a server that is up", async () => {
        const others = [server("s3/node1", "UP"), server("s3-media/node2", "DOWN")];
        for (const status of ["DOWN", "DOWN 1/2", "UP 1/3"]) {
            listed.mockResolvedValueOnce([...others, server("s3-media/node1", status)]);
        }
        await wait();
        expect(listed).toHaveBeenCalledTimes(3);
    });

    test("are not served by other proxies, by former workers, or without any server", async () => {
        const ofOthers = [
            server("s3/node1", "UP", { proxy: "other-proxy" }),
            server("s3/node1", "UP", { current: false }),
        ];
        listed
            .mockResolvedValueOnce([])
            .mockResolvedValueOnce(ofOthers)
            .mockResolvedValueOnce([server("s3/node1", "UP")]);
        await wait();
        expect(listed).toHaveBeenCalledTimes(3);
    });

    test("may have servers that an operator has taken out", async () => {
        listed.mockResolvedValueOnce([server("s3/node1", "MAINT"), server("console/node1", "DRAIN")]);
        await wait();
        expect(listed).toHaveBeenCalledTimes(1);
    });

    test("that are not served after the limit are named", async () => {
        listed.mockResolvedValue([server("s3/node1", "UP"), server("s3-media/node1", "DOWN 1/2")]);
        await expect(wait()).rejects.toThrow(
            "edge-proxy has no server that is up for each of its stores after 60 s: s3-media/node1 is DOWN 1/2. docker logs",
        );
    });
});
