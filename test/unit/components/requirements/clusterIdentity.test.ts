import { needsState } from "../../../../components/requirements/clusterIdentity";
import { volumesOf } from "../../../../components/requirements/stackState";
import { deployedAs, desiredFor, FOUR } from "../../fakes/changedCluster";

const former = deployedAs(desiredFor([FOUR], { clusterName: "former" }));

describe("the stack's state", () => {
    const otherDrives = former.drives;
    const own = deployedAs(desiredFor([FOUR]));

    test.each([
        ["nothing is there", deployedAs(desiredFor([])), false],
        ["a new cluster beside others", { ...deployedAs(desiredFor([])), otherDrives }, true],
        ["its own data", { ...own, otherDrives }, false],
        ["data of another stack", deployedAs(desiredFor([FOUR], { stackName: "project/other" })), true],
    ])("is needed if volumes may be its own under other names: %s", (_there, deployed, expected) => {
        expect(needsState(deployed, desiredFor([FOUR]))).toBe(expected);
    });

    test("names the volumes of a component's nodes", () => {
        const urn = (type: string, name: string) => `urn:pulumi:prod::project::parent$${type}::${name}`;
        const volume = "docker:index/volume:Volume";
        const state = {
            [urn(volume, "store-node1-drive1")]: { type: volume, outputs: { name: "former-pool1-node1-drive1" } },
            [urn(volume, "other-node1-drive1")]: { type: volume, outputs: { name: "other-pool1-node1-drive1" } },
            [urn("docker:index/container:Container", "store-node1")]: {
                type: "docker:index/container:Container",
                outputs: { name: "former-pool1-node1" },
            },
        };
        expect(volumesOf(state, "store")).toEqual(["former-pool1-node1-drive1"]);
    });
});
