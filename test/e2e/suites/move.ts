import {
    CreateBucketCommand,
    DeleteBucketCommand,
    DeleteBucketPolicyCommand,
    DeleteObjectCommand,
    GetBucketPolicyCommand,
    GetBucketVersioningCommand,
    HeadObjectCommand,
    ListBucketsCommand,
    PutObjectCommand,
} from "@aws-sdk/client-s3";
import { setTimeout as sleep } from "node:timers/promises";
import { CHAOS_BUCKET } from "../chaos/chaosClient";
import { Load } from "../chaos/load";
import { ObjectLedger } from "../chaos/objectLedger";
import { verifyObjects } from "../chaos/verification";
import { s3ClientFor } from "../harness/clients";
import { systemClock } from "../../../components/docker/poll";
import { HELD_SECONDS } from "../../../components/haproxyConfig/moves";
import { DEFAULT_PAUSE_SECONDS } from "../../../tools/move/pause";
import { MoveSwitch } from "../../../tools/move/proxies";
import type { DeploymentOutputs } from "../harness/deployment";
import { commandsOf } from "../harness/documentCommands";
import { fillStore } from "../harness/keptContent";
import { beginUpload } from "../harness/lastingTraffic";
import type { Store } from "../harness/stores";
import { outputsOf, type MovePlace } from "../move/movePlace";
import {
    SlowUploads,
    failuresIn,
    proxyLogs,
    longestPause,
    fillMany,
    untilThere,
    keyOf,
    OBJECTS,
    checksumOf,
    sha256,
    bodyOf,
    KEYS,
    contentFor,
    PARTS,
} from "../move/movedContent";

const MINUTE = 60_000;

const USER = { accessKeyId: "somebody", secretAccessKey: "somebodys-secret" };

/** A user who is removed while clients use the new store. */
const LEAVER = { accessKeyId: "leaver", secretAccessKey: "leavers-secret" };

/** Runs the commands of docs/how-to/move.md, unchanged, while clients work on the store. */
export function moveSuite(store: () => Store, create: (store: Store) => Promise<MovePlace>): void {
    const ledger = new ObjectLedger();
    let place: MovePlace;
    let old: DeploymentOutputs;
    let load: Load | undefined;
    let begin = 0;
    let slow: SlowUploads | undefined;
    let next: DeploymentOutputs;

    const document = (heading: string) => commandsOf(heading, "docs/how-to/move.md");
    const variables = () => ({ from: place.from, to: place.to });
    const run = (heading: string, options = "") =>
        place.checkout.runBeside(`${document(heading).trimEnd()} ${options}`, variables()).done();
    const target = (outputs: DeploymentOutputs) => ({ store: store(), outputs, nextCertificate: { ca: "" } });
    /** A copy into the store that clients use must not even begin. */
    const expectNoCopy = () => expect(run("Copy")).rejects.toThrow(/would delete what they have written/);
    const startLoad = (name: string) => {
        begin = Date.now();
        load = Load.start(target(old), ledger, name);
    };
    /** Ends the load, and reports it: failures with what both proxies logged, and the longest time without a successful write. */
    const endLoad = async () => {
        const records = (await load?.stop()) ?? [];
        load = undefined;
        const failures = failuresIn(records);
        if (failures.length > 0) {
            const logs = [await proxyLogs(place.host, begin), await proxyLogs(place.nextHost, begin)];
            console.log(logs.join("\n\n"));
        }
        return { requests: records.length, failures, pause: longestPause(records) };
    };

    beforeAll(async () => {
        place = await create(store());
        await place.checkout.runBeside(`npm run up -- --stack ${place.from}`).done();
        old = await place.open(place.from);
        const client = s3ClientFor(old);
        await fillStore(client);
        await store().createUser(place.host, old, USER);
        await store().createUser(place.host, old, LEAVER);
        await client.send(new CreateBucketCommand({ Bucket: CHAOS_BUCKET }));
        await client.send(new CreateBucketCommand({ Bucket: "many" }));
        await fillMany(client);
        await client.send(new CreateBucketCommand({ Bucket: "gone" }));
        await client.send(new PutObjectCommand({ Bucket: "gone", Key: "object", Body: "content" }));
    }, 8 * MINUTE);

    afterAll(async () => {
        await Promise.allSettled([load?.stop(), slow?.stop()]);
        await place.remove();
    }, 3 * MINUTE);

    test(
        "the new store gets the old one's root keys before its first update",
        async () => {
            startLoad("move");
            await place.prepare();
            await run("Deploy the new store");
            next = await place.open(place.to);
            expect([next.accessKey, next.secretKey]).toEqual([old.accessKey, old.secretKey]);
        },
        8 * MINUTE,
    );

    test(
        "a copy that is killed half-way is completed by the same command",
        async () => {
            const copy = place.checkout.runBeside(document("Copy"), variables());
            const early = copy.done().then((output) => `it ended before it was killed: ${output}`);
            const client = s3ClientFor(next);
            expect(await Promise.race([early, untilThere(client, keyOf(0))])).toBe("there");
            early.catch(() => undefined);
            await copy.kill("SIGKILL");
            await run("Copy");
            await run("Check");
            // What is removed after the first copy.
            await client.send(new GetBucketPolicyCommand({ Bucket: "plain" }));
            const former = s3ClientFor(old);
            await former.send(new DeleteBucketPolicyCommand({ Bucket: "plain" }));
            await former.send(new DeleteObjectCommand({ Bucket: "many", Key: "a folder/" }));
            await former.send(new DeleteObjectCommand({ Bucket: "gone", Key: "object" }));
            await former.send(new DeleteBucketCommand({ Bucket: "gone" }));
        },
        8 * MINUTE,
    );

    test(
        "a switch is given up while an upload goes on; a pause that ends by itself fails no write",
        async () => {
            let end: () => void = () => undefined;
            const ended = new Promise<void>((resolve) => (end = resolve));
            const upload = await beginUpload(old, "http/1.1", { bucket: "many", key: "long upload" }, ended);
            await expect(run("Switch", "--running 1")).rejects.toThrow(/still run/);
            end();
            expect(await upload.status).toBe(200);
            const container = `${place.from}-proxy`;
            const { name } = JSON.parse(
                place.checkout.shell(`npm run --silent pulumi -- config get move --stack ${place.from}`),
            ) as { name: string };
            const proxies = new MoveSwitch([{ docker: place.host.docker, container }], name, systemClock);
            await proxies.set({ pause: DEFAULT_PAUSE_SECONDS });
            await sleep((DEFAULT_PAUSE_SECONDS + 3) * 1000);
            const { failures, pause } = await endLoad();
            expect(failures).toEqual([]);
            expect(pause).toBeGreaterThan(DEFAULT_PAUSE_SECONDS - 3);
            startLoad("switch");
        },
        4 * MINUTE,
    );

    test(
        "the clients are moved without a failed request, and writes wait for less than the proxy holds them",
        async () => {
            const output = await run("Switch");
            await sleep(3000);
            const report = await endLoad();
            console.log(`${store().name}: ${JSON.stringify(report)}; ${/writes were held for .* s/.exec(output)?.[0]}`);
            expect(report.failures).toEqual([]);
            expect(report.pause).toBeLessThan(HELD_SECONDS);
            expect(report.requests).toBeGreaterThan(100);
            await expectNoCopy();
        },
        8 * MINUTE,
    );

    test(
        "every acknowledged object is in the new store with its bytes, through the old proxy and directly",
        async () => {
            expect(ledger.keys("").length).toBeGreaterThan(50);
            expect(await verifyObjects(target(old), ledger, "")).toEqual([]);
            expect(await verifyObjects(target(next), ledger, "")).toEqual([]);
            const client = s3ClientFor(next);
            for (const index of [0, 1, OBJECTS - 1]) {
                expect(await checksumOf(client, "many", keyOf(index))).toBe(sha256(bodyOf(index)));
            }
            await expect(checksumOf(client, "many", "a folder/")).rejects.toThrow();
            for (const key of KEYS.slice(1)) {
                expect([key, await checksumOf(client, "many", key)]).toEqual([key, sha256(contentFor(key))]);
            }
            const {
                ContentType: type,
                CacheControl: cache,
                ContentDisposition: disposition,
                Metadata: metadata,
            } = await client.send(new HeadObjectCommand({ Bucket: "many", Key: "described" }));
            expect({ type, cache, disposition, owner: metadata?.["owner"] }).toEqual({
                type: "text/x-described",
                cache: "max-age=7",
                disposition: "attachment",
                owner: "somebody",
            });
            expect(await checksumOf(client, "many", "in parts")).toBe(sha256(PARTS));
        },
        4 * MINUTE,
    );

    test(
        "buckets keep their settings, and users their keys; what was removed meanwhile is removed",
        async () => {
            const client = s3ClientFor(next, USER);
            const { Buckets: buckets = [] } = await client.send(new ListBucketsCommand({}));
            expect(buckets.map(({ Name: name }) => name)).toEqual([CHAOS_BUCKET, "many", "plain", "versioned"].sort());
            const policy = s3ClientFor(next).send(new GetBucketPolicyCommand({ Bucket: "plain" }));
            await expect(policy).rejects.toThrow(/policy/);
            const versioning = new GetBucketVersioningCommand({ Bucket: "versioned" });
            expect((await s3ClientFor(next).send(versioning)).Status).toBe("Enabled");
            await client.send(new HeadObjectCommand({ Bucket: "versioned", Key: "document" }));
            await s3ClientFor(next, LEAVER).send(new ListBucketsCommand({}));
        },
        2 * MINUTE,
    );

    test(
        "the moved proxy needs nothing but its config: it is unchanged by an update, and serves after a restart",
        async () => {
            const output = await place.checkout.runBeside(`npm run up -- --stack ${place.from}`).done();
            expect(output).toMatch(/\d+ unchanged/);
            expect(output).not.toMatch(/\d+ (changed|created|updated|replaced|deleted)\b/);
            await place.host.docker.getContainer(`${place.from}-proxy`).restart();
            const client = s3ClientFor(old);
            await sleep(3000);
            await client.send(new PutObjectCommand({ Bucket: "many", Key: "after", Body: "the move" }));
            expect(await checksumOf(s3ClientFor(next), "many", "after")).toBe(sha256("the move"));
        },
        4 * MINUTE,
    );

    test(
        "the way back takes along what was written since, also by slow uploads, without a failed request",
        async () => {
            startLoad("back");
            slow = new SlowUploads(old);
            const there = s3ClientFor(next);
            await there.send(new DeleteObjectCommand({ Bucket: "many", Key: keyOf(1) }));
            await there.send(new PutObjectCommand({ Bucket: "many", Key: "new folder/", Body: "" }));
            await store().admin(place.nextHost, next).removeUser(LEAVER);
            await run("Back");
            await sleep(2000);
            const report = await endLoad();
            console.log(`${store().name}, back: ${JSON.stringify(report)}`);
            const uploads = await slow.stop();
            expect(report.failures).toEqual([]);
            expect(report.pause).toBeLessThan(HELD_SECONDS);
            const outputs = outputsOf(place.checkout, place.from);
            expect(await verifyObjects(target(outputs), ledger, "")).toEqual([]);
            const client = s3ClientFor(old);
            expect(await checksumOf(client, "many", "after")).toBe(sha256("the move"));
            expect(await checksumOf(client, "many", "new folder/")).toBe(sha256(""));
            await expect(checksumOf(client, "many", keyOf(1))).rejects.toThrow();
            await expect(s3ClientFor(old, LEAVER).send(new ListBucketsCommand({}))).rejects.toThrow();
            expect(uploads.length).toBeGreaterThan(10);
            for (const { key, checksum } of uploads) {
                expect([key, await checksumOf(client, "many", key)]).toEqual([key, checksum]);
            }
        },
        8 * MINUTE,
    );
}
