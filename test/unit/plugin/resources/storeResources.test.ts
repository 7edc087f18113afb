import type { StoreClient } from "../../../../components/storeClient/storeClient";
import { StoreNotRunning, type EmptyEngine } from "../../../../components/storeClient/storeTarget";
import { contentOf } from "../../../../plugin/resources/bucketContent";
import { StoreResources } from "../../../../plugin/resources/storeResources";

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const store = { name: "store" };

const ENGINE = "the-engine-of-the-store";

const urnOf = (kind: string, name = "photos") =>
    `urn:pulumi:dev::project::docker-object-store:index:Store$docker-object-store:index:${kind}::${name}`;

/** An error as the client prints it. */
const failure = (code: string, message = code) => ({
    code: 1,
    values: [{ status: "error", error: { message: "it failed", cause: { message, error: { Code: code } } } }],
    complaint: "",
});

type Answer = ReturnType<typeof failure> | unknown[];

/** A store's client that gives these answers, by the beginning of the command; every other command succeeds. */
function clientWith(answers: { [command: string]: Answer | (() => Answer) }): {
    client: StoreClient;
    ran: { command: string; input: string | undefined }[];
} {
    const ran: { command: string; input: string | undefined }[] = [];
    const run: StoreClient["run"] = (args, input) => {
        const command = args.join(" ");
        ran.push({ command, input });
        const [, given] = Object.entries(answers).find(([beginning]) => command.startsWith(beginning)) ?? [];
        const answer = typeof given === "function" ? given() : given;
        return Promise.resolve(
            answer === undefined || Array.isArray(answer) ? { code: 0, values: answer ?? [], complaint: "" } : answer,
        );
    };
    const untilCounted: StoreClient["untilCounted"] = (bucket) =>
        Promise.resolve(void ran.push({ command: `wait for ${bucket}`, input: undefined }));
    return { client: { run, untilCounted }, ran };
}

const resourcesOf = (client: StoreClient) => new StoreResources((_store, work) => work(client, ENGINE));

/** Creates a resource. Returns its id and its properties. */
async function created(client: StoreClient, urn: string, args: object): Promise<{ id: string; outs: Outputs }> {
    return (await resourcesOf(client).create(urn, args)) as { id: string; outs: Outputs };
}

/** Properties of any resource. */
interface Outputs {
    [name: string]: unknown;
}

/** Reads a resource. Returns what the engine gets. */
async function found(client: StoreClient, id: string, urn: string, known: object): Promise<Outputs> {
    return (await resourcesOf(client).read(id, urn, known)) as Outputs;
}

/** A store that has the bucket, without settings. */
const fresh = { "version info": [{ versioning: { status: "" } }] };

/** A store that has the bucket once it was asked for it. */
function empty(): { [command: string]: () => Answer } {
    let asked = 0;
    return { "version info": () => (asked++ === 0 ? failure("NoSuchBucket") : fresh["version info"]) };
}

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

/** What an update asks of a bucket with objects that a change replaces: Pulumi deletes it first. */
async function replacing(change: object): Promise<{ deletion: Promise<void>; commands: () => string[] }> {
    const { client, ran } = clientWith({
        "rb store/logs": failure("BucketNotEmpty"),
        "rb --force": [],
        "version info": fresh["version info"],
    });
    const resources = resourcesOf(client);
    const urn = urnOf("Bucket", "logs");
    const state = { store, bucketName: "logs", forceDestroy: true };
    await resources.check(urn, state, { ...state, ...change });
    expect(await resources.diff("store/logs", urn, state, { ...state, ...change })).toMatchObject({
        replaces: [expect.any(String)],
        deleteBeforeReplace: true,
    });
    return { deletion: resources.delete("store/logs", urn, state), commands: () => ran.map(({ command }) => command) };
}

describe("an update deletes nothing that the program still has", () => {
    test.each([{ objectLock: true }, { bucketName: "other" }, { store: { name: "other" } }])(
        "a bucket with forceDestroy that a change replaces has to be empty: %j",
        async (change) => {
            const { deletion, commands } = await replacing(change);
            await expect(deletion).rejects.toThrow(
                "so it is not replaced, also with forceDestroy: empty it, or put back",
            );
            expect(commands()).not.toContain("rb --force store/logs");
        },
    );

    test("a bucket that another resource has taken over is only forgotten by the former one", async () => {
        const { client, ran } = clientWith(fresh);
        const resources = resourcesOf(client);
        const args = { store, bucketName: "logs", adopt: true, forceDestroy: true };
        await resources.check(urnOf("Bucket", "renamed"), undefined, args);
        await resources.create(urnOf("Bucket", "renamed"), args);
        await resources.delete("store/logs", urnOf("Bucket", "logs"), args);
        const later = resourcesOf(client);
        await later.diff("store/logs", urnOf("Bucket", "renamed"), args, args);
        await later.delete("store/logs", urnOf("Bucket", "logs"), args);
        expect(ran.filter(({ command }) => command.startsWith("rb"))).toEqual([]);
    });

    test("a policy that another resource has taken over stays", async () => {
        const document = '{"Statement":[]}';
        const { client, ran } = clientWith({ "admin policy info": [{ policyInfo: { Policy: { Statement: [] } } }] });
        const resources = resourcesOf(client);
        const args = { store, policyName: "reports", document };
        await resources.create(urnOf("Policy", "renamed"), args);
        await resources.delete("store/reports", urnOf("Policy", "reports"), args);
        expect(ran.filter(({ command }) => command.startsWith("admin policy rm"))).toEqual([]);
        // A bucket of that name is another thing.
        await resources.delete("store/reports", urnOf("Bucket", "reports"), { store, bucketName: "reports" });
        expect(ran.at(-1)?.command).toBe("rb store/reports");
    });
});

describe("a store that doesn't run", () => {
    const urn = urnOf("AccessKey");
    const state = { store, namePrefix: "app", policies: [], accessKey: "app-1", secretKey: "s", generated: true };
    const document = '{"Statement":[{"Action":["s3:GetObject"],"Effect":"Allow","Resource":["arn:aws:s3:::a/*"]}]}';
    const gone = { id: ENGINE, dataOf: "project/dev" };
    /** Resources of a store of which each attempt finds that it is gone from these engines. */
    const failing = (goneFrom: EmptyEngine[][]) => {
        const pauses: number[] = [];
        const resources = new StoreResources(
            () => Promise.reject(new StoreNotRunning("no node runs", goneFrom.shift() ?? [])),
            (seconds) => Promise.resolve(pauses.push(seconds)).then(() => undefined),
        );
        return { resources, pauses };
    };

    test("is waited for by a deletion, until its containers are gone, or a minute has passed", async () => {
        const removed = failing([[], [], [gone]]);
        await removed.resources.delete("store/app-1", urn, { ...state, engine: ENGINE });
        expect(removed.pauses).toEqual([3, 3]);
        const stopped = failing([]);
        await expect(stopped.resources.delete("store/app-1", urn, { ...state, engine: ENGINE })).rejects.toThrow(
            "no node runs",
        );
        expect(stopped.pauses).toHaveLength(19);
    });

    test("isn't waited for once the update is cancelled", async () => {
        const { resources, pauses } = failing([]);
        await resources.cancel();
        await expect(resources.delete("store/app-1", urn, { ...state, engine: ENGINE })).rejects.toThrow(
            "no node runs",
        );
        expect(pauses).toEqual([]);
    });

    test("isn't taken for removed on an engine that it wasn't on: what is in it would live on", async () => {
        const { resources, pauses } = failing([[{ ...gone, id: "another-engine" }]]);
        await expect(resources.delete("store/app-1", urn, { ...state, engine: ENGINE })).rejects.toThrow(
            "store/app-1: no node runs. The store was on another Docker daemon",
        );
        expect(pauses).toEqual([]);
    });

    test("isn't taken for removed if it is another stack's, whose data is there; without data it is", async () => {
        const other = failing([[{ ...gone, dataOf: "project/prod" }]]);
        await expect(other.resources.delete("store/app-1", urn, { ...state, engine: ENGINE })).rejects.toThrow(
            "Its data is there, and belongs to the stack project/prod",
        );
        await failing([[{ ...gone, dataOf: undefined }]]).resources.delete("store/app-1", urn, {
            ...state,
            engine: ENGINE,
        });
    });

    test("leaves state as it is in a refresh, and fails an import", async () => {
        const warn = jest.spyOn(console, "warn").mockImplementation();
        const { resources } = failing([]);
        expect(await resources.read("store/app-1", urn, state)).toMatchObject({
            id: "store/app-1",
            props: { accessKey: "app-1" },
        });
        expect(warn).toHaveBeenCalledTimes(1);
        warn.mockRestore();
        await expect(resources.read("store/app-1", urn, {})).rejects.toThrow("no node runs");
    });

    /** What a refresh makes of a resource while the store doesn't run. */
    const unread = async (kind: string, known: object) => {
        const warn = jest.spyOn(console, "warn").mockImplementation();
        const { props } = (await failing([]).resources.read("store/x", urnOf(kind), known)) as { props: object };
        warn.mockRestore();
        return props;
    };

    test.each([
        ["Bucket", { store, bucketName: "photos", versioning: true }, { "version info": failure("NoSuchBucket") }],
        ["Policy", { store, policyName: "reports", document }, { "admin policy info": failure("NoSuchResource") }],
        ["AccessKey", state, { "admin user info": failure("NoSuchResource") }],
    ])("and has lost its data gets %s again, as it was", async (kind, known, answers) => {
        const props = await unread(kind, { ...known, engine: ENGINE });
        const args = Object.fromEntries(
            Object.entries(known).filter(([name]) => !["accessKey", "secretKey", "generated"].includes(name)),
        );
        const { client, ran } = clientWith(answers);
        const resources = resourcesOf(client);
        expect(await resources.diff("", urnOf(kind), props, args)).toMatchObject({ changes: true, replaces: [] });
        const { outs } = (await resources.update("", urnOf(kind), props, args)) as { outs: Outputs };
        expect(ran).toContainEqual(
            {
                Bucket: { command: "mb store/photos", input: undefined },
                Policy: {
                    command: "admin policy create store reports /run/client/input",
                    input: expect.any(String) as string,
                },
                AccessKey: { command: "admin user add store", input: "app-1\ns\n" },
            }[kind],
        );
        expect(await resources.diff("", urnOf(kind), outs, args)).toMatchObject({ changes: false });
    });

    test("and has everything is left as it is", async () => {
        const props = await unread("AccessKey", { ...state, engine: ENGINE });
        const { client, ran } = clientWith({ "admin user info": [{ policyName: "" }] });
        const { outs } = (await resourcesOf(client).update("", urn, props, {
            store,
            namePrefix: "app",
            policies: [],
        })) as { outs: Outputs };
        expect(ran.map(({ command }) => command)).not.toContain("admin user add store");
        expect(outs).not.toHaveProperty("unread");
    });

    test("and has lost an imported key, whose secret isn't known, says how to get another one", async () => {
        const props = await unread("AccessKey", { ...state, secretKey: "", engine: ENGINE });
        const { client } = clientWith({ "admin user info": failure("NoSuchResource") });
        await expect(
            resourcesOf(client).update("", urn, props, { store, namePrefix: "app", policies: [] }),
        ).rejects.toThrow("the store has lost access key app-1, and its secret isn't in state: set rotation");
    });
});

describe("a policy", () => {
    const urn = urnOf("Policy", "reports");
    const document = '{"Statement":[{"Action":["s3:GetObject"],"Effect":"Allow","Resource":["arn:aws:s3:::a/*"]}]}';

    test("is created from its short form, and up to date as long as the store has that", async () => {
        const { client, ran } = clientWith({ "admin policy info": failure("XMinioAdminNoSuchPolicy") });
        const args = { store, policyName: "reports", read: ["photos"] };
        const { id, outs } = await created(client, urn, args);
        expect(id).toBe("store/reports");
        expect(ran.at(-1)).toMatchObject({
            command: "admin policy create store reports /run/client/input",
            input: (outs as { document: string }).document,
        });
        expect(await resourcesOf(client).diff("", urn, outs, args)).toMatchObject({ changes: false });
        expect(await resourcesOf(client).diff("", urn, { ...(outs as object), document }, args)).toMatchObject({
            changes: true,
            replaces: [],
        });
    });

    test("with another name is created before the former one is deleted, which keys have until then", async () => {
        const state = { store, policyName: "reports", document };
        const diff = (news: object) => resourcesOf(clientWith({}).client).diff("", urn, state, { ...state, ...news });
        expect(await diff({ policyName: "other" })).toMatchObject({
            replaces: ["policyName"],
            deleteBeforeReplace: false,
        });
    });

    test("that was changed by hand is read as the store has it", async () => {
        const { client } = clientWith({
            "admin policy info": [{ policyInfo: { Policy: JSON.parse(document) as object } }],
        });
        const known = { store, policyName: "reports", read: ["photos"], document: "{}" };
        const { inputs } = await found(client, "store/reports", urn, known);
        expect(inputs).toEqual({ store, policyName: "reports", document });
    });

    test("of RustFS is found between its name and its dates", async () => {
        const Policy = { policy_name: "reports", policy: JSON.parse(document) as object, create_date: "2026-11-25" };
        const { client } = clientWith({ "admin policy info": [{ policyInfo: { Policy } }] });
        const known = { store, policyName: "reports", document };
        expect((await found(client, "store/reports", urn, known))["inputs"]).toEqual(known);
    });

    test("that exists with the same content is taken over; another one is refused", async () => {
        const same = clientWith({ "admin policy info": [{ policyInfo: { Policy: JSON.parse(document) as object } }] });
        const { id } = await created(same.client, urn, { store, policyName: "reports", document });
        expect(id).toBe("store/reports");
        const { client } = clientWith({ "admin policy info": [{ policyInfo: { Policy: {} } }] });
        await expect(
            resourcesOf(client).create(urn, { store, policyName: "reports", read: ["photos"] }),
        ).rejects.toThrow("pulumi import docker-object-store:index:Policy NAME store/reports");
    });
});

describe("an access key", () => {
    const urn = urnOf("AccessKey", "app");
    const args = { store, namePrefix: "app", policies: ["reports"] };

    test("gets a generated secret, which is a secret and no argument of a command", async () => {
        const { client, ran } = clientWith({ "admin user info": failure("NoSuchResource") });
        const { outs } = await created(client, urn, args);
        const { accessKey, secretKey } = outs as { accessKey: string; secretKey: { [name: string]: string } };
        expect(accessKey).toMatch(/^app-[0-9a-f]{8}$/);
        expect(secretKey[SIGNATURE]).toBe(SECRET);
        expect(secretKey["value"]).toMatch(/^[A-Za-z0-9]{40}$/);
        expect(ran.slice(1)).toEqual([
            { command: "admin user add store", input: `${accessKey}\n${secretKey["value"]}\n` },
            { command: `admin policy attach store reports --user ${accessKey}`, input: undefined },
        ]);
    });

    test("has the same id again if an update was killed while it made it, and another one than the key that it replaces", async () => {
        const present = (policyName: string) => clientWith({ "admin user info": [{ policyName }] });
        const none = clientWith({ "admin user info": failure("NoSuchResource") }).client;
        const { id } = await created(none, urn, args);
        // The killed update had not attached its policies.
        const again = present("");
        expect((await created(again.client, urn, args)).id).toBe(id);
        expect(again.ran.map(({ command }) => command)).toContain("admin user add store");
        const used = present("reports");
        await expect(created(used.client, urn, args)).rejects.toThrow(
            `the store store has an access key ${id.slice(6)} already. If nothing uses it`,
        );
        expect(used.ran.map(({ command }) => command)).not.toContain("admin user add store");
        expect((await created(none, urnOf("AccessKey", "other"), args)).id).not.toBe(id);
        // A rotation, and the next one.
        const rotated = async (former: string) => {
            const resources = resourcesOf(none);
            const state = { ...args, accessKey: former.slice(6), secretKey: "s", generated: true };
            await resources.diff(former, urn, state, { ...args, rotation: former });
            return (await resources.create(urn, { ...args, rotation: former })).id;
        };
        const second = await rotated(id);
        expect([second === id, await rotated(second)]).toEqual([false, id]);
    });

    test("takes the place of a former key of this resource that the data of a removed stack has brought back", async () => {
        const { client, ran } = clientWith({ "admin user info": [{ policyName: "readonly" }] });
        const resources = resourcesOf(client);
        const state = { ...args, accessKey: "app-1", secretKey: "s", generated: true };
        await resources.diff("store/app-1", urn, state, { ...args, rotation: "2" });
        await resources.create(urn, { ...args, rotation: "2" });
        expect(ran.map(({ command }) => command.replace(/app-\w+/, "KEY"))).toEqual([
            "admin user info store KEY",
            "admin user add store",
            "admin policy attach store reports --user KEY",
            "admin policy detach store readonly --user KEY",
        ]);
    });

    test("is replaced by one that is created first, for another secret or rotation; policies are changed in place", async () => {
        const state = { ...args, accessKey: "app-1", secretKey: { [SIGNATURE]: SECRET, value: "s" }, generated: true };
        const diff = (news: object) => resourcesOf(clientWith({}).client).diff("", urn, state, { ...args, ...news });
        expect(await diff({})).toMatchObject({ changes: false, deleteBeforeReplace: false });
        expect(await diff({ rotation: "2" })).toMatchObject({ replaces: ["rotation"], deleteBeforeReplace: false });
        expect(await diff({ secretKey: "given-secret" })).toMatchObject({ replaces: ["secretKey"] });
        expect(await diff({ policies: ["other"] })).toMatchObject({ changes: true, replaces: [] });
        const { client, ran } = clientWith({ "admin user info": [{ policyName: "reports,readonly" }] });
        await resourcesOf(client).update("", urn, state, { ...args, policies: ["reports", "other"] });
        expect(ran.map(({ command }) => command)).toEqual([
            "admin user info store app-1",
            "admin policy attach store other --user app-1",
            "admin policy detach store readonly --user app-1",
        ]);
    });

    test("that was disabled by hand is enabled by the next update, before its policies are changed", async () => {
        const { client, ran } = clientWith({ "admin user info": [{ policyName: "reports", userStatus: "disabled" }] });
        const resources = resourcesOf(client);
        const { props } = await found(client, "store/app-1", urn, {
            ...args,
            accessKey: "app-1",
            policies: ["reports"],
        });
        expect(props).toMatchObject({ disabled: true });
        const wanted = { ...args, policies: ["reports"] };
        expect(await resources.diff("", urn, props, wanted)).toMatchObject({ changes: true, replaces: [] });
        const updated = await resources.update("", urn, props, { ...args, policies: ["reports", "other"] });
        expect(ran.slice(-2).map(({ command }) => command)).toEqual([
            "admin user enable store app-1",
            "admin policy attach store other --user app-1",
        ]);
        expect(updated.outs).not.toHaveProperty("disabled");
    });

    test.each(["XMinioAdminNoSuchUser", "NoSuchResource"])("that is gone (%s) is read as gone", async (code) => {
        const { client } = clientWith({ "admin user": failure(code) });
        expect(await resourcesOf(client).read("store/app-1", urn, { store, policies: [] })).toEqual({});
        await resourcesOf(client).delete("", urn, { store, accessKey: "app-1" });
    });

    test("that is imported has no secret", async () => {
        const { client } = clientWith({ "admin user info": [{ policyName: "" }] });
        const { props, inputs } = await found(client, "store/app-1", urn, {});
        expect(props).toMatchObject({ accessKey: "app-1", secretKey: { value: "" } });
        expect(inputs).toEqual({ store, namePrefix: "app", policies: [] });
    });
});

describe("what is secret in the args", () => {
    const hidden = (value: unknown) => ({ [SIGNATURE]: SECRET, value });
    const document = '{"Statement":[{"Action":["s3:GetObject"],"Effect":"Allow","Resource":["arn:aws:s3:::a/*"]}]}';
    const stored = { "admin policy info": [{ policyInfo: { Policy: JSON.parse(document) as object } }] };
    const notifications = [{ target: hidden("arn:minio:sqs::private:webhook"), events: ["put"] }];
    const cases: [kind: string, args: object, secrets: string[]][] = [
        ["Policy", { policyName: "p", document: hidden(document) }, ["document"]],
        ["Policy", { policyName: "p", read: [hidden("a")] }, ["read", "document"]],
        ["Bucket", { bucketName: "photos", policy: hidden(document) }, ["policy"]],
        ["Bucket", { bucketName: "photos", notifications }, ["notifications"]],
        // As engines send it that pass outputs on (Pulumi's wire format).
        ["Bucket", { bucketName: "photos", quota: { [SIGNATURE]: OUTPUT, value: 1048576, secret: true } }, ["quota"]],
        ["AccessKey", { namePrefix: "app", policies: [hidden("p")] }, ["policies", "secretKey"]],
    ];
    const secretsIn = (properties: unknown) =>
        Object.entries(properties as Outputs)
            .filter(([, value]) => (value as { [SIGNATURE]?: string } | undefined)?.[SIGNATURE] === SECRET)
            .map(([name]) => name);

    test.each(cases)("is secret in the state of a %s: %j", async (kind, given, secrets) => {
        const urn = urnOf(kind);
        const args = { store, ...given };
        const { client } = clientWith(empty());
        const resources = resourcesOf(client);
        const inputs: unknown = (await resources.check(urn, {}, args)).inputs;
        const ofArgs = secrets.filter((name) => name in given);
        expect(secretsIn(inputs)).toEqual(ofArgs);
        const { id, outs } = await created(client, urn, inputs as object);
        expect(secretsIn(outs).sort()).toEqual([...secrets].sort());
        const { outs: updated } = (await resources.update(id, urn, outs, inputs)) as { outs: Outputs };
        expect(secretsIn(updated).sort()).toEqual([...secrets].sort());
    });

    test("stays secret in a refresh, in another form too, and in a store that doesn't run", async () => {
        const known = { store, policyName: "p", read: hidden(["other"]), document: hidden("{}") };
        const { client } = clientWith(stored);
        const { props, inputs } = await found(client, "store/p", urnOf("Policy"), known);
        expect([secretsIn(props), secretsIn(inputs)]).toEqual([["document"], ["document"]]);
        const anonymous = JSON.parse(document) as object;
        const bucket = clientWith({ ...fresh, "anonymous get-json": [{ anonymous }] }).client;
        const prefixes = { store, bucketName: "photos", publicReadPrefixes: hidden(["a/"]) };
        expect(secretsIn((await found(bucket, "store/photos", urnOf("Bucket"), prefixes))["props"])).toEqual([
            "policy",
        ]);
        jest.spyOn(console, "warn").mockImplementation();
        const stopped = new StoreResources(() => Promise.reject(new StoreNotRunning("no node runs", [])));
        const left = (await stopped.read("store/p", urnOf("Policy"), known)) as Outputs;
        expect(secretsIn(left["props"])).toEqual(["read", "document"]);
        jest.restoreAllMocks();
    });

    test("becomes secret in a state in which it was plain", async () => {
        const state = { store, policyName: "p", document };
        const diff = (olds: object, news: object) =>
            resourcesOf(clientWith({}).client).diff("", urnOf("Policy"), olds, news);
        const secretly = { ...state, document: hidden(document) };
        expect(await diff(state, secretly)).toMatchObject({ changes: true, replaces: [] });
        expect(await diff(secretly, secretly)).toMatchObject({ changes: false });
        expect(await diff(secretly, state)).toMatchObject({ changes: false });
    });

    test("is in no message", async () => {
        const { client } = clientWith({
            ...empty(),
            "event add": failure(
                "InvalidArgument",
                "A specified destination arn:minio:sqs::private:webhook is unknown",
            ),
        });
        const args = { store, bucketName: "photos", notifications };
        await expect(resourcesOf(client).create(urnOf("Bucket"), args)).rejects.toThrow(
            "A specified destination [secret] is unknown",
        );
        const { failures } = await resourcesOf(client).check(urnOf("Bucket"), {}, { store, quota: hidden(5) });
        expect(failures).toMatchObject([
            { reason: expect.stringMatching(/^quota: \[secret\] is not allowed/) as string },
        ]);
    });
});
