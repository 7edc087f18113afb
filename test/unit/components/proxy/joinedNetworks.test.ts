import {
    formerNetworks,
    joinNetworks,
    leaveNetworks,
    type NetworkEngine,
} from "../../../../components/proxy/joinedNetworks";
import { LABELS } from "../../../../components/naming/labels";

const [OWN, MEDIA, APP] = [
    { name: "prod-nodes", ipv4Address: "10.9.0.2" },
    { name: "prod-media-nodes" },
    { name: "app" },
];

test("an existing proxy was created with the networks in its label, and those of services", () => {
    const label = "prod-nodes=10.9.0.2,prod-logs-nodes=";
    expect(formerNetworks([OWN, MEDIA, APP], [OWN, MEDIA], { labels: { [LABELS.nodeNetworks]: label } })).toEqual({
        networks: [OWN, { name: "prod-logs-nodes" }, APP],
        labels: { [LABELS.nodeNetworks]: label },
        kept: true,
    });
});

test("an existing proxy doesn't stay if its address on one of them is another one now", () => {
    const labels = { [LABELS.nodeNetworks]: "prod-nodes=10.9.0.2,prod-media-nodes=" };
    const moved = { ...OWN, ipv4Address: "10.9.1.2" };
    expect(formerNetworks([moved, MEDIA], [moved, MEDIA], { labels }).networks).toEqual([moved, MEDIA]);
});

describe("a running proxy", () => {
    /** An engine with one proxy on these networks. It records what is changed. */
    const engineWith = (networks: string[]) => {
        const changes: string[] = [];
        const changed = (change: string) => Promise.resolve(void changes.push(change));
        const engine = {
            containers: () => Promise.resolve([{ name: "edge-acme" }, { name: "edge-proxy", id: "1b2c", networks }]),
            nodeNetworks: () => Promise.resolve(["prod-nodes", "prod-media-nodes"]),
            join: (network: string, id: string, address = "any") => changed(`join ${network} ${id} ${address}`),
            leave: (network: string, id: string) => changed(`leave ${network} ${id}`),
        } as unknown as NetworkEngine;
        return { engine, changes };
    };

    test("joins the networks that it isn't on, with its address there", async () => {
        const { engine, changes } = engineWith(["edge-public", "prod-media-nodes"]);
        await joinNetworks(engine, "edge", [OWN, MEDIA]);
        expect(changes).toEqual(["join prod-nodes 1b2c 10.9.0.2"]);
    });

    test("leaves the node networks of stores that it doesn't serve any more, and no other network", async () => {
        const { engine, changes } = engineWith(["edge-public", "app", "prod-nodes", "prod-media-nodes"]);
        await leaveNetworks(engine, "edge", ["edge-public", "prod-nodes", "app"]);
        expect(changes).toEqual(["leave prod-media-nodes 1b2c"]);
    });

    test("is left alone if it doesn't exist", async () => {
        const { engine, changes } = engineWith([]);
        await joinNetworks(engine, "other", [OWN]);
        await leaveNetworks(engine, "other", []);
        expect(changes).toEqual([]);
    });
});
