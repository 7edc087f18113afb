import "../../../fakes/noHostAsked";
import { ObjectStore, type ObjectStoreArgs } from "../../../../../components";
import { socketPathOf } from "../../../../../components/args/hostArgs";
import { mockEngine, settled } from "../../../fakes/mockEngine";
import { ARGS } from "../../../fakes/threeHosts";

describe("the watchdogs of a store over three hosts", () => {
    const watchdogsOf = async (args: Partial<ObjectStoreArgs> = {}) => {
        const resources = await mockEngine();
        new ObjectStore("store", { ...ARGS, ...args });
        await settled(resources);
        return resources
            .filter(({ type, name }) => type === "docker:index/container:Container" && name.includes("-watchdog-"))
            .map(({ inputs }) => inputs);
    };

    test("are one on each host, with its engine's socket, without a network, a port or a capability", async () => {
        const watchdogs = await watchdogsOf({ frontEndHosts: ["a"], haproxyImage: "haproxy:3.2.1" });
        expect(watchdogs.map(({ name }) => name)).toEqual(["a", "b", "c"].map((host) => `store-${host}-watchdog`));
        for (const watchdog of watchdogs) {
            expect(watchdog).toMatchObject({
                networkMode: "none",
                readOnly: true,
                capabilities: { drops: ["ALL"] },
                restart: "always",
                mounts: [{ type: "bind", source: "/var/run/docker.sock", target: "/engine.sock" }],
            });
            expect(watchdog).not.toHaveProperty("ports");
            expect(watchdog).not.toHaveProperty("volumes");
        }
    });

    test("watch the store's nodes and the host's own proxy", async () => {
        const [, second] = await watchdogsOf();
        expect((second?.["command"] as string[]).slice(1)).toEqual([
            "docker-object-store.cluster=store",
            "docker-object-store.front-end=store-b",
        ]);
    });

    test("don't exist if they aren't wanted", async () => {
        expect(await watchdogsOf({ watchdog: false })).toEqual([]);
    });
});

test.each([
    [{}, "/var/run/docker.sock"],
    [{ dockerHost: "unix:///run/user/1000/docker.sock" }, "/run/user/1000/docker.sock"],
    [{ dockerHost: "ssh://ops@a.example.com:22/srv/docker.sock" }, "/srv/docker.sock"],
    [{ dockerHost: "tcp://a.example.com:2376" }, "/var/run/docker.sock"],
    [{ dockerHost: "unix:///tmp/forwarded.sock", socketPath: "/run/docker.sock" }, "/run/docker.sock"],
])("%j: the engine's socket on the host is %s", (host, expected) => {
    expect(socketPathOf({ name: "a", dockerHost: "ssh://a.example.com", address: "10.0.0.1", ...host })).toBe(expected);
});
