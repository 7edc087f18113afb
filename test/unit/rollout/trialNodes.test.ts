import { EngineTrialNodes, withoutPeers, type KnownContainer } from "../../../components/cluster/trialNodes";
import type { DockerEngine } from "../../../components/engine/dockerEngine";
import type { HostEngines } from "../../../components/engine/hostEngines";
import { TrialContainers, type TrialClient, type TrialOptions } from "../../../components/engine/trialContainers";
import { LABELS } from "../../../components/naming/labels";

const NAMES = ["node1", "node2", "node3"];

const placeOf = (name: string, place: number) => ({
    name,
    serverName: name,
    address: `10.0.0.${place + 1}`,
    drives: [],
});

const nodes = NAMES.map(placeOf);

/** An engine that records what is asked of its containers. */
function virtualEngine() {
    const created = new Map<string, TrialOptions>();
    const done: string[] = [];
    const containerOf = (id: string) => ({
        id,
        start: () => Promise.resolve(done.push(`start ${id}`)),
        stop: ({ t }: { t: number }) => Promise.resolve(done.push(`stop ${id} ${t}`)),
        rename: ({ name }: { name: string }) => Promise.resolve(done.push(`rename ${id} ${name}`)),
        remove: () => Promise.resolve(done.push(`remove ${id}`)),
        logs: () => Promise.resolve(Buffer.alloc(0)),
        inspect: () => Promise.reject(new Error("not asked")),
    });
    const client: TrialClient = {
        listContainers: () => Promise.resolve([]),
        createContainer: ({ name, ...options }) => {
            created.set(name, options);
            return Promise.resolve(containerOf(name));
        },
        getContainer: containerOf,
    };
    return { created, done, trials: new TrialContainers(client) };
}

function trialNodes(trials: TrialContainers): EngineTrialNodes {
    const args = { image: "store:1", hosts: [{ host: "node1", ip: "10.0.0.1" }] } as KnownContainer;
    return new EngineTrialNodes({
        engine: { on: () => ({ trials }) } as unknown as HostEngines<DockerEngine>,
        clusterName: "store",
        stackName: "project/stack",
        profileName: "rustfs",
        networkName: "store",
        nodes,
        containers: new Map(NAMES.map((name) => [name, () => Promise.resolve({ args, inputs: "digest" })])),
    });
}

describe("containers that only serve drives", () => {
    test("see none of their peers, and are none of the trial's nodes for a recovery", async () => {
        const engine = virtualEngine();
        const trials = trialNodes(engine.trials);
        await Promise.all(nodes.map((place) => trials.create(place, place.name !== "node1")));
        expect([...engine.created.keys()].sort()).toEqual([
            "node1-trial",
            "node2-trial",
            "node2-trial-drives",
            "node3-trial",
            "node3-trial-drives",
        ]);
        const server = engine.created.get("node2-trial-drives");
        expect(server?.HostConfig).toMatchObject({ ExtraHosts: ["node1:233.252.0.1", "node3:233.252.0.2"] });
        expect(server?.Labels).toEqual({ [LABELS.trial]: "store", [LABELS.stack]: "project/stack" });
        expect(server?.NetworkingConfig).toEqual(engine.created.get("node2-trial")?.NetworkingConfig);
        expect(engine.created.get("node2-trial")?.HostConfig).toMatchObject({ ExtraHosts: ["node1:10.0.0.1"] });
    });

    test("are removed at once, and only they", async () => {
        const engine = virtualEngine();
        const trials = trialNodes(engine.trials);
        await Promise.all(nodes.map((place) => trials.create(place, place.name === "node3")));
        await trials.serveDrives(placeOf("node3", 2));
        await trials.start(placeOf("node1", 0));
        await trials.stop(placeOf("node1", 0));
        await trials.stop(placeOf("node3", 2));
        await trials.kill(placeOf("node3", 2));
        expect(engine.done).toEqual([
            "start node3-trial-drives",
            "start node1-trial",
            "stop node1-trial 30",
            "stop node3-trial 30",
            "remove node3-trial-drives",
            "stop node3-trial 0",
            "stop node3-trial-files 0",
            "stop node3-prepare 0",
        ]);
    });

    test("peers have addresses that differ, however many they are", () => {
        const peers = Array.from({ length: 1000 }, (_, place) => `peer${place}`);
        const hosts = withoutPeers({ image: "store:1", name: "node1" }, peers).hosts ?? [];
        expect(new Set(hosts.map(({ ip }) => ip)).size).toBe(1000);
        expect(hosts[999]).toEqual({ host: "peer999", ip: "233.252.3.232" });
    });
});
