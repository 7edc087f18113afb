import type Docker from "dockerode";
import { clientConfiguration, clientContainer } from "../../../../components/storeClient/clientContainer";
import { findTarget } from "../../../../components/storeClient/storeTarget";

const keys = { accessKey: "the-access-key", secretKey: 'the-"secret"-key' };

/** An engine with these containers: their state, their health, and their address on the node network. */
function engineWith(containers: { [name: string]: [running: boolean, health: string, address: string] }): Docker {
    const inspect = (name: string) => {
        const [running, health, address] = containers[name] ?? [];
        return address === undefined
            ? Promise.reject(Object.assign(new Error("no such container"), { statusCode: 404 }))
            : Promise.resolve({
                  State: { Running: running, Health: { Status: health } },
                  Config: { Labels: {} },
                  NetworkSettings: {
                      Networks: { egress: { IPAddress: "10.9.0.2" }, "store-nodes": { IPAddress: address } },
                  },
              });
    };
    return { getContainer: (name: string) => ({ inspect: () => inspect(name) }) } as unknown as Docker;
}

const connected = (docker: Docker) => () => Promise.resolve(docker);
const unreachable = () => Promise.reject(new Error("Docker doesn't answer at tcp://10.0.0.1"));

describe("the client's container", () => {
    const target = {
        docker: engineWith({}),
        network: "store-nodes",
        node: "node1",
        address: "10.8.0.10",
        secretsVersion: "",
    };

    test("has the root keys in its configuration, which is one line, and nowhere else", () => {
        const text = clientConfiguration(target, keys);
        expect(text).not.toContain("\n");
        expect(JSON.parse(text)).toMatchObject({ aliases: { store: { url: "http://10.8.0.10:9000", ...keys } } });
        const container = JSON.stringify(clientContainer(target, "client:1", ["ls", "store"]));
        expect(container).not.toContain("access-key");
        expect(container).not.toContain("secret");
    });

    test("is on the node network alone, logs nothing, and is removed by the engine", () => {
        const { HostConfig: config, Cmd: args, User: user } = clientContainer(target, "client:1", ["ls", "store"]);
        expect(args).toEqual(["ls", "store"]);
        expect(user).toBe("65534:65534");
        expect(config).toMatchObject({
            NetworkMode: "store-nodes",
            AutoRemove: true,
            ReadonlyRootfs: true,
            CapDrop: ["ALL"],
            LogConfig: { Type: "none" },
        });
        expect(config).not.toHaveProperty("PortBindings");
        expect(config).not.toHaveProperty("Binds");
    });
});

describe("the node that is asked", () => {
    const nodes = () => Promise.resolve(["node1", "node2"]);

    test("is the first healthy one, on whichever host", async () => {
        const [one, two] = [
            engineWith({ node1: [true, "unhealthy", "10.8.0.10"] }),
            engineWith({ node2: [true, "healthy", "10.8.0.11"] }),
        ];
        expect(await findTarget([connected(one), connected(two)], nodes)).toMatchObject({
            docker: two,
            network: "store-nodes",
            address: "10.8.0.11",
        });
    });

    test("is one that runs, if none is healthy; a host that doesn't answer is passed over", async () => {
        const engine = engineWith({ node1: [false, "none", ""], node2: [true, "starting", "10.8.0.11"] });
        expect(await findTarget([unreachable, connected(engine)], nodes)).toMatchObject({ address: "10.8.0.11" });
    });

    test("is missing: the message says why", async () => {
        const stopped = engineWith({ node1: [false, "none", "10.8.0.10"] });
        await expect(findTarget([connected(stopped)], nodes)).rejects.toThrow(
            "no node of the store runs: npm run status",
        );
        await expect(findTarget([unreachable, connected(stopped)], nodes)).rejects.toThrow("tcp://10.0.0.1");
    });
});
