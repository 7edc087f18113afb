import * as pulumi from "@pulumi/pulumi";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { withClient } from "../../components/storeClient/clientSession";
import { ClientError, type StoreClient } from "../../components/storeClient/storeClient";
import { StoreNotRunning, type EmptyEngine } from "../../components/storeClient/storeTarget";
import { withMessageOnly, type Problem } from "../../components/checks/problem";
import { accessKeyResource } from "./accessKeyResource";
import { bucketResource } from "./bucketResource";
import { holdsUnknown, plain, secretNames } from "./propertyValues";
import { policyResource } from "./policyResource";
import { ProgramResources } from "./programResources";
import { marked, withoutSecrets } from "./secretProperties";
import { PartlyApplied, Refusal, type Properties, type StoreResource } from "./storeResource";
import type { StoreReference } from "../../components/args/storeReference";

/** Args and state of any resource. */
type AnyArgs = Properties & { store: StoreReference };
type AnyResource = StoreResource<AnyArgs, AnyArgs>;

/** The kinds of resources, by the last part of their types. */
const KINDS: { [kind: string]: AnyResource } = {
    Bucket: bucketResource,
    Policy: policyResource,
    AccessKey: accessKeyResource,
};

/** Attempts to delete from a store that can't be reached: it may be about to be removed. */
const DELETE_ATTEMPTS = 20;

const SECONDS_BETWEEN = 3;

/** Gives work a client of a store, and the id of the engine that it runs on. */
export type Connect = <Result>(
    store: StoreReference,
    work: (client: StoreClient, engine: string) => Promise<Result>,
) => Promise<Result>;

/** What is kept in state: a resource's own state, and the id of the engine on which its store was last asked. */
interface Kept {
    state: AnyArgs;
    engine: string | undefined;
    /**
     * Set if the store didn't run when a refresh asked for the resource. It may have lost its data since; the next update
     * looks, and creates again what is gone.
     */
    unread: true | undefined;
}

/** The resources in a store, as Pulumi's engine asks for them. */
export class StoreResources {
    private isCancelled = false;

    private readonly program = new ProgramResources();

    constructor(
        private readonly connect: Connect = (store, work) => withClient(store, work, () => this.isCancelled),
        private readonly pause: (seconds: number) => Promise<void> = (seconds) => setTimeout(seconds * 1000),
    ) {}

    /** Pulumi calls this if the update is cancelled. It then waits for the operations that have begun: they end soon. */
    cancel(): Promise<void> {
        this.isCancelled = true;
        return Promise.resolve();
    }

    /** Checks args, and fills in defaults. Args that aren't known yet are checked in the update. */
    check(urn: pulumi.URN, _olds: unknown, news: unknown): Promise<pulumi.provider.CheckResult> {
        const { kind, name } = kindOf(urn);
        this.program.checks(urn);
        const given = plain(news) as AnyArgs;
        const inputs = kind.complete(given, name);
        // Of a failure with a property, the CLI prints the value too.
        const failures = (holdsUnknown(given) ? [] : problemsOf(kind, inputs)).map(({ propertyPath, reason }) => ({
            property: "",
            reason: withoutSecrets(`${propertyPath}: ${reason}`, news),
        }));
        return Promise.resolve({ inputs: marked(kind, inputs, news), failures });
    }

    /** Compares state and args. */
    diff(id: pulumi.ID, urn: pulumi.URN, olds: unknown, news: unknown): Promise<pulumi.provider.DiffResult> {
        const { kind } = kindOf(urn);
        const { state, unread = false } = kept(olds);
        const args = plain(news) as AnyArgs;
        const former = kind.argsOf(state);
        const replaces = kind.replacedBy(former, args).filter((property) => !holdsUnknown(args[property]));
        if (!holdsUnknown(args.store) && former.store.name !== args.store.name) {
            replaces.push("store");
        }
        // State that an earlier release or program has left unencrypted.
        const isOpen = secretNames(marked(kind, state, news)).some((name) => !secretNames(olds).includes(name));
        const changes =
            replaces.length > 0 ||
            isOpen ||
            unread ||
            holdsUnknown(args) ||
            !isDeepStrictEqual(former.store, args.store) ||
            !kind.isUpToDate(state, args);
        this.program.compares(urn, id, replaces.length > 0);
        return Promise.resolve({ changes, replaces, deleteBeforeReplace: kind.deletedFirst(replaces) });
    }

    async create(urn: pulumi.URN, inputs: unknown): Promise<pulumi.provider.CreateResult> {
        const { kind } = kindOf(urn);
        const args = plain(inputs) as AnyArgs;
        const identity = { urn, replaced: this.program.replacedName(urn) };
        return this.change(urn, args.store, inputs, (client) => kind.create(client, args, identity));
    }

    /**
     * Reads what the store has. For a resource that is imported, nothing but its id is known. What is in a store that isn't
     * running stays as it is in state, so that a refresh goes on; the next update looks for it.
     */
    async read(id: pulumi.ID, urn: pulumi.URN, props: unknown): Promise<pulumi.provider.ReadResult> {
        const { kind } = kindOf(urn);
        const [storeName = "", ...rest] = id.split("/");
        const name = rest.join("/");
        return withMessagesOnly(async () => {
            if (storeName === "" || name === "") {
                throw new Error(
                    `"${id}" is not an id: give the names of the store and of what is in it, as STORE/NAME`,
                );
            }
            const before = kept(props);
            const isImported = !("store" in before.state);
            const known = { ...before.state, store: isImported ? { name: storeName } : before.state.store };
            const found = ({ state, ...beside }: Kept) => ({
                id,
                props: marked(kind, { ...state, ...beside }, props),
                inputs: marked(kind, kind.argsOf(state), props),
            });
            try {
                return await this.connect(known.store, async (client, engine) => {
                    const state = await kind.read(client, name, known);
                    return state === undefined ? {} : found({ state, engine, unread: undefined });
                });
            } catch (error) {
                if (!(error instanceof StoreNotRunning) || isImported) {
                    throw error;
                }
                await pulumi.log.warn(`${id} is left as it is in state: ${error.message}`);
                return found({ ...before, unread: true });
            }
        });
    }

    async update(_id: pulumi.ID, urn: pulumi.URN, olds: unknown, news: unknown): Promise<pulumi.provider.UpdateResult> {
        const { kind } = kindOf(urn);
        const { state, unread = false } = kept(olds);
        const args = plain(news) as AnyArgs;
        return this.change(urn, args.store, news, async (client) => {
            const isLost = unread && (await kind.read(client, kind.nameOf(state), state)) === undefined;
            return isLost ? kind.restore(client, state, args) : kind.update(client, state, args);
        });
    }

    /**
     * Changes a resource. One that is changed in part is kept in state as such, and the next update goes on.
     *
     * @param inputs The args with the marks of the secret ones.
     */
    private change(
        urn: pulumi.URN,
        store: StoreReference,
        inputs: unknown,
        work: (client: StoreClient) => Promise<AnyArgs>,
    ): Promise<pulumi.provider.CreateResult> {
        const { kind } = kindOf(urn);
        return withMessagesOnly(() =>
            this.connect(store, async (client, engine) => {
                const result = (state: AnyArgs) => {
                    const id = `${state.store.name}/${kind.nameOf(state)}`;
                    this.program.makes(urn, id);
                    return { id, outs: marked(kind, { ...state, engine }, inputs) };
                };
                try {
                    return result(await work(client));
                } catch (error) {
                    const failure = error as Error;
                    failure.message = withoutSecrets(failure.message, inputs);
                    if (!(error instanceof PartlyApplied)) {
                        throw error;
                    }
                    const { id, outs: properties } = result(error.state as AnyArgs);
                    throw Object.assign(error, { id, properties, reasons: [error.message] });
                }
            }),
        );
    }

    /**
     * Deletes a resource. In a store that the same stack removes at the same time, it stays as it is in the data: once the
     * store's containers are gone from the engine that they were on, nothing is left to do. What another resource of the
     * program has by now, such as the same one under another name in the program, is only forgotten.
     */
    async delete(id: pulumi.ID, urn: pulumi.URN, props: unknown): Promise<void> {
        const { kind } = kindOf(urn);
        const { state, engine } = kept(props);
        if (this.program.isOfAnother(urn, id)) {
            return;
        }
        const isReplaced = this.program.has(urn);
        return withMessagesOnly(async () => {
            for (let attempt = 1; ; attempt++) {
                try {
                    await this.connect(state.store, (client) => kind.delete(client, state, isReplaced));
                    return;
                } catch (error) {
                    const goneFrom = error instanceof StoreNotRunning ? error.goneFrom : [];
                    const former = goneFrom.find((one) => one.id === engine);
                    if (former !== undefined && [undefined, stackOf(urn)].includes(former.dataOf)) {
                        return;
                    }
                    if (goneFrom.length > 0) {
                        throw new Refusal(`${id}: ${(error as Error).message}. ${whyNotGone(former)}`);
                    }
                    const isOver = this.isCancelled || attempt === DELETE_ATTEMPTS;
                    if (error instanceof Refusal || error instanceof ClientError || isOver) {
                        throw error;
                    }
                    await this.pause(SECONDS_BETWEEN);
                }
            }
        });
    }
}

/** Every problem of args, which programs in languages without types may give any value. */
function problemsOf(kind: AnyResource, args: AnyArgs): Problem[] {
    const { store } = args as { store?: Partial<StoreReference> };
    if (typeof store?.name !== "string") {
        return [{ propertyPath: "store", reason: 'is not a store: give the output reference of one, or {name: "…"}' }];
    }
    try {
        return kind.check(args);
    } catch (error) {
        const reason = `have a value of another type than docs/how-to/buckets-and-keys.md says (${(error as Error).message})`;
        return [{ propertyPath: "the args", reason }];
    }
}

/** Why a resource isn't taken for deleted with its store. */
function whyNotGone(former: EmptyEngine | undefined): string {
    const forget = "if it is gone for good, forget what was in it by pulumi state delete";
    return former === undefined
        ? `The store was on another Docker daemon: name that one in dockerHost of its store; ${forget}`
        : `Its data is there, and belongs to the stack ${former.dataOf}: deploy it there, then try again; ${forget}`;
}

/** Project and stack, as the labels of volumes have them. */
function stackOf(urn: pulumi.URN): string {
    const [stack = "", project = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
    return `${project}/${stack}`;
}

/** Does work whose errors have a message that is sufficient. */
async function withMessagesOnly<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
        return await work();
    } catch (error) {
        throw withMessageOnly(error as Error);
    }
}

/** What is kept in a resource's properties. */
function kept(properties: unknown): Kept {
    const { engine, unread, ...state } = plain(properties ?? {}) as AnyArgs & { engine?: string; unread?: true };
    return { state, engine, unread };
}

/** The kind of a resource, and its name in the program. */
function kindOf(urn: pulumi.URN): { kind: AnyResource; name: string } {
    const [, , type = "", name = ""] = urn.split("::");
    const kind = KINDS[type.split(":").at(-1) ?? ""];
    if (kind === undefined) {
        throw withMessageOnly(new Error(`there is no resource ${type} in this package`));
    }
    return { kind, name };
}
