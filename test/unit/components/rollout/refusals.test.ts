import { withMessageOnly } from "../../../../components/checks/problem";
import type { Host, HostEngines } from "../../../../components/docker/hosts";
import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import type { RolloutDependencies, RolloutReport } from "../../../../components/rollout/dependencies";
import type { PlannedNode } from "../../../../components/rollout/nodePlan";
import { refuseLostVolumes, refuseStopped, refuseWhileAway } from "../../../../components/rollout/refusals";

const report = { error: (message: string) => withMessageOnly(new Error(message)) } as RolloutReport;

/** A node on a host, with two drives. */
function nodeOn(number: number, host?: string) {
    const drives = [1, 2].map((drive) => ({ volumeName: `node${number}-drive${drive}`, labels: {} }));
    const name = `node${number}`;
    return { name, serverName: name, address: `10.0.0.${number}`, host, drives };
}

function planned(number: number, step: PlannedNode["step"], state = "running"): PlannedNode {
    const place = nodeOn(number) as PlannedNode["place"];
    const container = { name: place.name, id: place.name, state } as PlannedNode["container"];
    return { place, step, container: step === "create" ? undefined : container };
}

describe("volumes that were removed by hand", () => {
    const refused = (volumes: { [host: string]: string[] }) => {
        const engine = {
            on: (host = "") => ({ volumes: () => Promise.resolve((volumes[host] ?? []).map((name) => ({ name }))) }),
        } as unknown as HostEngines;
        const cluster = { nodes: [nodeOn(1, "a"), nodeOn(2, "b")] } as unknown as DesiredCluster;
        return refuseLostVolumes(engine, cluster, report);
    };
    const all = { a: ["node1-drive1", "node1-drive2"], b: ["node2-drive1", "node2-drive2"] };

    test("none: nothing is refused", () => expect(refused(all)).resolves.toBeUndefined());

    test("are looked for on the host of their node, and named", () =>
        expect(refused({ a: ["node1-drive2", "node2-drive1"], b: ["node2-drive2"] })).rejects.toThrow(
            /^node1-drive1, node2-drive1: it is in the stack's state but not on the Docker daemon/,
        ));
});

describe("a host that is away", () => {
    const away: Host[] = [{ name: "a" }, { name: "b", away: true }];
    const refusal = (hosts: readonly Host[], steps: PlannedNode["step"][]) => () =>
        refuseWhileAway(
            hosts,
            steps.map((step, index) => planned(index + 1, step)),
            report,
        );

    test("refuses the replacement of a node, and names both", () =>
        expect(refusal(away, ["keep", "replace"])).toThrow(
            /^node2: no node is replaced while a host is away \(unreachableHosts: b\)/,
        ));

    test("refuses nothing else", () => {
        expect(refusal(away, ["keep", "create"])).not.toThrow();
        expect(refusal([{ name: "a" }], ["replace"])).not.toThrow();
    });
});

describe("a node that an operator has stopped", () => {
    const engine = {
        health: (id: string) => Promise.resolve({ health: "none", state: `state of ${id}`, lastCheck: "" }),
        logTail: (id: string) => Promise.resolve(`the last line of ${id}`),
    } as unknown as RolloutDependencies["engine"];
    const refused = (...nodes: PlannedNode[]) => refuseStopped(nodes, { engine, report });

    test("running and missing ones refuse nothing", () =>
        expect(refused(planned(1, "replace"), planned(2, "create"))).resolves.toBeUndefined());

    test("is named, with its last lines and the command that starts it", async () => {
        const nodes = [planned(1, "replace"), planned(2, "keep", "exited"), planned(3, "replace", "paused")];
        const { message } = await refused(...nodes).then(
            () => new Error("nothing was refused"),
            (error: unknown) => error as Error,
        );
        expect(message).toMatch(/node2 is exited\.[^]*the last line of node2[^]*node3 is paused\./);
        expect(message).toContain("Start it (docker start node2 node3; docker unpause where it is paused)");
        expect(message).not.toContain("node1 is");
    });
});
