import { minioProfile } from "../../../../components";
import type { DesiredCluster } from "../../../../components/requirements/desiredCluster";
import { giveEmptyDrives } from "../../../../components/rollout/emptyDrives";

interface Started {
    host: string | undefined;
    cluster: string;
    Image: string;
    Env: string[];
    Cmd: string[];
    HostConfig: { Binds: string[] };
}

/** Gives away the drives of three nodes on two hosts. Returns the containers that did it. */
async function given(allowedChanges: string[], refusal?: string): Promise<Started[]> {
    const started: Started[] = [];
    const nodes = ["a", "a", "b"].map((host, index) => ({
        ...{ name: `store-node${index + 1}`, serverName: `node${index + 1}`, host },
        drives: [1, 2].map((drive) => ({ volumeName: `node${index + 1}-drive${drive}` })),
    }));
    const desired = { clusterName: "store", nodes, profile: minioProfile, allowedChanges } as unknown as DesiredCluster;
    const on = (host: string | undefined) => ({
        try: (cluster: string, options: object) => {
            started.push({ host, cluster, ...(options as Omit<Started, "host" | "cluster">) });
            return Promise.resolve(refusal);
        },
    });
    await giveEmptyDrives(desired, on, "image");
    return started;
}

describe("drives that may begin empty", () => {
    test("none, unless a permission names their node or its host", async () => {
        expect(await given([])).toEqual([]);
        expect(await given(["outage", "emptyDrives:node9"])).toEqual([]);
    });

    test("those of a node are given to the store's user, on its host", async () => {
        const [container, ...others] = await given(["emptyDrives:node3"]);
        expect(others).toEqual([]);
        expect(container).toMatchObject({
            ...{ host: "b", cluster: "store", Image: "image" },
            Entrypoint: ["/bin/sh", "-c"],
            Env: [`OWNER=${minioProfile.user}`, expect.stringContaining("FORMATS="), "DRIVES=/drives"],
            HostConfig: { Binds: ["node3-drive1:/drives/1", "node3-drive2:/drives/2"], NetworkMode: "none" },
        });
        expect(container?.Cmd[0]).toContain("$OWNER");
    });

    test("those of a host are given away node by node", async () => {
        const containers = await given(["emptyDrives:a"]);
        expect(containers.map(({ HostConfig: { Binds: binds } }) => binds[0])).toEqual([
            "node1-drive1:/drives/1",
            "node2-drive1:/drives/1",
        ]);
    });

    test("a refusal ends the update, and names the node", () =>
        expect(given(["emptyDrives:node3"], "it has data")).rejects.toThrow(
            "store-node3: its drives can't be given to the store: it has data",
        ));
});
