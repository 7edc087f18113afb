import type Docker from "dockerode";
import { readSwarm, type SwarmNode } from "../../../../components/docker/swarm";
import { memberOf, nodesOf, OUTSIDE } from "../../fakes/mockSwarm";

describe("what an engine reports", () => {
    const MANAGER = {
        NodeID: "node-a",
        NodeAddr: "10.0.0.1",
        LocalNodeState: "active",
        ControlAvailable: true,
        Error: "",
        RemoteManagers: [{ NodeID: "node-a", Addr: "10.0.0.1:2377" }],
        Cluster: { ID: "swarm" },
    };
    const answering = (swarm: object, listNodes: () => Promise<unknown>) =>
        ({ info: () => Promise.resolve({ Swarm: swarm }), listNodes }) as unknown as Docker;
    const refusing = (statusCode?: number) => () => Promise.reject(Object.assign(new Error("no"), { statusCode }));
    const [A] = nodesOf("A") as [SwarmNode];
    const member = { ...memberOf([A], A), nodes: undefined };

    test("of a manager: the nodes", async () => {
        const listed = {
            ID: "node-a",
            Spec: { Labels: { "object-store.host": "a" }, Role: "manager", Availability: "active" },
            Description: { Hostname: "a" },
            Status: { State: "ready", Addr: "10.0.0.1" },
        };
        const withManager = { ...listed, ManagerStatus: { Leader: true, Reachability: "reachable" } };
        const list = () =>
            Promise.resolve([withManager, { ...listed, ID: "failed", Spec: { ...listed.Spec, Labels: null } }]);
        expect(await readSwarm(answering(MANAGER, list))).toEqual({
            ...member,
            nodes: [A, { ...A, id: "failed", host: undefined, isManager: false, isReachable: false }],
        });
    });

    test.each([500, 503])("of a manager without a quorum (status %s): no nodes", async (status) => {
        const swarm = { ...MANAGER, Cluster: { ID: "" } };
        expect(await readSwarm(answering(swarm, refusing(status)))).toEqual({
            ...member,
            clusterId: undefined,
            noQuorum: true,
        });
    });

    test("is an error if the connection fails", async () => {
        await expect(readSwarm(answering(MANAGER, refusing()))).rejects.toThrow("no");
    });

    test("in no swarm: nothing is asked about nodes", async () => {
        const swarm = {
            NodeID: "",
            NodeAddr: "",
            LocalNodeState: "inactive",
            ControlAvailable: false,
            Error: "",
            RemoteManagers: null,
        };
        expect(await readSwarm(answering(swarm, refusing()))).toEqual(OUTSIDE);
    });

    test("while it joins: managers without an id are left out", async () => {
        const swarm = {
            ...MANAGER,
            NodeID: "",
            LocalNodeState: "pending",
            ControlAvailable: false,
            Cluster: undefined,
            RemoteManagers: [{ NodeID: "", Addr: "10.0.0.77:2377" }],
        };
        expect(await readSwarm(answering(swarm, refusing()))).toEqual({
            ...OUTSIDE,
            state: "pending",
            address: "10.0.0.1",
        });
    });
});
