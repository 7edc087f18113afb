import type { StoreClient } from "../../components/storeClient/storeClient";
import type { Problem } from "../../components/checks/problem";
import type { StoreReference } from "../../components/args/storeReference";

/** Properties of a resource, all known. */
export interface Properties {
    [name: string]: unknown;
}

/** A change that the provider refuses. */
export class Refusal extends Error {}

/** A creation or an update that began and failed: the resource exists, without all of its settings. */
export class PartlyApplied<State> extends Error {
    constructor(
        message: string,
        readonly state: State,
    ) {
        super(message);
    }
}

/** What identifies a resource. */
export interface ResourceIdentity {
    urn: string;
    /** Name in the store of the one that it replaces, and that goes on meanwhile. Undefined if there is none. */
    replaced: string | undefined;
}

/** A kind of resource in a store: how it is checked, compared, read and written. */
export interface StoreResource<Args extends { store: StoreReference }, State extends Args> {
    /**
     * The args as they are stored, with defaults.
     *
     * @param name The resource's name in the program.
     */
    complete(args: Args, name: string): Args;
    /** Every problem that can be found without asking the store. */
    check(args: Args): Problem[];
    /** Name of the resource in its store. */
    nameOf(state: State): string;
    /** Names of the args whose change replaces the resource. */
    replacedBy(former: Args, args: Args): string[];
    /**
     * Whether the former resource is deleted before its replacement is created.
     *
     * @param replaces Names of the args that have changed. Empty if Pulumi was asked for a replacement.
     */
    deletedFirst(replaces: string[]): boolean;
    /** Properties that have the same content in several forms: if one is secret, all are. */
    sameContent: readonly string[];
    /** Whether the store has what the args want. */
    isUpToDate(state: State, args: Args): boolean;
    /** @param identity What identifies the resource: its URN, and the name in the store that a replaced one has. */
    create(client: StoreClient, args: Args, identity: ResourceIdentity): Promise<State>;
    /**
     * Reads the resource. Undefined if the store doesn't have it.
     *
     * @param known What is known of it: of an imported one, only its store.
     */
    read(
        client: StoreClient,
        name: string,
        known: Partial<State> & { store: StoreReference },
    ): Promise<State | undefined>;
    update(client: StoreClient, state: State, args: Args): Promise<State>;
    /** Creates, as it was, what the store has lost with its data. */
    restore(client: StoreClient, state: State, args: Args): Promise<State>;
    /** @param isReplaced Whether another one takes its place: then nothing that it contains may be deleted. */
    delete(client: StoreClient, state: State, isReplaced: boolean): Promise<void>;
    /** The args that lead to this state. */
    argsOf(state: State): Args;
}
