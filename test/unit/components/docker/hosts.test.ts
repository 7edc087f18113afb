import { HostEngines, type HostEngine } from "../../../../components/docker/hosts";

describe("the engines of several hosts", () => {
    const asked: string[] = [];
    const engineWith = (host: string, ...containers: string[]): HostEngine =>
        ({
            containers: () => Promise.resolve(containers.map((name) => ({ name, id: `id-of-${name}` }))),
            health: (container: string) => {
                asked.push(`${host} ${container}`);
                return Promise.resolve({
                    state: containers.some((name) => container.endsWith(name)) ? "running" : "gone",
                });
            },
            now: () => Promise.resolve(host === "a" ? 1 : 2),
        }) as unknown as HostEngine;
    let engines: HostEngines;

    beforeEach(() => {
        asked.length = 0;
        engines = new HostEngines(
            new Map([
                ["a", engineWith("a", "node1")],
                ["b", engineWith("b", "node2")],
            ]),
        );
    });

    test("list the containers of all, and then ask the one that has a container", async () => {
        expect((await engines.containers("label")).map(({ name }) => name)).toEqual(["node1", "node2"]);
        expect(await engines.health("id-of-node2")).toEqual({ state: "running" });
        expect(asked).toEqual(["b id-of-node2"]);
    });

    test("find a container that was created meanwhile, and remember where", async () => {
        await engines.health("node2");
        await engines.health("node2");
        expect(asked.filter((question) => question === "a node2")).toHaveLength(1);
    });

    test("a container that is nowhere is gone", async () => {
        expect(await engines.health("node3")).toEqual({ state: "gone" });
    });

    test("have clocks of their own", async () => {
        expect([await engines.now("node1"), await engines.now("node2")]).toEqual([1, 2]);
    });
});
