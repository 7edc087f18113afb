import type { DeployedCluster, DeployedNode } from "./deployedCluster";
import type { DesiredCluster } from "./desiredCluster";
import { migratedCluster, whyMigrating } from "./migrationMark";
import type { Problem } from "../checks/problem";
import { LABELS } from "../naming/labels";
import { canMigrate, findProfile, profileNames } from "../store/profiles/all";
import type { ServiceProfile } from "../store/serviceProfile";
import { documentReference } from "../naming/documentation";

/**
 * Checks that the drives are the desired store's: it has written them, or `npm run migrate` has recorded that it has what the former one
 * had.
 */
export function checkStore(deployed: DeployedCluster, desired: DesiredCluster): Problem[] {
    const { profile, clusterName } = desired;
    const { mark } = deployed;
    const migrating = whyMigrating(clusterName, mark);
    if (migrating !== undefined) {
        return [{ propertyPath: "profile", reason: `"${profile.name}" has to wait. ${migrating}` }];
    }
    const store = mark?.store ?? otherStore(deployed, desired) ?? profile.name;
    if (store === profile.name) {
        return [];
    }
    const [volume] = deployed.drives.map((drive) => drive.volume);
    const command = mark === undefined ? `--to ${profile.name}` : "--back";
    const way = canMigrate(store, profile.name)
        ? `. Or migrate in place, with an outage: npm run migrate -- ${command} (${documentReference("how-to/migrate-to-rustfs", "Migrate")}). ` +
          migratedCluster(clusterName)
        : "";
    const reason =
        `"${profile.name}" doesn't match the data of the cluster ${clusterName}: its volume ${volume} is used with ` +
        `profile ${store}. Set it back, or give the cluster a new name beside the old one and copy the objects${way}`;
    return [{ propertyPath: "profile", reason }];
}

/** Whether the drives were migrated to the desired store, and nodes have containers of the former one, which are stopped. */
export function awaitsMigrated({ nodes, mark }: DeployedCluster, { profile }: DesiredCluster): boolean {
    const isOther = ({ container, runningSecrets }: DeployedNode) =>
        container !== undefined && runningSecrets !== undefined && !hasKeysOf(profile, runningSecrets);
    return mark?.store === profile.name && nodes.some(isOther);
}

/**
 * A root key in a node's variables, under the name that the desired store or the store that the variables are for gives it.
 */
export function rootKeyIn(
    variables: { [name: string]: string } | undefined,
    key: "accessKey" | "secretKey",
    profile: ServiceProfile,
): string | undefined {
    const name = storeOf(variables)?.variables[key];
    return variables?.[profile.variables[key]] ?? (name === undefined ? undefined : variables?.[name]);
}

/**
 * Name of the store that uses the data, if that isn't the desired one. The variables that the nodes run with, or were
 * prepared for, show it. Labels of the volumes only say which store has created them.
 */
function otherStore({ nodes, drives }: DeployedCluster, { profile }: DesiredCluster): string | undefined {
    const label = drives.map(({ labels }) => labels[LABELS.profile]).find((name) => name !== profile.name);
    const known = nodes.flatMap(variablesOf);
    if (drives.length === 0) {
        return undefined;
    }
    const other = known.find((variables) => !hasKeysOf(profile, variables));
    if (other !== undefined) {
        const name = storeOf(other)?.name ?? label;
        // A profile of the program's own may give the variables of the same store other names.
        return name === profile.name ? undefined : name;
    }
    const created = label === undefined ? undefined : findProfile(label);
    const wasTakenOver = created !== undefined && created.variables.accessKey !== profile.variables.accessKey;
    // Unread variables may be those of either store. They are read when the update begins.
    const isUnknown = known.length === 0 && nodes.some(({ unread }) => unread);
    return (known.length > 0 && wasTakenOver) || (isUnknown && wasTakenOver) ? undefined : label;
}

/** A node that was prepared for another store and not replaced still runs the one that its container was made for. */
function variablesOf({ secrets, runningSecrets }: DeployedNode): { [name: string]: string }[] {
    const variables = runningSecrets ?? secrets;
    return variables === undefined ? [] : [variables];
}

function hasKeysOf({ variables }: ServiceProfile, known: { [name: string]: string } | undefined): boolean {
    return known !== undefined && variables.accessKey in known && variables.secretKey in known;
}

/** The built-in profile of the store whose root keys are among the variables. */
function storeOf(variables: { [name: string]: string } | undefined): ServiceProfile | undefined {
    return profileNames.flatMap((name) => findProfile(name) ?? []).find((profile) => hasKeysOf(profile, variables));
}
