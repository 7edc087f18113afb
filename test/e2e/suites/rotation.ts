import { GetObjectCommand, ListBucketsCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { inventoryOf } from "../harness/inventory";
import { SteadyRequests } from "../harness/steadyRequests";
import type { Store, User } from "../harness/stores";
import { checksumOf, keepObject } from "../harness/traffic";
import { waitUntil } from "../harness/wait";

const BUCKET = "rotation";

/** How a store changes its root keys. */
export interface RootKeyRotation {
    nodeCount: number;
    /** Entries in `allowedChanges` that the change needs. */
    allowedChanges: string[];
    /** Whether it rolls from node to node, without an effect on clients of other users. */
    rolls: boolean;
}

/** Rotates keys: keys of clients, with a period in which both work, and the root keys. */
export function rotationSuite(store: () => Store, { nodeCount, allowedChanges, rolls }: RootKeyRotation): void {
    const host = new DockerHost();
    const root = { accessKey: "former-root-key", secretKey: "former-root-secret" };
    const newRoot = { accessKey: "other-root-key", secretKey: "other-root-secret" };
    const user = { accessKeyId: "application", secretAccessKey: "applications-secret" };
    const former = { accessKeyId: "applications-former", secretAccessKey: "former-secret" };
    const next = { accessKeyId: "applications-next", secretAccessKey: "the-next-secret" };
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let checksum: string;

    beforeAll(async () => {
        deployment = await Deployment.create({ ...store().config, ...root, nodeCount: String(nodeCount) });
        await deployment.up();
        outputs = await deployment.outputs();
        const admin = store().admin(host, outputs);
        await admin.createUser(user);
        await admin.addKeys(user, former);
        const client = s3ClientFor(outputs, former);
        checksum = await keepObject(client, BUCKET, "object");
        client.destroy();
    }, 240_000);

    afterAll(() => deployment.remove(), 120_000);

    /** The responses to these keys, for as many requests as needed to reach each node once. */
    const answersTo = async (keys: User): Promise<Set<string>> => {
        const client = s3ClientFor(outputs, keys);
        const answers = new Set<string>();
        for (let count = 0; count < 2 * nodeCount; count++) {
            const answer = await client.send(new ListBucketsCommand({})).then(
                ({ $metadata: { httpStatusCode: status } }) => String(status),
                (error: unknown) => (error as Error).name,
            );
            answers.add(answer);
        }
        client.destroy();
        return answers;
    };

    /** Reads and writes without a pause. The keys may change from one request to the next. Nothing is retried. */
    const work = (keys: () => User) =>
        new SteadyRequests(async (count) => {
            const client = s3ClientFor(outputs, keys());
            try {
                const place = { Bucket: BUCKET, Key: `worked-on-${count % 10}` };
                await client.send(new PutObjectCommand({ ...place, Body: `content ${count}` }));
                const { Body: body } = await client.send(new GetObjectCommand(place));
                expect(await body?.transformToString()).toBe(`content ${count}`);
            } finally {
                client.destroy();
            }
        });

    const allOk = new Set(["200"]);
    const refused = new Set(["InvalidAccessKeyId"]);

    test("a client's new keys work while the former ones still do; then the former ones end; no request fails", async () => {
        const admin = store().admin(host, outputs);
        let keys = former;
        const working = work(() => keys);
        await waitUntil("a request with the former keys", () => working.ended > 0);
        await admin.addKeys(user, next);
        expect(await answersTo(former)).toEqual(allOk);
        expect(await answersTo(next)).toEqual(allOk);
        keys = next;
        const before = working.ended;
        await waitUntil("requests with the next keys", () => working.ended > before + 2);
        const { answered, failures } = await working.stop();
        expect(failures).toEqual([]);
        expect(answered).toBeGreaterThan(before);

        await admin.removeKeys(former);
        expect(await answersTo(former)).toEqual(refused);
        expect(await answersTo(next)).toEqual(allOk);
    }, 180_000);

    test("other root keys are refused, with nothing changed, unless they are explicitly allowed", async () => {
        const before = await inventoryOf(host, deployment.clusterName);
        await deployment.configure(newRoot);
        for (const output of [await deployment.previewFailing(), await deployment.upFailing()]) {
            expect(output).toMatch(
                /accessKey: is not the one that the data of .* add "rootKeyChange" to allowedChanges/,
            );
            expect(output).toMatch(
                /secretKey: is not the one that the data of .* add "rootKeyChange" to allowedChanges/,
            );
            expect(output.includes('add "outage" to allowedChanges')).toBe(allowedChanges.includes("outage"));
        }
        expect(await inventoryOf(host, deployment.clusterName)).toEqual(before);
        expect(await answersTo({ accessKeyId: root.accessKey, secretAccessKey: root.secretKey })).toEqual(allOk);
    }, 180_000);

    test(`once allowed, they are applied ${rolls ? "node by node, and no user's request fails" : "to all nodes at once, as the preview says"}`, async () => {
        await deployment.configure({ ...newRoot, allowedChanges: JSON.stringify(allowedChanges) });
        expect(/warning: a change of .* replaces all \d+ nodes/.test(await deployment.preview())).toBe(!rolls);
        const working = work(() => next);
        await deployment.up();
        const { answered, failures } = await working.stop();
        expect(answered).toBeGreaterThan(10);
        if (rolls) {
            expect(failures).toEqual([]);
        }
        outputs = await deployment.outputs();
        expect(outputs).toMatchObject(newRoot);
    }, 300_000);

    test("then the former root keys are refused; data, users and their keys are unchanged", async () => {
        expect(await answersTo({ accessKeyId: root.accessKey, secretAccessKey: root.secretKey })).toEqual(refused);
        expect(await answersTo({ accessKeyId: newRoot.accessKey, secretAccessKey: newRoot.secretKey })).toEqual(allOk);
        for (const keys of [user, next]) {
            const client = s3ClientFor(outputs, keys);
            expect(await checksumOf(client, BUCKET, "object")).toBe(checksum);
            client.destroy();
        }
        const admin = store().admin(host, outputs);
        await admin.addKeys(user, former);
        expect(await answersTo(former)).toEqual(allOk);
        await admin.removeUser(user);
        expect(await answersTo(next)).toEqual(refused);
    }, 180_000);

    test("afterwards a second update changes nothing, with or without the entry in allowedChanges", async () => {
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
        await deployment.unset("allowedChanges");
        expect(Object.keys((await deployment.up()).changes)).toEqual(["same"]);
    }, 180_000);
}
