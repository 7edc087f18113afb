import { LABELS } from "../../components/naming/labels";
import { hostOf } from "../stack/stackHosts";
import { list } from "../stack/dataVolumes";
import { DOCKER_TYPES, isDataVolume, nameOf, type StackState, type StateResource } from "../pulumi/stackState";

/** What to remove besides containers and networks. */
export interface RemovalOptions {
    /** Data volumes too. */
    deleteData: boolean;
    /** The credentials too, although objects that need them remain on disk. */
    deleteCredentials: boolean;
}

/** Objects that remain where they are. */
export interface KeptData {
    /** Name of the volume. */
    volume: string;
    /** Their location, for messages. */
    place: string;
}

/** The effect of a removal on a stack's data and credentials. */
export interface RemovalPlan {
    /** Data volumes that are deleted, with all objects in them, and with their hosts if they have any. */
    deleted: string[];
    /** Data that remains on disk. */
    kept: KeptData[];
    /** Whether the credentials are kept, and with them the CA, the secrets volumes and the ACME account. */
    keepsCredentials: boolean;
    /** URNs of resources that must lose their protection to be deleted. */
    unprotect: string[];
    /** URNs of resources that must be protected to be kept: they aren't if `retainData` is off. */
    protect: string[];
}

/** Plans the removal of a stack from its state. Resources that an interrupted update was creating count as existing. */
export function planRemoval(state: StackState, options: RemovalOptions): RemovalPlan {
    const resources = [...state.resources, ...state.pending.map(({ resource }) => resource)];
    const volumes = resources.filter(isDataVolume);
    const deletes = (volume: StateResource) => options.deleteData && folderOf(volume) === undefined;
    const kept = [
        ...volumes.filter((volume) => !deletes(volume)).map(keptVolume),
        ...resources.flatMap(existingVolumes),
    ];
    const keepsCredentials = !options.deleteData || (kept.length > 0 && !options.deleteCredentials);
    const stays = (resource: StateResource) =>
        keepsCredentials && (isDataVolume(resource) ? !deletes(resource) : opensData(resource));
    // A pending creation has no state to change.
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

/** URNs of policies and access keys that a removal has protected, and nothing else protects: the next update may delete them. */
export function protectedByRemoval({ resources }: StackState): string[] {
    return resources
        .filter(({ type, protect }) => protect === true && CONTENT_TYPES.includes(type) && !type.endsWith(":Bucket"))
        .map(({ urn }) => urn);
}

/** The effect of a plan on data, shown to the user before the removal. */
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

/** Host folder that contains a data volume. Its files remain when the volume is removed. */
function folderOf({ inputs }: StateResource): string | undefined {
    return inputs?.driverOpts?.["device"];
}

function keptVolume(volume: StateResource): KeptData {
    const folder = folderOf(volume);
    return { volume: nameOf(volume), place: withHost(folder ?? "in Docker's data folder", volume) };
}

/** Existing volumes that hold drives of a node: its secrets volume has their names. */
function existingVolumes(secrets: StateResource): KeptData[] {
    const { type, inputs } = secrets;
    const names = (inputs?.labels ?? []).find(({ label }) => label === LABELS.volumes)?.value;
    return type === DOCKER_TYPES.volume && names !== undefined
        ? names.split(",").map((volume) => ({ volume, place: withHost("a volume of your own", secrets) }))
        : [];
}

/** A text about a resource, with the resource's host if it has one. */
function withHost(text: string, resource: StateResource): string {
    const host = hostOf(resource);
    return host === undefined ? text : `${text}, on host ${host}`;
}

/** Types of the resources in a store, which stays as it is in the data. */
const CONTENT_TYPES = ["Bucket", "Policy", "AccessKey"].map((kind) => `docker-object-store:index:${kind}`);

/**
 * Whether the data is unusable without this resource, or contains it: credentials and the nodes' copies of them, the CA, the
 * ACME account; buckets, policies and access keys.
 */
function opensData({ urn, type, protect }: StateResource): boolean {
    return (
        protect === true ||
        CONTENT_TYPES.includes(type) ||
        urn.includes("docker-object-store:index:Credentials$") ||
        /:VolumeFiles\$docker:index\/volume:Volume::.*-secrets$/.test(urn) ||
        /:SelfSignedCertificate\$tls:.*-ca(-key)?$/.test(urn)
    );
}

function namesOf(volumes: StateResource[]): string[] {
    return [...new Set(volumes.map((volume) => withHost(nameOf(volume), volume)))].sort();
}

function distinct(kept: KeptData[]): KeptData[] {
    const byName = new Map(kept.map((one) => [`${one.volume} ${one.place}`, one]));
    return [...byName.values()].sort((one, other) => (one.volume < other.volume ? -1 : 1));
}
