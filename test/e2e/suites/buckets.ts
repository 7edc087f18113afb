import {
    GetBucketVersioningCommand,
    GetObjectCommand,
    GetObjectLockConfigurationCommand,
    HeadBucketCommand,
    ListObjectsV2Command,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { withClient } from "../../../components/storeClient/clientSession";
import { ask } from "../../../components/storeClient/storeClient";
import { get, s3ClientFor } from "../harness/clients";
import { Deployment } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import type { Store } from "../harness/stores";
import { inTurns } from "../harness/inTurns";
import { waitUntil } from "../harness/wait";
import { CLIENT_IMAGE, type OutputsWithKeys, type StoreContents } from "../harness/storeContents";
import { refusedBucketsSuite } from "./refusedBuckets";
import { returningBucketsSuite } from "./returningBuckets";
import { yamlBucketsSuite } from "./yamlBuckets";

/** Lets everybody read one object. */
const ONE_OBJECT = {
    Version: "2012-10-17",
    Statement: [
        { Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: "arn:aws:s3:::locked/public.txt" },
    ],
};

const BUCKETS = {
    photos: {
        versioning: true,
        quota: 64 * 1024 * 1024,
        lifecycle: [
            { id: "temporary", prefix: "tmp/", expireDays: 3 },
            { id: "former", expireFormerDays: 30 },
        ],
        publicReadPrefixes: ["public/"],
    },
    locked: { objectLock: true, retention: { mode: "governance", days: 1 }, policy: JSON.stringify(ONE_OBJECT) },
};

const POLICIES = { reports: { read: ["photos/reports/"] } };

const ACCESS_KEYS = { app: { readWrite: ["photos/app/"], policies: ["reports"] } };

/**
 * Buckets, policies and access keys as code: in stack config, and from another stack in another language.
 *
 * @param moreOf What else this store has.
 */
export function bucketsSuite(store: () => Store, moreOf: (contents: StoreContents) => void = () => undefined): void {
    const host = new DockerHost();
    let deployment: Deployment;
    let outputs: OutputsWithKeys;
    let root: S3Client;

    /** Runs the store's client, as an administrator who changes something by hand. */
    const byHand = (...args: string[]) =>
        withClient({ name: deployment.clusterName, clientImage: CLIENT_IMAGE }, (client) => ask(client, args));
    const configure = (contents: { buckets?: object; policies?: object; accessKeys?: object }) =>
        deployment.configure(
            Object.fromEntries(Object.entries(contents).map(([key, value]) => [key, JSON.stringify(value)])),
        );
    const update = async () => {
        const result = await deployment.up();
        outputs = await deployment.outputs();
        return result;
    };
    const clientOf = (name: string) => {
        const { accessKey, secretKey } = outputs.accessKeys?.[name] ?? { accessKey: "", secretKey: "" };
        return s3ClientFor(outputs, { accessKeyId: accessKey, secretAccessKey: secretKey });
    };
    const put = (client: S3Client, key: string, bucket = "photos") =>
        client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: "content" }));
    const read = async (client: S3Client, key: string) =>
        (await client.send(new GetObjectCommand({ Bucket: "photos", Key: key }))).Body?.transformToString();

    const contents: StoreContents = {
        deployment: () => deployment,
        outputs: () => outputs,
        root: () => root,
        byHand,
        configure,
        update,
        clientOf,
        put,
    };

    beforeAll(async () => {
        deployment = await Deployment.create({ ...store().config, clientImage: CLIENT_IMAGE });
        await update();
        root = s3ClientFor(outputs);
    }, 240_000);

    afterAll(async () => {
        root.destroy();
        await deployment.remove();
    }, 120_000);

    refusedBucketsSuite(contents);

    moreOf(contents);

    test("an update makes them; a second one and a refresh change nothing", async () => {
        await configure({ buckets: BUCKETS, policies: POLICIES, accessKeys: ACCESS_KEYS });
        const { changes } = await update();
        // A store may refuse writes to a bucket with a new quota for a while. The update has waited for that.
        await put(root, "first");
        expect(changes["create"]).toBe(5);
        expect(Object.keys((await update()).changes)).toEqual(["same"]);
        await deployment.refresh();
        expect(Object.keys((await update()).changes)).toEqual(["same"]);
        const { Status: status } = await root.send(new GetBucketVersioningCommand({ Bucket: "photos" }));
        expect(status).toBe("Enabled");
    }, 900_000);

    test("a bucket with a quota takes writes when the update ends, also in a store that has to count many objects", async () => {
        const many = { forceDestroy: true };
        await configure({ buckets: { ...BUCKETS, many } });
        await deployment.up();
        await inTurns(1000, (index) => put(root, `${index % 20}/${index}`, "many"));
        await configure({ buckets: { ...BUCKETS, many, limited: { forceDestroy: true, quota: 1024 * 1024 } } });
        await deployment.up();
        await put(root, "first", "limited");
        await configure({ buckets: BUCKETS });
        await deployment.up();
    }, 900_000);

    test("a key may do what its policies say, and nothing else", async () => {
        const app = clientOf("app");
        await put(app, "app/one");
        await put(root, "reports/one");
        await put(root, "other/one");
        await put(root, "public/one");
        expect(await read(app, "app/one")).toBe("content");
        expect(await read(app, "reports/one")).toBe("content");
        const { KeyCount: count } = await app.send(new ListObjectsV2Command({ Bucket: "photos", Prefix: "app/" }));
        expect(count).toBe(1);
        for (const denied of [
            () => read(app, "other/one"),
            () => put(app, "reports/two"),
            () => put(app, "one", "locked"),
            () => app.send(new ListObjectsV2Command({ Bucket: "photos" })),
        ]) {
            await expect(denied()).rejects.toThrow(/denied/i);
        }
        app.destroy();
    });

    test("everybody may read below a public prefix, and what a policy allows, and nothing else", async () => {
        const status = async (path: string) => (await get(outputs, `${outputs.s3Endpoint}/${path}`)).status;
        expect([await status("photos/public/one"), await status("photos/other/one")]).toEqual([200, 403]);
        // 404: the object may be read, and isn't there.
        expect([await status("locked/public.txt"), await status("locked/other.txt")]).toEqual([404, 403]);
    });

    test("the client leaves no connection open", async () => {
        const open = () => process.getActiveResourcesInfo().filter((kind) => kind === "PipeWrap").length;
        const before = open();
        await byHand("ls", "store");
        await waitUntil("its connections are closed", () => open() <= before, 10);
    }, 60_000);

    test("no secret is in plain state, or in the description of a container", async () => {
        const state = deployment.state();
        for (const secret of [outputs.secretKey, outputs.accessKeys?.["app"]?.secretKey ?? ""]) {
            expect(secret).not.toBe("");
            expect(state).not.toContain(secret);
        }
        const names = await host.namesOf(deployment.clusterName);
        expect(names.filter((name) => name.includes("-admin-"))).toEqual([]);
    });

    test("what the user encrypted is in no plain state or description of a container; what can't stay secret is refused", async () => {
        const document = JSON.stringify({
            Version: "2012-10-17",
            Statement: [
                { Sid: "EncryptedPolicy", Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::photos/x" },
            ],
        });
        const policies = JSON.stringify({ ...POLICIES, encrypted: { document } });
        await deployment.configure({ policies, environment: '{"OF_THE_USER": "encrypted-variable"}' }, true);
        const { output } = await update();
        const node = await host.docker.getContainer(`${deployment.clusterName}-pool1-node1`).inspect();
        for (const shown of [deployment.state(), JSON.stringify(node), output]) {
            expect(shown).not.toMatch(/EncryptedPolicy|encrypted-variable/);
        }
        expect(Object.keys((await update()).changes)).toEqual(["same"]);
        await deployment.configure({ restartedAt: "encrypted-text" }, true);
        const failure = await deployment.previewFailing();
        expect(failure).toContain("restartedAt: is encrypted, and can't stay secret");
        expect(failure).not.toContain("encrypted-text");
        await deployment.unset("restartedAt", "environment", "policies");
        await configure({ policies: POLICIES });
        await update();
    }, 240_000);

    test("what was changed by hand is found by a refresh and corrected by an update", async () => {
        await byHand("version", "suspend", "store/photos");
        await byHand("quota", "clear", "store/photos");
        await byHand("ilm", "rule", "rm", "--all", "--force", "store/photos");
        await byHand("anonymous", "set", "private", "store/photos");
        const { accessKey = "" } = outputs.accessKeys?.["app"] ?? {};
        await byHand("admin", "policy", "detach", "store", "reports", "--user", accessKey);
        await byHand("admin", "user", "disable", "store", accessKey);
        await deployment.refresh();
        expect(await deployment.preview()).toMatch(/quota +: 67108864/);
        expect((await update()).changes).toMatchObject({ update: 2 });
        const { Status: status } = await root.send(new GetBucketVersioningCommand({ Bucket: "photos" }));
        expect(status).toBe("Enabled");
        const app = clientOf("app");
        expect(await read(app, "reports/one")).toBe("content");
        app.destroy();
        await deployment.refresh();
        expect(Object.keys((await update()).changes)).toEqual(["same"]);
    }, 180_000);

    test("what was deleted by hand is found by a refresh and made again", async () => {
        const { accessKey = "", secretKey } = outputs.accessKeys?.["app"] ?? {};
        await byHand("admin", "user", "rm", "store", accessKey);
        await byHand("rb", "store/locked");
        await deployment.refresh();
        expect((await update()).changes).toMatchObject({ create: 2 });
        await root.send(new HeadBucketCommand({ Bucket: "locked" }));
        expect(outputs.accessKeys?.["app"]?.secretKey).not.toBe(secretKey);
    }, 120_000);

    test("a rotated key replaces the former one, which is valid until then", async () => {
        const former = clientOf("app");
        await configure({ accessKeys: { app: { ...ACCESS_KEYS.app, rotation: "2" } } });
        const { output } = await deployment.up();
        const place = (step: RegExp) => output.search(new RegExp(`AccessKey ${step.source}`));
        const [created, deleted] = [place(/store-app created replacement/), place(/store-app deleting original/)];
        expect([created > 0, deleted > created]).toEqual([true, true]);
        outputs = await deployment.outputs();
        const next = clientOf("app");
        expect(await read(next, "app/one")).toBe("content");
        await expect(read(former, "app/one")).rejects.toThrow(/exist|InvalidAccessKeyId|invalid/i);
        former.destroy();
        next.destroy();
    }, 120_000);

    test("a bucket is not deleted, unless forceDestroy says so", async () => {
        const { photos, ...others } = BUCKETS;
        await configure({ buckets: others });
        expect(await deployment.previewFailing()).toMatch(/photos.*protected/s);
        expect(await read(root, "other/one")).toBe("content");
        await configure({ buckets: { ...others, photos: { ...photos, forceDestroy: true } } });
        await deployment.up();
        await configure({ buckets: others });
        await deployment.up();
        await expect(root.send(new HeadBucketCommand({ Bucket: "photos" }))).rejects.toMatchObject({
            name: "NotFound",
        });
    }, 180_000);

    test("a bucket with forceDestroy that a change replaces has to be empty; only its removal deletes its objects", async () => {
        const { locked } = BUCKETS;
        const [logs, object] = [{ forceDestroy: true }, { Bucket: "logs", Key: "one" }];
        await configure({ buckets: { locked, logs } });
        await deployment.up();
        await put(root, "one", "logs");
        await configure({ buckets: { locked, logs: { ...logs, objectLock: true } } });
        expect(await deployment.upFailing()).toContain(
            "bucket logs has objects or former versions, so it is not replaced",
        );
        await root.send(new GetObjectCommand(object));
        await byHand("rm", "--recursive", "--force", "store/logs");
        await deployment.up();
        const lock = await root.send(new GetObjectLockConfigurationCommand({ Bucket: "logs" }));
        expect(lock.ObjectLockConfiguration?.ObjectLockEnabled).toBe("Enabled");
        await put(root, "one", "logs");
        await configure({ buckets: { locked } });
        await deployment.up();
        await expect(root.send(new HeadBucketCommand({ Bucket: "logs" }))).rejects.toMatchObject({ name: "NotFound" });
    }, 300_000);

    test("a bucket that exists already is refused, unless it is to be adopted", async () => {
        await byHand("mb", "store/found");
        const { locked } = BUCKETS;
        await configure({ buckets: { locked, found: { versioning: true } } });
        expect(await deployment.upFailing()).toContain("set adopt to true");
        await configure({ buckets: { locked, found: { versioning: true, adopt: true, forceDestroy: true } } });
        await deployment.up();
        const { Status: status } = await root.send(new GetBucketVersioningCommand({ Bucket: "found" }));
        expect(status).toBe("Enabled");
        await configure({ buckets: { locked } });
        await deployment.up();
    }, 120_000);

    yamlBucketsSuite(contents);

    returningBucketsSuite(contents, BUCKETS.locked);
}
