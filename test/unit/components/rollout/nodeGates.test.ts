import * as pulumi from "@pulumi/pulumi";
import { NodeGates, type GatesOfNode } from "../../../../components/rollout/nodeGates";

/** Names of the gates that are open. */
async function openOf(gates: GatesOfNode): Promise<string[]> {
    const open: string[] = [];
    const note = (name: "prepare" | "replace") =>
        gates[name].opened.then(
            () => open.push(name),
            () => undefined,
        );
    void note("prepare");
    void note("replace");
    await new Promise((resolve) => setImmediate(resolve));
    return open;
}

describe("the gates of nodes", () => {
    let gates: NodeGates;
    let one: GatesOfNode;
    let two: GatesOfNode;

    beforeEach(() => {
        gates = new NodeGates();
        [one, two] = [gates.of("node1"), gates.of("node2")];
        gates.add("node1", pulumi.output("digest 1"), pulumi.output("written"));
        gates.add("node2", pulumi.output("digest 2"), pulumi.output("written"));
    });

    test("are closed, and know the digests of the containers' inputs", async () => {
        expect(await openOf(one)).toEqual([]);
        expect(await gates.inputs()).toEqual(
            new Map([
                ["node1", "digest 1"],
                ["node2", "digest 2"],
            ]),
        );
    });

    test("open one after the other, for one node alone", async () => {
        const steps = gates.steps(new Map([["node1", pulumi.output("container 1")]]));
        await steps.prepare("node1");
        expect([await openOf(one), await openOf(two)]).toEqual([["prepare"], []]);
        expect(await steps.replace("node1")).toBe("container 1");
        expect([await openOf(one), await openOf(two)]).toEqual([["prepare", "replace"], []]);
        expect(await steps.replace("node2")).toBe("");
    });

    test("those of a node that takes no part open at once, and it is forgotten", async () => {
        gates.release("node1");
        expect(await openOf(one)).toEqual(["prepare", "replace"]);
        expect([...(await gates.inputs()).keys()]).toEqual(["node2"]);
        await gates.steps(new Map()).prepare("node1");
    });

    test("fail together, but for those that have opened", async () => {
        await gates.steps(new Map()).prepare("node1");
        gates.fail(new Error("refused"));
        await expect(one.replace.opened).rejects.toThrow("refused");
        await expect(two.prepare.opened).rejects.toThrow("refused");
        await expect(two.replace.opened).rejects.toThrow("refused");
        await expect(one.prepare.opened).resolves.toEqual([]);
    });
});
