import { isDeepStrictEqual } from "node:util";
import { checkBucket, type KnownBucketArgs } from "../../components/buckets/bucketChecks";
import { ask, ClientError } from "../../components/client/storeClient";
import { applySettings, contentOf, readBucket, settingsOfPolicy, target } from "./bucketContent";
import { PartlyCreated, Refusal, type StoreResource } from "./storeResource";

/** A bucket, as it is kept in state. */
export type BucketState = KnownBucketArgs & { bucketName: string };

/** Buckets. One with objects is only deleted with `forceDestroy`. */
export const bucketResource: StoreResource<KnownBucketArgs, BucketState> = {
    complete: (args, name) => ({ ...args, bucketName: args.bucketName ?? name }),
    check: checkBucket,
    nameOf: ({ bucketName }) => bucketName,
    replacedBy: (former, args) => [
        ...(former.bucketName === args.bucketName ? [] : ["bucketName" as const]),
        ...((former.objectLock ?? false) === (args.objectLock ?? false) ? [] : ["objectLock" as const]),
    ],
    deletedFirst: true,
    isUpToDate: (state, args) =>
        isDeepStrictEqual(contentOf(state.bucketName, state), contentOf(state.bucketName, args)) &&
        (state.forceDestroy ?? false) === (args.forceDestroy ?? false),
    argsOf: (state) => state,

    async create(client, args) {
        const { bucketName, objectLock = false, store } = args as BucketState;
        // RustFS answers the creation of a bucket that exists with success.
        if ((await readBucket(client, bucketName)) !== undefined) {
            throw new Refusal(
                `the store ${store.name} has a bucket ${bucketName} already: give another bucketName, or take it over by ` +
                    `pulumi import docker-object-store:index:Bucket NAME ${store.name}/${bucketName}`,
            );
        }
        await ask(client, ["mb", ...(objectLock ? ["--with-lock"] : []), target(bucketName)]);
        const state = { ...args, bucketName };
        try {
            const present = await readBucket(client, bucketName);
            await applySettings(
                client,
                bucketName,
                contentOf(bucketName, args),
                present ?? contentOf(bucketName, { objectLock }),
            );
        } catch (error) {
            throw new PartlyCreated(`bucket ${bucketName}: ${(error as Error).message}`, state);
        }
        return state;
    },

    async read(client, bucketName, known) {
        const content = await readBucket(client, bucketName);
        if (content === undefined) {
            return undefined;
        }
        const { store, forceDestroy } = known;
        const { policy, ...others } = content;
        // Settings in another spelling stay as the program has them.
        return isDeepStrictEqual(content, contentOf(bucketName, known))
            ? { ...known, store, bucketName }
            : {
                  store,
                  bucketName,
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
        await applySettings(client, bucketName, contentOf(bucketName, args), present);
        return { ...args, bucketName };
    },

    async delete(client, { bucketName, forceDestroy = false }) {
        try {
            await ask(client, ["rb", ...(forceDestroy ? ["--force"] : []), target(bucketName)]);
        } catch (error) {
            const { message, code } = error as ClientError;
            if (/does not exist/.test(message) || code === "NoSuchBucket") {
                return;
            }
            throw /not empty/.test(message) || code === "BucketNotEmpty"
                ? new Refusal(
                      `bucket ${bucketName} has objects or former versions, so it is not deleted: empty it, or set forceDestroy to true, ` +
                          "run pulumi up, and then remove it; to keep it and only forget it, run pulumi state delete",
                  )
                : error;
        }
    },
};
