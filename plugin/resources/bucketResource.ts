import { isDeepStrictEqual } from "node:util";
import { checkBucket, type KnownBucketArgs } from "../../components/settings/bucketChecks";
import { ask, askFor, target, type ClientError, type StoreClient } from "../../components/storeClient/storeClient";
import { applySettings, contentOf, MISSING, readBucket, type BucketContent } from "./bucketContent";
import { settingsOfPolicy } from "./bucketPolicy";
import { PartlyApplied, Refusal, type StoreResource } from "./storeResource";

/** A bucket, as it is kept in state. */
export type BucketState = KnownBucketArgs & { bucketName: string };

/** Buckets. One with objects is only deleted with `forceDestroy`, and never to be replaced. */
export const bucketResource: StoreResource<KnownBucketArgs, BucketState> = {
    complete: (args, name) => ({ ...args, bucketName: args.bucketName ?? name }),
    check: checkBucket,
    nameOf: ({ bucketName }) => bucketName,
    replacedBy: (former, args) => [
        ...(former.bucketName === args.bucketName ? [] : ["bucketName" as const]),
        ...((former.objectLock ?? false) === (args.objectLock ?? false) ? [] : ["objectLock" as const]),
    ],
    deletedFirst: () => true,
    sameContent: ["policy", "publicReadPrefixes"],
    isUpToDate: (state, args) =>
        isDeepStrictEqual(contentOf(state.bucketName, state), contentOf(state.bucketName, args)) &&
        (state.forceDestroy ?? false) === (args.forceDestroy ?? false),
    argsOf: (state) => state,

    async create(client, args) {
        const { bucketName, objectLock = false, adopt = false, store } = args as BucketState;
        // RustFS answers the creation of a bucket that exists with success.
        const present = await readBucket(client, bucketName);
        if (present !== undefined && !adopt) {
            throw new Refusal(
                `the store ${store.name} has a bucket ${bucketName} already: give another bucketName, or set adopt to true to take ` +
                    "it over with these settings, also if an update that was killed has made it",
            );
        }
        if (present !== undefined && present.objectLock !== objectLock) {
            throw new Refusal(
                `the bucket ${bucketName} has objectLock ${present.objectLock}, which stores set when a bucket is created: give that`,
            );
        }
        if (present === undefined) {
            await ask(client, ["mb", ...(objectLock ? ["--with-lock"] : []), target(bucketName)]);
        }
        const state = { ...args, bucketName };
        await apply(
            client,
            state,
            async () => present ?? (await readBucket(client, bucketName)) ?? contentOf(bucketName, { objectLock }),
        );
        return state;
    },

    async read(client, bucketName, known) {
        const content = await readBucket(client, bucketName);
        if (content === undefined) {
            return undefined;
        }
        if (known.objectLock === true && !content.objectLock) {
            throw new Error(`the object lock of bucket ${bucketName} can't be read: try again`);
        }
        const { store, adopt, forceDestroy } = known;
        const { policy, ...others } = content;
        // Settings in another spelling stay as the program has them.
        return isDeepStrictEqual(content, contentOf(bucketName, known))
            ? { ...known, store, bucketName }
            : {
                  store,
                  bucketName,
                  ...(adopt === undefined ? {} : { adopt }),
                  ...(forceDestroy === undefined ? {} : { forceDestroy }),
                  ...others,
                  ...settingsOfPolicy(bucketName, policy),
              };
    },

    async update(client, { bucketName }, args) {
        const present = await readBucket(client, bucketName);
        if (present === undefined) {
            throw new Refusal(`the store has no bucket ${bucketName} any more: run pulumi refresh, then pulumi up`);
        }
        const state = { ...args, bucketName };
        await apply(client, state, () => Promise.resolve(present));
        return state;
    },

    restore: (client, { bucketName }, args) =>
        bucketResource.create(client, { ...args, bucketName }, { urn: "", replaced: undefined }),

    async delete(client, { bucketName, forceDestroy = false }, isReplaced) {
        if ((await askFor(client, ["version", "info", target(bucketName)], MISSING)) === undefined) {
            return;
        }
        try {
            await ask(client, ["rb", ...(forceDestroy && !isReplaced ? ["--force"] : []), target(bucketName)]);
        } catch (error) {
            const { message, code } = error as ClientError;
            throw /not empty/.test(message) || code === "BucketNotEmpty"
                ? new Refusal(
                      `bucket ${bucketName} has objects or former versions, so it is not ${isReplaced ? REPLACED : DELETED}`,
                  )
                : error;
        }
    },
};

const REPLACED =
    "replaced, also with forceDestroy: empty it, or put back the setting that replaces it (objectLock, bucketName, store)";

const DELETED =
    "deleted: empty it, or set forceDestroy to true, run pulumi up, and then remove it; to keep it and only forget it, run pulumi " +
    "state delete";

/**
 * Gives a bucket its settings. If that fails, it stays in state with the new args, so that the next update goes on. With a
 * quota, it takes writes by then.
 *
 * @param read Reads the settings that it has.
 */
async function apply(client: StoreClient, state: BucketState, read: () => Promise<BucketContent>): Promise<void> {
    const { bucketName } = state;
    const wanted = contentOf(bucketName, state);
    try {
        await applySettings(client, bucketName, wanted, await read());
    } catch (error) {
        throw new PartlyApplied(`bucket ${bucketName}: ${(error as Error).message}`, state);
    }
    // Also if it had the quota before: the update that set it may have failed before the store had counted.
    if (wanted.quota !== undefined) {
        await client.untilCounted(bucketName);
    }
}
