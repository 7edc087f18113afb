import { Deployment, type DeploymentConfig } from "./deployment";
import { DockerHost } from "./dockerHost";

/**
 * The resources on the engine with a name prefix: ids of containers and networks, and volumes with their creation time.
 */
export async function inventoryOf(host: DockerHost, prefix: string): Promise<string[]> {
    const [containers, { Volumes: volumes }, networks] = await Promise.all([
        host.docker.listContainers({ all: true }),
        host.docker.listVolumes(),
        host.docker.listNetworks(),
    ]);
    const found: [string, string][] = [
        ...containers.map(({ Names: [name = ""], Id: id }): [string, string] => [name.slice(1), id]),
        ...volumes.map((volume): [string, string] => [
            volume.Name,
            (volume as unknown as { CreatedAt: string }).CreatedAt,
        ]),
        ...networks.map(({ Name: name, Id: id }): [string, string] => [name, id]),
    ];
    return found
        .filter(([name]) => name.startsWith(prefix))
        .map((entry) => entry.join(" "))
        .sort();
}

/**
 * Expects that a change of stack config is refused for these reasons, in a preview and in an update without a preview,
 * and that nothing is changed. Afterwards the config is set back.
 */
export async function expectRefused(
    deployment: Deployment,
    former: DeploymentConfig,
    change: DeploymentConfig,
    reasons: RegExp[],
): Promise<void> {
    const host = new DockerHost();
    const before = await inventoryOf(host, deployment.clusterName);
    await deployment.configure(change);
    try {
        for (const output of [await deployment.previewFailing(), await deployment.upFailing()]) {
            expect(output).toContain("is refused, nothing was changed");
            for (const reason of reasons) {
                expect(output).toMatch(reason);
            }
        }
    } finally {
        const isNew = (key: string) => former[key] === undefined;
        const keys = Object.keys(change);
        if (keys.some(isNew)) {
            await deployment.unset(...keys.filter(isNew));
        }
        const values = keys.flatMap((key) => (former[key] === undefined ? [] : [[key, former[key]]]));
        if (values.length > 0) {
            await deployment.configure(Object.fromEntries(values) as DeploymentConfig);
        }
    }
    expect(await inventoryOf(host, deployment.clusterName)).toEqual(before);
}
