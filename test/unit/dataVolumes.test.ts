import { LABELS } from "../../components/naming/labels";
import { refuseNewName } from "../../tools/update/dataVolumes";
import { DOCKER_TYPES, type StackState } from "../../tools/pulumi/stackState";

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
            /^clusterName: "object-store-new" is new.* name object-store-old:\n {4}object-store-old-pool1-node1-drive1\n[^]*config set clusterName object-store-old\n/,
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
