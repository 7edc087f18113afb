import { StoreNotRunning, type EmptyEngine } from "../../../../components/storeClient/storeTarget";
import { StoreResources } from "../../../../plugin/resources/storeResources";
import {
    clientWith,
    failure,
    fresh,
    resourcesOf,
    urnOf,
    store,
    ENGINE,
    type Outputs,
    SIGNATURE,
    SECRET,
    OUTPUT,
    empty,
    created,
    found,
} from "../../fakes/answeringClient";

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
