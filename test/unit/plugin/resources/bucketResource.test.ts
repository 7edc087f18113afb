import { contentOf } from "../../../../plugin/resources/bucketContent";
import {
    urnOf,
    resourcesOf,
    clientWith,
    store,
    UNKNOWN,
    empty,
    created,
    ENGINE,
    fresh,
    failure,
    found,
} from "../../fakes/answeringClient";

describe("a bucket", () => {
    const urn = urnOf("Bucket");

    test("has the resource's name, and its problems are named; unknown args are checked later", async () => {
        const resources = resourcesOf(clientWith({}).client);
        expect(await resources.check(urn, {}, { store, quota: 1 })).toMatchObject({
            inputs: { bucketName: "photos" },
            failures: [{ property: "", reason: expect.stringMatching(/^quota: 1 is not allowed/) as string }],
        });
        expect(await resources.check(urn, {}, { store: UNKNOWN, quota: 1 })).toMatchObject({ failures: [] });
        const reasons = async (news: object) =>
            (await resources.check(urn, {}, news)).failures?.map((one) => one.reason);
        expect(await reasons({})).toMatchObject([expect.stringMatching(/^store: is not a store/)]);
        expect(await reasons({ store, lifecycle: 5 })).toMatchObject([expect.stringMatching(/another type/)]);
    });

    test("is created with its settings, and only with these", async () => {
        const { client, ran } = clientWith(empty());
        const args = { store, bucketName: "photos", versioning: true, publicReadPrefixes: ["b/", "a/"] };
        const { id, outs } = await created(client, urn, args);
        expect([id, outs]).toEqual(["store/photos", { ...args, engine: ENGINE }]);
        const changing = ran.filter(({ command }) => !/ (info|get|get-json|export|ls) /.test(command));
        expect(changing.map(({ command }) => command)).toEqual([
            "mb store/photos",
            "version enable store/photos",
            "anonymous set-json /run/client/input store/photos",
        ]);
        expect(changing[2]?.input).toContain('"Resource":["arn:aws:s3:::photos/a/*","arn:aws:s3:::photos/b/*"]');
    });

    test("that exists is refused, unless it is to be adopted with its object lock", async () => {
        const { client, ran } = clientWith(fresh);
        const args = { store, bucketName: "photos", versioning: true };
        await expect(resourcesOf(client).create(urn, args)).rejects.toThrow("set adopt to true");
        await expect(resourcesOf(client).create(urn, { ...args, adopt: true, objectLock: true })).rejects.toThrow(
            "has objectLock false",
        );
        expect(ran.filter(({ command }) => /^(mb|version enable)/.test(command))).toEqual([]);
        await resourcesOf(client).create(urn, { ...args, adopt: true });
        expect(ran.map(({ command }) => command).filter((command) => /^(mb|version enable)/.test(command))).toEqual([
            "version enable store/photos",
        ]);
    });

    test("whose settings can't be written is kept in state, so that the next update goes on", async () => {
        const { client } = clientWith({ ...empty(), "quota set": failure("NotImplemented", "not for you") });
        await expect(
            resourcesOf(client).create(urn, { store, bucketName: "photos", quota: 1048576 }),
        ).rejects.toMatchObject({
            id: "store/photos",
            properties: { bucketName: "photos" },
            message: expect.stringContaining("quota: mc quota set: it failed not for you") as string,
        });
    });

    test("has the durability that it is given, and that of the store without one, in a store that has such modes", async () => {
        const modes = new Map<string, string | undefined>([["photos", "relaxed"]]);
        const withModes = () => {
            const { client } = clientWith(fresh);
            const durability = {
                read: (bucket: string) => Promise.resolve(modes.get(bucket)),
                write: (bucket: string, mode: string | undefined) => Promise.resolve(void modes.set(bucket, mode)),
            };
            return { ...client, durability };
        };
        const args = { store, bucketName: "photos" };
        // A bucket that RustFS 1.0.0 has made.
        const { props } = await found(withModes(), "store/photos", urn, args);
        expect(props).toMatchObject({ durability: "relaxed" });
        expect(await resourcesOf(withModes()).diff("", urn, props, args)).toMatchObject({
            changes: true,
            replaces: [],
        });
        await resourcesOf(withModes()).update("", urn, props, args);
        expect(modes.get("photos")).toBeUndefined();
        await resourcesOf(withModes()).update("", urn, args, { ...args, durability: "strict" });
        expect(modes.get("photos")).toBe("strict");
        const reasons = async (durability: string) =>
            (await resourcesOf(withModes()).check(urn, {}, { ...args, durability })).failures?.map((one) => one.reason);
        expect(await reasons("none")).toEqual([expect.stringMatching(/^durability: "none" is not known/)]);
        const { client } = clientWith(fresh);
        await expect(resourcesOf(client).update("", urn, args, { ...args, durability: "strict" })).rejects.toThrow(
            "durability: this store has no durability modes of buckets: leave it out",
        );
    });

    test("takes writes once it has a quota: the last step waits for that, also if the quota was set by an update that failed", async () => {
        const quota = 1048576;
        const { client, ran } = clientWith(empty());
        await created(client, urn, { store, bucketName: "photos", quota, versioning: true });
        expect(ran.slice(-2).map(({ command }) => command)).toEqual([
            "quota set store/photos --size 1048576",
            "wait for photos",
        ]);
        const changed = async (news: object) => {
            const present = clientWith({ ...fresh, "quota info": [{ quota }] });
            await resourcesOf(present.client).update("", urn, { store, bucketName: "photos", quota }, news);
            return present.ran
                .filter(({ command }) => /^(quota (set|clear)|wait)/.test(command))
                .map((one) => one.command);
        };
        const args = { store, bucketName: "photos" };
        expect(await changed({ ...args, quota: 2 * quota })).toEqual([
            "quota set store/photos --size 2097152",
            "wait for photos",
        ]);
        expect(await changed({ ...args, quota, versioning: true })).toEqual(["wait for photos"]);
        expect(await changed(args)).toEqual(["quota clear store/photos"]);
    });

    test("is replaced by a change of its name, its store or its lock, and by nothing else", async () => {
        const { diff } = {
            diff: (news: object) => resourcesOf(clientWith({}).client).diff("", urn, olds, { ...olds, ...news }),
        };
        const olds = { store, bucketName: "photos", versioning: true, lifecycle: [{ id: "a", expireDays: 1 }] };
        expect(await diff({})).toMatchObject({ changes: false, replaces: [] });
        expect(await diff({ objectLock: false, publicReadPrefixes: [], forceDestroy: false })).toMatchObject({
            changes: false,
        });
        expect(await diff({ bucketName: "other" })).toMatchObject({ changes: true, replaces: ["bucketName"] });
        expect(await diff({ objectLock: true })).toMatchObject({ changes: true, replaces: ["objectLock"] });
        expect(await diff({ store: { name: "other" } })).toMatchObject({ changes: true, replaces: ["store"] });
        expect(await diff({ store: { ...store, dockerHost: "ssh://b" } })).toMatchObject({
            changes: true,
            replaces: [],
        });
        expect(await diff({ versioning: false })).toMatchObject({ changes: true, replaces: [] });
        expect(await diff({ lifecycle: UNKNOWN, bucketName: UNKNOWN })).toMatchObject({ changes: true, replaces: [] });
    });

    test("is read as the program wrote it, if the store has that; otherwise as the store has it", async () => {
        const answers = {
            "version info": [{ versioning: { status: "Enabled" } }],
            "quota info": [{ quota: 1048576 }],
            "ilm rule export": [
                {
                    config: {
                        Rules: [
                            { ID: "b", Status: "Enabled", Filter: { Prefix: "tmp/" }, Expiration: { Days: 3 } },
                            { ID: "a", Status: "Enabled", NoncurrentVersionExpiration: { NoncurrentDays: 5 } },
                        ],
                    },
                },
            ],
        };
        const known = {
            store,
            bucketName: "photos",
            versioning: true,
            quota: 1048576,
            lifecycle: [
                { id: "b", prefix: "tmp/", expireDays: 3, expireDeleteMarkers: false },
                { id: "a", expireFormerDays: 5 },
            ],
        };
        const { client } = clientWith(answers);
        expect((await found(client, "store/photos", urn, known)).inputs).toEqual(known);
        const { inputs } = await found(client, "store/photos", urn, { ...known, quota: 5 });
        const { policy, ...content } = contentOf("photos", known);
        expect(policy).toBe("");
        expect(inputs).toEqual({ store, bucketName: "photos", ...content });
    });

    test("has the policy of its short form, or one as JSON; another one is read as what it is", async () => {
        const statement = { Effect: "Allow", Principal: { AWS: ["*"] }, Action: ["s3:GetObject"] };
        const policyFor = (resource: string) => ({
            Version: "2012-10-17",
            Statement: [{ ...statement, Resource: [resource] }],
        });
        const readWith = async (anonymous: object, known: object) => {
            const { client } = clientWith({ ...fresh, "anonymous get-json": [{ anonymous }] });
            const { inputs } = await found(client, "store/photos", urn, { store, bucketName: "photos", ...known });
            return inputs as { publicReadPrefixes?: string[]; policy?: string };
        };
        const short = policyFor("arn:aws:s3:::photos/public/*");
        expect(await readWith(short, {})).toMatchObject({ publicReadPrefixes: ["public/"] });
        expect(await readWith(short, { publicReadPrefixes: ["public/"] })).not.toHaveProperty("policy");
        const other = policyFor("arn:aws:s3:::photos/one-object");
        const { policy, ...rest } = await readWith(other, { publicReadPrefixes: ["public/"] });
        expect(JSON.parse(policy ?? "")).toEqual(other);
        expect(rest).not.toHaveProperty("publicReadPrefixes");
        const sameWords = JSON.stringify({
            ...other,
            Statement: [{ ...statement, Principal: "*", Resource: "arn:aws:s3:::photos/one-object" }],
        });
        expect(await readWith(other, { policy: sameWords })).toMatchObject({ policy: sameWords });
    });

    test("whose object lock can't be read isn't read as one without", async () => {
        const { client } = clientWith({
            ...fresh,
            "retention info": failure("", "Remote bucket does not support locking"),
        });
        const known = { store, bucketName: "photos", objectLock: true };
        await expect(resourcesOf(client).read("store/photos", urn, known)).rejects.toThrow("can't be read");
        expect(await found(client, "store/photos", urn, { ...known, objectLock: false })).toMatchObject({
            props: { objectLock: false },
        });
    });

    test.each([
        { Filter: { Tag: { Key: "a", Value: "b" } } },
        { Filter: { And: { Prefix: "tmp/", Tags: [] } } },
        { Transition: { Days: 3 } },
        { Status: "Disabled" },
    ])("doesn't take a rule with more settings (%j) for one that deletes more", async (more) => {
        const Rules = [{ ID: "a", Status: "Enabled", Expiration: { Days: 3 }, ...more }];
        const { client } = clientWith({ ...fresh, "ilm rule export": [{ config: { Rules } }] });
        const known = { store, bucketName: "photos", lifecycle: [{ id: "a", expireDays: 3 }] };
        expect((await found(client, "store/photos", urn, known)).inputs).toMatchObject({ lifecycle: [{ id: "a" }] });
        expect((await found(client, "store/photos", urn, known)).inputs).not.toMatchObject(known);
    });

    test("keeps its notifications if others are refused, and is kept in state as changed in part", async () => {
        const former = { target: "arn:minio:sqs::one:webhook", events: ["put"] };
        const { client, ran } = clientWith({
            ...fresh,
            "event ls": [{ arn: former.target, event: ["s3:ObjectCreated:*"] }],
            "event add store/photos arn:minio:sqs::two": failure("InvalidArgument"),
        });
        const state = { store, bucketName: "photos", notifications: [former] };
        const args = { ...state, notifications: [{ ...former, target: "arn:minio:sqs::two:webhook" }] };
        await expect(resourcesOf(client).update("", urn, state, args)).rejects.toMatchObject({
            id: "store/photos",
            properties: { notifications: args.notifications },
        });
        expect(ran.at(-1)).toMatchObject({ command: `event add store/photos ${former.target} --event put` });
    });

    test("that is gone is read as gone; one of a store that fails is not, nor of one that refuses the keys", async () => {
        const gone = clientWith({ "version info": failure("NoSuchBucket") }).client;
        expect(await resourcesOf(gone).read("store/photos", urn, { store })).toEqual({});
        const failing = clientWith({ "version info": failure("SlowDown") }).client;
        await expect(resourcesOf(failing).read("store/photos", urn, { store })).rejects.toThrow("it failed");
        await expect(resourcesOf(failing).read("photos", urn, {})).rejects.toThrow("STORE/NAME");
        const refusing = clientWith({ "": failure("InvalidAccessKeyId", "The Access Key Id does not exist") }).client;
        await expect(resourcesOf(refusing).read("store/photos", urn, { store })).rejects.toThrow("does not exist");
        await expect(resourcesOf(refusing).delete("", urn, { store, bucketName: "photos" })).rejects.toThrow();
    });

    test("with objects is not deleted, unless forceDestroy says so; one that is gone is deleted", async () => {
        const notEmpty = clientWith({ "rb store": failure("BucketNotEmpty") }).client;
        const state = { store, bucketName: "photos" };
        await expect(resourcesOf(notEmpty).delete("", urn, state)).rejects.toThrow("set forceDestroy to true");
        const { client, ran } = clientWith({});
        await resourcesOf(client).delete("", urn, { ...state, forceDestroy: true });
        expect(ran.at(-1)).toMatchObject({ command: "rb --force store/photos" });
        await resourcesOf(clientWith({ "version info": failure("NoSuchBucket") }).client).delete("", urn, state);
    });
});
