import { isNamedBy } from "../requirements/driveWords";
import type { DesiredCluster } from "../requirements/desiredCluster";
import { CHANGES_FILES, type OneShotContainers } from "../docker/oneShotContainers";
import { script } from "../docker/script";
import { formatFilesFor } from "../store/profiles/all";

/** Folder in the container that gives drives away. */
const DRIVES = "/drives";

/**
 * Gives the drives that may begin empty to the store's user: a node's writer gives away a drive without data only once, before the
 * node first runs.
 *
 * @param helpersOn The containers of an update on a host.
 * @param image Id or name of an image with `/bin/sh`, `chown` and `chmod`.
 * @throws {Error} if a drive can't be given away.
 */
export async function giveEmptyDrives(
    { clusterName, nodes, profile, allowedChanges }: DesiredCluster,
    helpersOn: (host: string | undefined) => Pick<OneShotContainers, "try">,
    image: string,
): Promise<void> {
    const named = nodes.filter(({ serverName: server, host }) =>
        isNamedBy("emptyDrives", allowedChanges, { server, host }),
    );
    for (const { name, host, drives } of named) {
        const refusal = await helpersOn(host).try(clusterName, {
            ...CHANGES_FILES,
            Image: image,
            Entrypoint: ["/bin/sh", "-c"],
            Cmd: [script(__dirname, "giveEmptyDrives.sh")],
            Env: [`OWNER=${profile.user}`, `FORMATS=${formatFilesFor(profile).join(" ")}`, `DRIVES=${DRIVES}`],
            HostConfig: {
                ...CHANGES_FILES.HostConfig,
                Binds: drives.map(({ volumeName }, index) => `${volumeName}:${DRIVES}/${index + 1}`),
            },
        });
        if (refusal !== undefined) {
            throw new Error(`${name}: its drives can't be given to the store: ${refusal}`);
        }
    }
}
