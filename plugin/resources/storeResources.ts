import * as pulumi from "@pulumi/pulumi";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { withClient } from "../../components/client/clientSession";
import { ClientError, type StoreClient } from "../../components/client/storeClient";
import type { StoreReference } from "../../components/client/storeReference";
import { StoreNotRunning } from "../../components/client/storeTarget";
import { withoutStack } from "../../components/inputs/problem";
import { accessKeyResource } from "./accessKeyResource";
import { bucketResource } from "./bucketResource";
import { holdsUnknown, plain, secret } from "./propertyValues";
import { policyResource } from "./policyResource";
import { PartlyCreated, Refusal, type Properties, type StoreResource } from "./storeResource";

/** Args and state of any resource. */
type AnyArgs = Properties & { store: StoreReference };
type AnyResource = StoreResource<AnyArgs, AnyArgs>;

/** The kinds of resources, by the last part of their types. */
const KINDS: { [kind: string]: AnyResource } = {
    Bucket: bucketResource,
    Policy: policyResource,
    AccessKey: accessKeyResource,
};

/** Properties that are secret in state. */
const SECRETS = ["secretKey"];

/** Attempts to delete from a store that can't be reached: it may be about to be removed. */
const DELETE_ATTEMPTS = 20;

const SECONDS_BETWEEN = 3;

/** Gives work a client of a store. */
export type Connect = <Result>(
    store: StoreReference,
    work: (client: StoreClient) => Promise<Result>,
) => Promise<Result>;

/** The resources in a store, as Pulumi's engine asks for them. */
export class StoreResources {
    constructor(
        private readonly connect: Connect = withClient,
        private readonly pause: (seconds: number) => Promise<void> = (seconds) => setTimeout(seconds * 1000),
    ) {}

    /** Checks args, and fills in defaults. Args that aren't known yet are checked in the update. */
    check(urn: pulumi.URN, _olds: unknown, news: unknown): Promise<pulumi.provider.CheckResult> {
        const { kind, name } = kindOf(urn);
        const given = plain(news) as AnyArgs;
        const inputs = kind.complete(given, name);
        const failures = holdsUnknown(given)
            ? []
            : kind.check(inputs).map(({ propertyPath: property, reason }) => ({ property, reason }));
        return Promise.resolve({ inputs: marked(inputs), failures });
    }

    /** Compares state and args. */
    diff(_id: pulumi.ID, urn: pulumi.URN, olds: unknown, news: unknown): Promise<pulumi.provider.DiffResult> {
        const { kind } = kindOf(urn);
        const [state, args] = [plain(olds) as AnyArgs, plain(news) as AnyArgs];
        const former = kind.argsOf(state);
        const replaces = kind.replacedBy(former, args).filter((property) => !holdsUnknown(args[property]));
        if (!holdsUnknown(args.store) && former.store.name !== args.store.name) {
            replaces.push("store");
        }
        const changes =
            replaces.length > 0 ||
            holdsUnknown(args) ||
            !isDeepStrictEqual(former.store, args.store) ||
            !kind.isUpToDate(state, args);
        return Promise.resolve({ changes, replaces, deleteBeforeReplace: kind.deletedFirst });
    }

    async create(urn: pulumi.URN, inputs: unknown): Promise<pulumi.provider.CreateResult> {
        const { kind } = kindOf(urn);
        const args = plain(inputs) as AnyArgs;
        const idOf = (state: AnyArgs) => `${state.store.name}/${kind.nameOf(state)}`;
        try {
            const state = await this.connect(args.store, (client) => kind.create(client, args));
            return { id: idOf(state), outs: marked(state) };
        } catch (error) {
            if (error instanceof PartlyCreated) {
                const state = error.state as AnyArgs;
                throw Object.assign(withoutStack(error), {
                    id: idOf(state),
                    properties: marked(state),
                    reasons: [error.message],
                });
            }
            throw withoutStack(error as Error);
        }
    }

    /**
     * Reads what the store has. For a resource that is imported, nothing but its id is known. What is in a store that isn't
     * running stays as it is in state, so that a refresh goes on.
     */
    async read(id: pulumi.ID, urn: pulumi.URN, props: unknown): Promise<pulumi.provider.ReadResult> {
        const { kind } = kindOf(urn);
        const [storeName = "", ...rest] = id.split("/");
        const name = rest.join("/");
        if (storeName === "" || name === "") {
            throw withoutStack(
                new Error(`"${id}" is not an id: give the names of the store and of what is in it, as STORE/NAME`),
            );
        }
        const known = { store: { name: storeName }, ...(plain(props) as Partial<AnyArgs> | undefined) } as AnyArgs;
        const state = await this.connect(known.store, (client) => kind.read(client, name, known)).catch(
            (error: unknown) => {
                if (error instanceof StoreNotRunning && props !== undefined && "store" in (props as object)) {
                    console.warn(`${id} is left as it is in state: ${error.message}`);
                    return known;
                }
                throw withoutStack(error as Error);
            },
        );
        return state === undefined ? {} : { id, props: marked(state), inputs: marked(kind.argsOf(state)) };
    }

    async update(_id: pulumi.ID, urn: pulumi.URN, olds: unknown, news: unknown): Promise<pulumi.provider.UpdateResult> {
        const { kind } = kindOf(urn);
        const [state, args] = [plain(olds) as AnyArgs, plain(news) as AnyArgs];
        try {
            return { outs: marked(await this.connect(args.store, (client) => kind.update(client, state, args))) };
        } catch (error) {
            throw withoutStack(error as Error);
        }
    }

    /**
     * Deletes a resource. In a store that is removed at the same time it stays as it is in the data: once the store's
     * containers are gone, nothing is left to do.
     */
    async delete(_id: pulumi.ID, urn: pulumi.URN, props: unknown): Promise<void> {
        const { kind } = kindOf(urn);
        const state = plain(props) as AnyArgs;
        for (let attempt = 1; ; attempt++) {
            try {
                await this.connect(state.store, (client) => kind.delete(client, state));
                return;
            } catch (error) {
                if (error instanceof StoreNotRunning && error.absent) {
                    return;
                }
                if (error instanceof Refusal || error instanceof ClientError || attempt === DELETE_ATTEMPTS) {
                    throw withoutStack(error as Error);
                }
                await this.pause(SECONDS_BETWEEN);
            }
        }
    }
}

/** The kind of a resource, and its name in the program. */
function kindOf(urn: pulumi.URN): { kind: AnyResource; name: string } {
    const [, , type = "", name = ""] = urn.split("::");
    const kind = KINDS[type.split(":").at(-1) ?? ""];
    if (kind === undefined) {
        throw withoutStack(new Error(`there is no resource ${type} in this package`));
    }
    return { kind, name };
}

/** Properties with the secret ones marked as such. */
function marked(properties: Properties): Properties {
    return Object.fromEntries(
        Object.entries(properties)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => [name, SECRETS.includes(name) ? secret(value) : value]),
    );
}
