import type { StorageClusterArgs } from "../args/storageClusterArgs";
import type { At } from "../checks/problem";
import { LABELS } from "../naming/labels";
import { changesNothing } from "../pulumi/pulumiCommand";
import { clientImageOf, clientImageRemedy } from "../storeClient/storeReference";
import { onEngine, type Requirement } from "./requirement";

/**
 * The first engine has the client's image before a store with contents is created, or can pull it: without it, the store would be
 * there, and its buckets not. An update pulls it; a preview asks nothing.
 */
export function clientImageIsThere(
    clusterName: string,
    { hosts, clientImage }: Pick<StorageClusterArgs, "hosts" | "clientImage">,
    at: At,
): Requirement {
    return onEngine(hosts?.[0]?.name, async ({ engine }) => {
        const isNew = (await engine.containers(LABELS.cluster, clusterName)).length === 0;
        const failure =
            isNew && !changesNothing() ? await engine.haveImage(clientImageOf({ clientImage }), true) : undefined;
        return failure === undefined ? [] : [{ propertyPath: at("clientImage"), reason: clientImageRemedy(failure) }];
    });
}
