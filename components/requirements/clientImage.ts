import type { StorageClusterArgs } from "../args/storageClusterArgs";
import type { At } from "../checks/problem";
import { changesNothing } from "../pulumi/pulumiCommand";
import { clientImageOf, clientImageRemedy } from "../storeClient/storeReference";
import type { DesiredCluster } from "./desiredCluster";
import { onEngine, type Requirement } from "./requirement";

/**
 * The first engine has the client's image before a store with contents is created, or can pull it: without it, the store would be
 * there, and its buckets not. An update pulls it; a preview asks nothing. A store that has data comes back without it.
 */
export function clientImageIsThere(
    desired: DesiredCluster,
    { hosts, clientImage }: Pick<StorageClusterArgs, "hosts" | "clientImage">,
    at: At,
): Requirement {
    return async (engines) => {
        const { nodes, drives } = await engines.cluster(desired);
        if (changesNothing() || nodes.length > 0 || drives.length > 0) {
            return [];
        }
        const isHad = onEngine(hosts?.[0]?.name, async ({ engine }) => {
            const failure = await engine.haveImage(clientImageOf({ clientImage }), true);
            return failure === undefined
                ? []
                : [{ propertyPath: at("clientImage"), reason: clientImageRemedy(failure) }];
        });
        return isHad(engines);
    };
}
