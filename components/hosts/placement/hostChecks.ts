import type { StorageClusterArgs } from "../../args/storageClusterArgs";
import type { Problem } from "../../checks/problem";
import { checkShape } from "../../settings/clusterChecks";
import { lossesOf } from "../../settings/pools";
import { describeLoss } from "../../store/hostPlacement";
import { checkStoreHosts, checkUnreachableHosts } from "./hostListChecks";

/** Checks the hosts, and what the loss of any one of them means for the data. */
export function checkHosts(args: StorageClusterArgs): Problem[] {
    const { hosts, unreachableHosts, unencryptedOverlay, allowSinglePointOfFailure } = args;
    if (hosts === undefined) {
        const words = { unreachableHosts, unencryptedOverlay, allowSinglePointOfFailure };
        return Object.entries(words).flatMap(([propertyPath, value]) =>
            value === undefined
                ? []
                : [{ propertyPath, reason: "needs hosts: give the hosts of the cluster, or remove it" }],
        );
    }
    const problems = [...checkStoreHosts(hosts), ...checkUnreachableHosts(hosts, unreachableHosts ?? [])];
    if (args.dockerHost !== undefined) {
        const reason = "and hosts exclude each other: each of hosts has its own";
        problems.push({ propertyPath: "dockerHost", reason });
    }
    if (problems.length > 0 || checkShape(args).length > 0 || allowSinglePointOfFailure === true) {
        return problems;
    }
    return lossesOf(args)
        .filter(({ writes }) => !writes)
        .map((loss) => ({
            propertyPath: "hosts",
            reason:
                `${describeLoss(loss)}. Spread the nodes over more hosts, or give each more nodes or drives; ` +
                "or, if that is what you want, set allowSinglePointOfFailure to true",
        }));
}
