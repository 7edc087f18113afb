import type { Problem } from "../checks/problem";
import { LABELS } from "../naming/labels";
import { isAlike } from "../store/nodeEnvironment";
import { mayRunMixed, releaseOf } from "../store/releases";
import { isNamed } from "../store/variableNames";
import type { DeployedCluster, DeployedNode } from "./deployedCluster";
import type { DesiredCluster } from "./desiredCluster";
import { awaitsMigrated } from "./storeOnDrives";

/**
 * Names of the changes that can't be rolled out node by node, as in the user's settings. Empty if every change can be
 * rolled out.
 */
export function changesOfAllNodes(deployed: DeployedCluster, desired: DesiredCluster): string[] {
    const running = deployed.nodes.filter(({ container }) => container !== undefined);
    if (running.length < 2 || !deployed.formed) {
        return [];
    }
    if (awaitsMigrated(deployed, desired)) {
        return ["the store"];
    }
    const { image, variables } = desired.profile.sameOnAllNodes;
    const names = [...new Set([...Object.keys(desired.secrets), ...goneSecrets(running, desired)])];
    const secrets = names
        .filter((name) => isNamed(name, variables))
        .filter((name) => running.some((node) => !runsWith(node, name, desired.secrets[name])));
    const open = running.some(
        ({ container, imageNames }) =>
            desired.alike !== undefined &&
            !isAlike(
                container?.labels[LABELS.alike],
                desired.alike,
                { id: container?.imageId ?? "", names: imageNames },
                deployed.imageId,
            ),
    );
    const together = desired.allowedChanges.includes("outage") && !desired.allowedChanges.includes("mixedReleases");
    return [
        ...(together ? imagesNotToMix(running, deployed, desired).map((image) => `the image ${image}`) : []),
        ...(open ? [[...(image ? ["the image"] : []), ...variables].join(", or one of ")] : []),
        ...secrets,
        ...(deployed.subnet === undefined || deployed.subnet === desired.subnet ? [] : ["the node network"]),
    ];
}

/**
 * Images of the running nodes whose release isn't known to work in one cluster with the desired image's. None if the
 * profile doesn't say which releases do, and while the desired image isn't known.
 */
function imagesNotToMix(running: DeployedNode[], { imageId }: DeployedCluster, desired: DesiredCluster): string[] {
    const { image = "", profile } = desired;
    const ranges = profile.mixedReleases;
    if (ranges === undefined || image === "") {
        return [];
    }
    const apart = running.filter(
        ({ container, imageNames }) =>
            container?.imageId !== imageId &&
            !imageNames.some((name) => name === image || mayRunMixed(releaseOf(name), releaseOf(image), ranges)),
    );
    return [...new Set(apart.map(({ container, imageNames }) => imageNames[0] ?? container?.imageId ?? ""))];
}

/** Checks for an image whose release isn't known to work in one cluster with the nodes' present one. */
export function checkReleases(deployed: DeployedCluster, desired: DesiredCluster): Problem[] {
    const running = deployed.nodes.filter(({ container }) => container !== undefined);
    const rolledOut = running.length > 1 && deployed.formed && !awaitsMigrated(deployed, desired);
    if (!rolledOut || desired.allowedChanges.includes("outage")) {
        return [];
    }
    const { image = "", profile } = desired;
    return imagesNotToMix(running, deployed, desired).map((former) => ({
        propertyPath: "image",
        reason:
            `"${image}" would be rolled out node by node, and it isn't known whether it works in one cluster with "${former}". ` +
            `Known to work together are releases of ${profile.name} in the same range of ${profile.mixedReleases?.join(", ")}. ` +
            'Set it back, or add "outage" to allowedChanges, and all nodes are replaced at once',
    }));
}

/**
 * Secret variables that the nodes have and the desired cluster doesn't. Root secrets without a value are generated and not
 * known yet, so they don't count.
 */
function goneSecrets(nodes: DeployedNode[], { alike, secrets, profile }: DesiredCluster): string[] {
    const { accessKey, secretKey, internodeSecret } = profile.variables;
    const known = alike !== undefined;
    return !known
        ? []
        : nodes
              .flatMap(({ secrets: written, runningSecrets }) => Object.keys({ ...written, ...runningSecrets }))
              .filter((name) => !(name in secrets) && ![accessKey, secretKey, internodeSecret].includes(name));
}

/** Whether a node's process has this value. A process may have any value if nothing is known of its secrets. */
function runsWith({ secrets, runningSecrets }: DeployedNode, name: string, value?: string): boolean {
    return secrets === undefined || (runningSecrets !== undefined && runningSecrets[name] === value);
}

/** Checks for a change that can't be rolled out node by node while no outage is allowed. */
export function checkOutage(deployed: DeployedCluster, desired: DesiredCluster): Problem[] {
    const changes = changesOfAllNodes(deployed, desired).filter((change) => change !== "the node network");
    // After a migration no node serves.
    const isMigrated = awaitsMigrated(deployed, desired);
    if (changes.length === 0 || isMigrated || desired.allowedChanges.includes("networkChange")) {
        return [];
    }
    const reason =
        `doesn't allow an outage, and a change of ${changes.join("; ")} needs one: nodes of ${desired.profile.name} work only ` +
        "among peers with identical settings, so all of them are replaced at once. Set it back";
    return [{ propertyPath: "allowedChanges", reason }];
}
