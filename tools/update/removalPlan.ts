import { LABELS } from "../../components/naming/labels";
import { list } from "./dataVolumes";
import { DOCKER_TYPES, isDataVolume, nameOf, type StackState, type StateResource } from "../pulumi/stackState";

/** What the user wants removed besides containers and networks. */
export interface RemovalOptions {
    /** Data volumes too. */
    deleteData: boolean;
    /** The credentials too, although objects that they open stay on disk. */
    deleteCredentials: boolean;
}

/** Objects that stay where they are. */
export interface KeptData {
    /** Name of the volume. */
    volume: string;
    /** Where they are, for people. */
    place: string;
}

/** What a removal does with a stack's data and with what opens it. */
export interface RemovalPlan {
    /** Data volumes that are deleted, with all objects in them. */
    deleted: string[];
    /** What stays on disk. */
    kept: KeptData[];
    /** Whether the credentials stay, and the CA, the secrets volumes and the ACME account with them. */
    keepsCredentials: boolean;
    /** URNs of what has to lose its protection, so that it is deleted. */
    unprotect: string[];
    /** URNs of what has to be protected, so that it stays: it isn't where `retainData` is off. */
    protect: string[];
}

/** Plans the removal of a stack, as its state knows it. What an interrupted update was making counts as there. */
export function planRemoval(state: StackState, options: RemovalOptions): RemovalPlan {
    const resources = [...state.resources, ...state.pending.map(({ resource }) => resource)];
    const volumes = resources.filter(isDataVolume);
    const deletes = (volume: StateResource) => options.deleteData && folderOf(volume) === undefined;
    const kept = [
        ...volumes.filter((volume) => !deletes(volume)).map(keptVolume),
        ...resources.flatMap(existingVolumes).map((volume) => ({ volume, place: "a volume of your own" })),
    ];
    const keepsCredentials = !options.deleteData || (kept.length > 0 && !options.deleteCredentials);
    const stays = (resource: StateResource) =>
        keepsCredentials && (isDataVolume(resource) ? !deletes(resource) : opensData(resource));
    // What was begun and not done has no state to change.
    const inState = state.resources;
    return {
        deleted: namesOf(volumes.filter(deletes)),
        kept: distinct(kept),
        keepsCredentials,
        unprotect: inState
            .filter(({ protect }) => protect === true)
            .filter((resource) => !keepsCredentials || (isDataVolume(resource) && deletes(resource)))
            .map(({ urn }) => urn),
        protect: inState.filter((resource) => resource.protect !== true && stays(resource)).map(({ urn }) => urn),
    };
}

/** What a plan does to data, for the user to read before it is done. */
export function describeRemoval({ deleted, kept, keepsCredentials }: RemovalPlan): string {
    return [
        ...(deleted.length === 0 ? [] : [`Deleted, with all objects in them:\n${list(deleted)}`]),
        ...(kept.length === 0
            ? []
            : [`Kept on disk:\n${list(kept.map(({ volume, place }) => `${volume} (${place})`))}`]),
        keepsCredentials
            ? "Kept: the credentials, the CA and the ACME account."
            : "Deleted: the credentials, the CA and the ACME account." +
              (kept.length > 0 ? " Only who has the root keys elsewhere can read what is kept." : ""),
    ].join("\n");
}

/** Folder of the host that a data volume stands on, whose files stay when the volume is removed. */
function folderOf({ inputs }: StateResource): string | undefined {
    return inputs?.driverOpts?.["device"];
}

function keptVolume(volume: StateResource): KeptData {
    const folder = folderOf(volume);
    return { volume: nameOf(volume), place: folder ?? "in Docker's data folder" };
}

/** Volumes that were there before the stack and hold drives of a node: its secrets volume has their names. */
function existingVolumes({ type, inputs }: StateResource): string[] {
    const names = (inputs?.labels ?? []).find(({ label }) => label === LABELS.volumes)?.value;
    return type === DOCKER_TYPES.volume && names !== undefined ? names.split(",") : [];
}

/** Whether data can't be used as it was without this: credentials and where nodes have them, the CA, the ACME account. */
function opensData({ urn, protect }: StateResource): boolean {
    return (
        protect === true ||
        urn.includes("docker-object-store:index:Credentials$") ||
        /:VolumeFiles\$docker:index\/volume:Volume::.*-secrets$/.test(urn) ||
        /:SelfSignedCertificate\$tls:.*-ca(-key)?$/.test(urn)
    );
}

function namesOf(volumes: StateResource[]): string[] {
    return [...new Set(volumes.map(nameOf))].sort();
}

function distinct(kept: KeptData[]): KeptData[] {
    const byName = new Map(kept.map((one) => [one.volume, one]));
    return [...byName.values()].sort((one, other) => (one.volume < other.volume ? -1 : 1));
}
