import type { DeployedCluster, DeployedNode } from "./deployedCluster";
import type { DesiredCluster } from "./desiredCluster";
import type { Recovery } from "../engine/trialRecovery";
import type { Problem } from "../inputs/problem";
import { LABELS } from "../naming/labels";
import { findProfile, profileNames } from "../store/profiles/all";
import { isNamed, type ServiceProfile } from "../store/serviceProfile";
import { takeOverBetween, type TakeOver } from "../store/profiles/takeOvers";
import { documentReference } from "../naming/documentation";

/** Checks for another store on existing data. */
export function checkProfile(deployed: DeployedCluster, desired: DesiredCluster): Problem[] {
    const { profile, clusterName } = desired;
    const other = otherStore(deployed, desired);
    if (other === undefined) {
        return [];
    }
    const makes = takeOverBetween(other, profile.name) !== undefined;
    const [volume] = deployed.drives.map((drive) => drive.volume);
    const reason =
        `${profile.name} doesn't match the data of the cluster ${clusterName}: its volume ${volume} is used with ` +
        `profile ${other}. Set it back, or give the cluster a new clusterName beside the old one and copy the objects` +
        (makes
            ? `; ${profile.name} can also take the drives over in place, with an outage ` +
              `(${documentReference("from-minio", "The change")})`
            : "");
    return [{ propertyPath: "profile", reason }];
}

/** Problems of a store that takes over another one's drives, which no word in `allowedChanges` allows. */
export function checkTakeOver(deployed: DeployedCluster, desired: DesiredCluster): Problem[] {
    const takeOver = takeOverOf(deployed, desired);
    if (takeOver === undefined) {
        return [];
    }
    const { from, to, needsFormer, excludedVariables } = takeOver;
    const problems: Problem[] = [];
    const alone = (propertyPath: string, what: string) => ({
        propertyPath,
        reason: `${what} can't change together with the profile: set it back, and change it in an update of its own afterwards`,
    });
    if (deployed.subnet !== undefined && deployed.subnet !== desired.subnet) {
        problems.push(alone("subnet", `"${desired.subnet}"`));
    }
    const pools = new Set(deployed.drives.map(({ labels }) => labels[LABELS.pool]));
    if (desired.pools.length > pools.size) {
        problems.push(alone("pools", "a new pool"));
    }
    if (needsFormer && deployed.nodes.every(({ container }) => container === undefined)) {
        const reason =
            `"${to.name}" takes over the drives of a running ${from.name}, whose content is compared, and no node exists: ` +
            `first run an update with profile ${from.name}`;
        problems.push({ propertyPath: "profile", reason });
    }
    const variables = deployed.nodes.flatMap((node) => [
        ...Object.keys({ ...node.secrets, ...node.runningSecrets }),
        ...(node.openVariables ?? []),
    ]);
    const excluded = [...new Set(variables)].filter((name) => isNamed(name, excludedVariables));
    if (excluded.length > 0) {
        const reason =
            `"${to.name}" can't take over the drives: ${excluded.join(", ")} of ${from.name} encrypts its users, policies and objects, ` +
            `and ${to.name} can't decrypt them. Set it back, and copy the objects to a new cluster`;
        problems.push({ propertyPath: "profile", reason });
    }
    return problems;
}

/** What a take-over will do, for the operator. */
export function describeTakeOver({ from, to, needsFormer, consequence }: TakeOver, desired: DesiredCluster): string {
    return (
        `profile: ${to.name} takes over the drives of ${from.name}, with an outage of all ${desired.nodes.length} node(s) of ` +
        `${desired.clusterName}. First it is checked that ${to.name} can read what is there. Then all nodes stop, the files get the ` +
        `owner ${to.user}, and ${to.name} is tried with the same root keys: buckets, their settings, listings and a sample of ` +
        `objects must be what ${from.name} had${needsFormer ? "" : ", if that still runs"}. Otherwise ${from.name} is started again. ${consequence}`
    );
}

/** The take-over that makes the deployed cluster the desired one. Undefined if no other store's drives are taken over. */
export function takeOverOf(deployed: DeployedCluster, desired: DesiredCluster): TakeOver | undefined {
    const other = otherStore(deployed, desired);
    return other === undefined || !deployed.formed ? undefined : takeOverBetween(other, desired.profile.name);
}

/**
 * Whether some nodes already run the desired store, and others run the other one or were prepared for it and are missing: a
 * take-over was interrupted after it had been found to work, or nodes of the former store were gone when it was started again.
 */
export function isHalfTakenOver({ nodes }: DeployedCluster, { profile }: DesiredCluster): boolean {
    const existing = nodes.filter(({ container }) => container !== undefined);
    const missing = nodes.filter(({ container, secrets }) => container === undefined && secrets !== undefined);
    const fits = existing.map(({ runningSecrets }) => hasKeysOf(profile, runningSecrets));
    const prepared = missing.map(({ secrets }) => hasKeysOf(profile, secrets));
    return fits.includes(true) && [...fits, ...prepared].includes(false);
}

/**
 * How an update with a take-over goes on with what an interrupted one has left. Where the new store has to be compared with the former
 * one, it is refused if nodes of both exist and no trial shows that the new one has everything.
 */
export function continuationOf(
    recovery: Recovery,
    { needsFormer }: Pick<TakeOver, "needsFormer">,
    deployed: DeployedCluster,
    desired: DesiredCluster,
): "refused" | "goesOn" | "begins" {
    if (recovery === "passed") {
        return "goesOn";
    }
    if (needsFormer && runsBoth(deployed, desired)) {
        return "refused";
    }
    // Where a node is missing, the store may have no quorum, and could not be compared. Otherwise it may have run for days.
    const isPartial = deployed.nodes.some(({ container }) => container?.state !== "running");
    const turnsBack = recovery === "turnedBack" && !needsFormer && isPartial;
    return turnsBack || isHalfTakenOver(deployed, desired) ? "goesOn" : "begins";
}

/** Whether some nodes have containers of the desired store, and others of another one. */
function runsBoth({ nodes }: DeployedCluster, { profile }: DesiredCluster): boolean {
    const known = nodes.filter(({ container, runningSecrets: read }) => container !== undefined && read !== undefined);
    const fits = known.map(({ runningSecrets }) => hasKeysOf(profile, runningSecrets));
    return fits.includes(true) && fits.includes(false);
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
