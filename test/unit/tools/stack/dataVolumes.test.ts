import { LABELS } from "../../../../components/naming/labels";
import type { StackEngine, StackTarget } from "../../../../tools/stack/stackEngines";
import {
    refuseDataOfOthers,
    refuseLostData,
    refuseNewName,
    refuseOtherHosts,
} from "../../../../tools/stack/dataVolumes";
import { DOCKER_TYPES, type StackState } from "../../../../tools/pulumi/stackState";

const stateOf = (...clusterNames: string[]): StackState => ({
    pending: [],
    resources: clusterNames.map((clusterName) => ({
        urn: `urn:pulumi:prod::object-store::${DOCKER_TYPES.volume}::store-node1-drive1`,
        type: DOCKER_TYPES.volume,
        protect: true,
        inputs: {
            name: `${clusterName}-pool1-node1-drive1`,
            labels: Object.entries({ [LABELS.cluster]: clusterName, [LABELS.drive]: "1" }).map(([label, value]) => ({
                label,
                value,
            })),
        },
    })),
});

describe("the name of a cluster", () => {
    test("that doesn't match its data is refused, with both names and the command that sets it back", () => {
        expect(() => refuseNewName(stateOf("object-store-old"), "object-store-new", [])).toThrow(
            /^storeName: "object-store-new" is new.* name object-store-old:\n {4}object-store-old-pool1-node1-drive1\n[^]*config set storeName object-store-old\n/,
        );
    });

    test.each([
        ["is the data's", stateOf("store"), []],
        ["is that of some of the data", stateOf("former", "store"), []],
        ["is the first", stateOf(), []],
        ["is allowed to be new", stateOf("former"), ["rename"]],
    ])("that %s is accepted", (_, state, allowedChanges) => {
        expect(() => refuseNewName(state, "store", allowedChanges)).not.toThrow();
    });
});

/** An engine with volumes of a cluster. */
const engineWith = (name: string | undefined, clusterName: string, ...volumes: string[]): StackEngine => ({
    name,
    command: "docker",
    docker: {
        listVolumes: () =>
            Promise.resolve({
                Volumes: [
                    ...volumes.map((volume) => ({ Name: volume, Labels: { [LABELS.cluster]: clusterName } })),
                    { Name: "unrelated", Labels: null },
                ],
            }),
    } as unknown as StackEngine["docker"],
});

/** A state with a data volume on each of these hosts. */
const spreadOver = (...hosts: (string | undefined)[]): StackState => ({
    pending: [],
    resources: hosts.map((host, index) => ({
        urn: `urn:pulumi:prod::object-store::${DOCKER_TYPES.volume}::store-node${index + 1}-drive1`,
        type: DOCKER_TYPES.volume,
        inputs: {
            name: `node${index + 1}-drive1`,
            labels: [{ label: LABELS.node, value: String(index + 1) }],
        },
        ...(host === undefined
            ? {}
            : { provider: `urn:pulumi:prod::object-store::pulumi:providers:docker::store-host-${host}::1b2c` }),
    })),
});

const NOTHING: StackState = { resources: [], pending: [] };

describe("data volumes in the state that are gone", () => {
    const allowing =
        (...words: string[]) =>
        () =>
            words;

    test("are refused on one engine, unless a word names their node", async () => {
        const engines = [engineWith(undefined, "store", "node1-drive1")];
        const state = spreadOver(undefined, undefined);
        await expect(refuseLostData(engines, state, allowing())).rejects.toThrow(
            /gone from this Docker daemon:\n {4}node2-drive1\n[^]*add "emptyDrives:node2" to allowedChanges/,
        );
        await expect(refuseLostData(engines, state, allowing("emptyDrives"))).rejects.toThrow("node2-drive1");
        await expect(refuseLostData(engines, state, allowing("emptyDrives:node1"))).rejects.toThrow("node2-drive1");
        await expect(refuseLostData(engines, state, allowing("emptyDrives:node2"))).resolves.toBeUndefined();
        await expect(refuseLostData(engines, spreadOver(undefined), allowing())).resolves.toBeUndefined();
    });

    test("are those that aren't on their own host", async () => {
        const engines = [engineWith("a", "store", "node1-drive1", "node2-drive1"), engineWith("b", "store")];
        await expect(refuseLostData(engines, spreadOver("a", "b"), allowing())).rejects.toThrow(
            /gone from its hosts:\n {4}host b: node2-drive1\n[^]*"emptyDrives:b"/,
        );
        await expect(refuseLostData(engines, spreadOver("a", "b"), allowing("emptyDrives:b"))).resolves.toBeUndefined();
        await expect(refuseLostData(engines, spreadOver("a", "a"), allowing())).resolves.toBeUndefined();
    });
});

describe("data that the state doesn't know", () => {
    test("is refused on one engine", async () => {
        await expect(
            refuseDataOfOthers([engineWith(undefined, "store", "old2", "old1")], NOTHING, "store"),
        ).rejects.toThrow(/has data on this Docker daemon that the stack's state doesn't know:\n {4}old1\n {4}old2\n/);
        await expect(
            refuseDataOfOthers([engineWith(undefined, "other", "old1")], NOTHING, "store"),
        ).resolves.toBeUndefined();
    });

    test("is refused on any host, which is named", async () => {
        const engines = [engineWith("a", "store"), engineWith("b", "store", "old1")];
        await expect(refuseDataOfOthers(engines, NOTHING, "store")).rejects.toThrow(
            /has data on its hosts that the stack's state doesn't know:\n {4}host b: old1\n/,
        );
    });

    test("is accepted on the host where an interrupted update was creating it", async () => {
        const engines = [engineWith("a", "store"), engineWith("b", "store", "node1-drive1")];
        const beginning = (host: string): StackState => ({
            resources: [],
            pending: spreadOver(host).resources.map((resource) => ({ type: "creating", resource })),
        });
        await expect(refuseDataOfOthers(engines, beginning("b"), "store")).resolves.toBeUndefined();
        await expect(refuseDataOfOthers(engines, beginning("a"), "store")).rejects.toThrow("host b: node1-drive1");
    });
});

describe("data on hosts that the config doesn't name", () => {
    /** A stack with these hosts, of which only the first answers. */
    const targetWith = (...names: string[]): StackTarget => ({
        engines: [engineWith(names[0], "store")],
        hosts: names.length === 0 ? undefined : names.map((name) => ({ name, dockerHost: "", address: "" })),
    });

    test.each([
        ["one host less", targetWith("a"), spreadOver("a", "b"), "host b: node2-drive1"],
        ["no hosts any more", targetWith(), spreadOver("a"), "host a: node1-drive1"],
        ["hosts for the first time", targetWith("a", "b"), spreadOver(undefined), "Docker provider: node1-drive1"],
    ])("is refused: %s", (_, target, state, named) => {
        expect(() => refuseOtherHosts(target, state, [])).toThrow(named);
        expect(() => refuseOtherHosts(target, state, ["rename"])).not.toThrow();
    });

    test.each([
        [targetWith("a", "b"), spreadOver("a", "b")],
        [targetWith("a", "b"), spreadOver("a")],
        [targetWith(), spreadOver(undefined)],
        [targetWith("a"), NOTHING],
    ])("is not found where all are named: %#", (target, state) => {
        expect(() => refuseOtherHosts(target, state, [])).not.toThrow();
    });
});
