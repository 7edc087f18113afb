import { findProfile } from "../../../components/store/profiles/all";
import type { Deployment } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { testImages } from "../harness/testRun";
import { setTimeout as sleep } from "node:timers/promises";
import type { Surroundings } from "./chaosTarget";
import type { Disturbance } from "./disturbance";
import type { Store } from "../harness/stores";

const FULL_MILLISECONDS = 30_000;
const DRIVE_SIZE = "1g";
const DRIVES = [1, 2];

/** The node whose drives are small volumes in memory. */
const NODE = 4;

/** What the cluster of {@link diskFull} needs. */
export const smallDrives: Surroundings = { beforeUp: giveSmallDrives, release: releaseSmallDrives };

/**
 * Creates small drives for one node before the cluster is deployed: volumes in memory, and a container that keeps them
 * mounted during the cluster's life and can fill them.
 */
async function giveSmallDrives(store: Store, { clusterName }: Deployment): Promise<void> {
    const { docker } = new DockerHost();
    const [uid, gid] = (findProfile(store.config["profile"] ?? "")?.user ?? "0:0").split(":");
    const volumes = DRIVES.map((drive) => `${clusterName}-pool1-node${NODE}-drive${drive}`);
    for (const name of volumes) {
        await docker.createVolume({
            Name: name,
            Driver: "local",
            DriverOpts: { type: "tmpfs", device: "tmpfs", o: `size=${DRIVE_SIZE},uid=${uid},gid=${gid},mode=0750` },
        });
    }
    const holder = await docker.createContainer({
        name: holderName(clusterName),
        Image: testImages().clients,
        Cmd: ["sleep", "infinity"],
        HostConfig: { NetworkMode: "none", Binds: volumes.map((name, index) => `${name}:/drive${index + 1}`) },
    });
    await holder.start();
}

/** Removes the container that mounts the small drives, so that their volumes can be removed. */
async function releaseSmallDrives({ clusterName }: Deployment): Promise<void> {
    await new DockerHost().docker.getContainer(holderName(clusterName)).remove({ force: true, v: true });
}

/** Fills one node's drives to the last byte, and frees space half a minute later. */
export const diskFull: Disturbance = {
    name: "the drives of a node full for 30 s",
    run: async ({ host, deployment }) => {
        const holder = holderName(deployment.clusterName);
        const fill = DRIVES.map((drive) => `cat /dev/zero > /drive${drive}/ballast`).join("; ");
        await host.exec(holder, ["/bin/sh", "-c", `${fill}; df /drive*`]);
        await sleep(FULL_MILLISECONDS);
        await host.exec(holder, ["/bin/sh", "-c", DRIVES.map((drive) => `rm /drive${drive}/ballast`).join("; ")]);
    },
    // MinIO refuses every write with 507 meanwhile, and serves writes again once there is space.
    expected: { servedWithinOfCause: 30 },
};

function holderName(clusterName: string): string {
    return `${clusterName}-small-drives`;
}
