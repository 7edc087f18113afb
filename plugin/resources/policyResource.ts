import { checkPolicy } from "../../components/settings/policyChecks";
import { canonical, documentOf, type KnownPolicyArgs } from "../../components/settings/policyDocument";
import { ask, askFor, INPUT_FILE, type StoreClient } from "../../components/storeClient/storeClient";
import { Refusal, type StoreResource } from "./storeResource";

/** A policy, as it is kept in state. */
export type PolicyState = Omit<KnownPolicyArgs, "document"> & { policyName: string; document: string };

/** Policies for access keys. */
export const policyResource: StoreResource<KnownPolicyArgs, PolicyState> = {
    complete: (args, name) => ({ ...args, policyName: args.policyName ?? name }),
    check: checkPolicy,
    nameOf: ({ policyName }) => policyName,
    replacedBy: (former, args) => (former.policyName === args.policyName ? [] : ["policyName"]),
    // A store doesn't delete one that a key has. With another name, the keys change over before that.
    deletedFirst: (replaces) => replaces.length === 0,
    sameContent: ["document", "read", "write", "readWrite"],
    isUpToDate: (state, args) => canonical(state.document) === documentOf(args),
    argsOf: ({ document, ...state }) => {
        const { read, write, readWrite } = state;
        return read === undefined && write === undefined && readWrite === undefined
            ? { ...state, document }
            : { ...state };
    },

    async create(client, args) {
        const { policyName, store } = args as PolicyState;
        const present = await stored(client, policyName);
        // The same policy stayed in the data of a store that was removed and has come back.
        if (present !== undefined && present !== documentOf(args)) {
            throw new Refusal(
                `the store ${store.name} has another policy ${policyName} already: give another policyName, or take it over by ` +
                    `pulumi import docker-object-store:index:Policy NAME ${store.name}/${policyName}`,
            );
        }
        return write(client, policyName, args);
    },

    async read(client, policyName, { store, ...known }) {
        const document = await stored(client, policyName);
        if (document === undefined) {
            return undefined;
        }
        return known.document !== undefined && canonical(known.document) === document
            ? { ...known, store, policyName, document }
            : { store, policyName, document };
    },

    update: (client, { policyName }, args) => write(client, policyName, args),

    restore: (client, { policyName }, args) => write(client, policyName, args),

    async delete(client, { policyName }) {
        await askFor(client, ["admin", "policy", "rm", "store", policyName], MISSING);
    },
};

/** A policy as a store returns it. RustFS puts its name and dates around it. */
interface StoredPolicy {
    policy?: object;
}

/** Codes of MinIO and of RustFS for a policy that isn't there. */
const MISSING = ["XMinioAdminNoSuchPolicy", "NoSuchResource"];

async function write(client: StoreClient, policyName: string, args: KnownPolicyArgs): Promise<PolicyState> {
    const document = documentOf(args);
    await ask(client, ["admin", "policy", "create", "store", policyName, INPUT_FILE], document);
    return { ...args, policyName, document };
}

/** A policy's document as the store has it. */
async function stored(client: StoreClient, policyName: string): Promise<string | undefined> {
    const found = await askFor(client, ["admin", "policy", "info", "store", policyName], MISSING);
    const [{ policyInfo } = {}] = (found ?? []) as { policyInfo?: { Policy?: StoredPolicy } }[];
    const policy = policyInfo?.Policy;
    return policy === undefined ? undefined : canonical(JSON.stringify(policy.policy ?? policy));
}
