import { createHash, randomInt } from "node:crypto";
import { checkAccessKey, MOST_PREFIX, type KnownAccessKeyArgs } from "../../components/settings/accessKeyChecks";
import { ask, askFor, type StoreClient } from "../../components/storeClient/storeClient";
import { PartlyApplied, Refusal, type StoreResource } from "./storeResource";

/** An access key, as it is kept in state. */
export type AccessKeyState = KnownAccessKeyArgs & {
    /** Id of the key: the user's name in the store. */
    accessKey: string;
    /** Its secret. Empty for an imported one, since stores don't return it. */
    secretKey: string;
    /** Whether the secret was generated. */
    generated: boolean;
    /** Set if it was disabled by hand. The next update enables it. */
    disabled?: true | undefined;
};

const LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const SECRET_LENGTH = 40;

/** Access keys: users of the store, with policies. A new secret belongs to a new key, so that both are valid meanwhile. */
export const accessKeyResource: StoreResource<KnownAccessKeyArgs, AccessKeyState> = {
    complete: (args, name) => ({
        ...args,
        namePrefix: args.namePrefix ?? name.replaceAll(/[^A-Za-z0-9-]/g, "-").slice(0, MOST_PREFIX),
    }),
    check: checkAccessKey,
    nameOf: ({ accessKey }) => accessKey,
    replacedBy: (former, args) =>
        (["namePrefix", "secretKey", "rotation"] as const).filter((name) => former[name] !== args[name]),
    deletedFirst: () => false,
    sameContent: [],
    isUpToDate: (state, args) =>
        state.disabled === undefined && sorted(state.policies).join() === sorted(args.policies).join(),
    argsOf: ({ store, namePrefix, policies, rotation, secretKey, generated }) => ({
        store,
        namePrefix,
        policies,
        ...(rotation === undefined ? {} : { rotation }),
        ...(generated ? {} : { secretKey }),
    }),

    async create(client, args, { urn, replaced }) {
        const accessKey = idsOf(args.namePrefix ?? "key", urn).find((id) => id !== replaced) ?? "";
        // The id is this resource's own. A key that has it is of an update that was killed, or of a deployment that was removed while its data
        // stayed: it gets the new secret.
        const present = await userOf(client, accessKey);
        const generated = args.secretKey === undefined;
        const secretKey = args.secretKey ?? generatedSecret();
        return addUser(client, { ...args, accessKey, secretKey, generated }, present?.policies);
    },

    async read(client, accessKey, known) {
        const found = await userOf(client, accessKey);
        return found === undefined
            ? undefined
            : {
                  namePrefix: accessKey.replace(/-[^-]*$/, "").slice(0, MOST_PREFIX),
                  secretKey: "",
                  generated: true,
                  ...known,
                  accessKey,
                  policies:
                      sorted(found.policies).join() === sorted(known.policies ?? []).join()
                          ? (known.policies ?? [])
                          : sorted(found.policies),
                  disabled: found.isDisabled ? true : undefined,
              };
    },

    async update(client, state, args) {
        const { accessKey, secretKey, generated } = state;
        const present = await userOf(client, accessKey);
        if (present === undefined) {
            throw new Refusal(`the store has no access key ${accessKey} any more: run pulumi refresh, then pulumi up`);
        }
        const next = { ...args, accessKey, secretKey, generated };
        try {
            // First: MinIO changes the policies of enabled users only.
            if (present.isDisabled) {
                await ask(client, ["admin", "user", "enable", "store", accessKey]);
            }
            await changePolicies(client, accessKey, present.policies, args.policies);
        } catch (error) {
            throw new PartlyApplied((error as Error).message, next);
        }
        return next;
    },

    async restore(client, { accessKey, secretKey, generated }, args) {
        if (secretKey === "") {
            throw new Refusal(
                `the store has lost access key ${accessKey}, and its secret isn't in state: set rotation to another value, which ` +
                    "makes a new key",
            );
        }
        return addUser(client, { ...args, accessKey, secretKey, generated });
    },

    async delete(client, { accessKey }) {
        await askFor(client, ["admin", "user", "rm", "store", accessKey], MISSING);
    },
};

/** Codes of MinIO and of RustFS for a user that isn't there. */
const MISSING = ["XMinioAdminNoSuchUser", "NoSuchResource"];

/** A user as the store has it. */
interface User {
    /** Names of its policies. */
    policies: string[];
    isDisabled: boolean;
}

/** Adds a user, or gives one a new secret. One whose policies can't be attached is kept in state, so that the next update goes on. */
async function addUser(client: StoreClient, state: AccessKeyState, present: string[] = []): Promise<AccessKeyState> {
    const { accessKey, secretKey, policies } = state;
    await ask(client, ["admin", "user", "add", "store"], `${accessKey}\n${secretKey}\n`);
    try {
        await changePolicies(client, accessKey, present, policies);
    } catch (error) {
        throw new PartlyApplied((error as Error).message, state);
    }
    return state;
}

/** Undefined if the store doesn't have it. */
async function userOf(client: StoreClient, accessKey: string): Promise<User | undefined> {
    const found = await askFor(client, ["admin", "user", "info", "store", accessKey], MISSING);
    const [{ policyName = "", userStatus } = {}] = (found ?? []) as { policyName?: string; userStatus?: string }[];
    return found === undefined
        ? undefined
        : { policies: policyName.split(",").filter((name) => name !== ""), isDisabled: userStatus === "disabled" };
}

async function changePolicies(
    client: StoreClient,
    accessKey: string,
    present: string[],
    wanted: string[],
): Promise<void> {
    const missing = wanted.filter((policy) => !present.includes(policy));
    const excess = present.filter((policy) => !wanted.includes(policy));
    if (missing.length > 0) {
        await ask(client, ["admin", "policy", "attach", "store", ...missing, "--user", accessKey]);
    }
    if (excess.length > 0) {
        await ask(client, ["admin", "policy", "detach", "store", ...excess, "--user", accessKey]);
    }
}

/** The ids that a resource's key has in turn: the one that replaces it has the other one. An update that was killed left no unknown one. */
function idsOf(namePrefix: string, urn: string): string[] {
    return ["", " replacement"].map((turn) => {
        const digest = createHash("sha256").update(`${urn}${turn}`).digest("hex").slice(0, 8);
        return `${namePrefix}-${digest}`;
    });
}

function generatedSecret(): string {
    return Array.from({ length: SECRET_LENGTH }, () => LETTERS_AND_DIGITS[randomInt(LETTERS_AND_DIGITS.length)]).join(
        "",
    );
}

function sorted(names: readonly string[]): string[] {
    return [...names].sort();
}
