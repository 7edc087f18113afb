import {
    CreateBucketCommand,
    GetObjectCommand,
    ListBucketsCommand,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { connect } from "node:tls";
import { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import type { DeploymentConfig, DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { commandBlocks, commandsOf } from "../harness/documentCommands";
import { freeSubnet } from "../harness/freeResources";
import { SteadyRequests } from "../harness/steadyRequests";
import { waitUntil } from "../harness/wait";

const DOCUMENT = "docs/how-to/several-stores.md";

/** Outputs of a stack with several stores. */
interface Outputs extends DeploymentOutputs {
    additionalStores?: { [name: string]: StoreOutputs };
}

type StoreOutputs = Pick<DeploymentOutputs, "s3Endpoint" | "accessKey" | "secretKey">;

/** The stack's own store, which has no name. */
const OWN = "";

/** The profile and the image of each of the stores. */
export interface StoresOfSuite {
    own: () => DeploymentConfig;
    media: () => DeploymentConfig;
    logs: () => DeploymentConfig;
}

/** Several stores behind one proxy, in a checkout of its own, by the commands of docs/how-to/several-stores.md. */
export function severalStoresSuite(stores: StoresOfSuite): void {
    const host = new DockerHost();
    let checkout: Checkout;
    let before: { proxy: string; node: string };

    const outputs = () => checkout.outputs() as Outputs;
    const ids = async () => ({
        proxy: (await host.inspect(`${checkout.clusterName}-proxy`)).Id,
        node: (await host.inspect(`${checkout.clusterName}-pool1-node1`)).Id,
    });
    /** A client of a store, with the keys of that one or of another. Default: the stack's own. */
    const clientOf = (store = OWN, { keysOf = store } = {}): S3Client => {
        const all = outputs();
        const { s3Endpoint } = storeIn(all, store);
        const { accessKey, secretKey } = storeIn(all, keysOf);
        return s3ClientFor({ ...all, s3Endpoint }, { accessKeyId: accessKey, secretAccessKey: secretKey });
    };
    const textOf = async (client: S3Client) =>
        (await client.send(new GetObjectCommand({ Bucket: "common", Key: "which" }))).Body?.transformToString();

    /** Runs commands while a client of a store writes and reads. Returns what it has counted. */
    const underLoad = async (client: S3Client, commands: string) => {
        const requests = new SteadyRequests(async (count) => {
            const object = { Bucket: "common", Key: `load-${count % 10}` };
            await client.send(new PutObjectCommand({ ...object, Body: String(count) }));
            const { Body: body } = await client.send(new GetObjectCommand(object));
            expect(await body?.transformToString()).toBe(String(count));
        });
        await checkout.runBeside(commands).done();
        return requests.stop();
    };

    const configure = (index: number, config: DeploymentConfig) =>
        Object.entries(config).forEach(([key, value]) =>
            checkout.shell(`npm run pulumi -- config set --path 'additionalStores[${index}].${key}' '${value}'`),
        );

    beforeAll(async () => {
        checkout = await Checkout.make(stores.own());
        checkout.up();
        before = await ids();
        await clientOf().send(new CreateBucketCommand({ Bucket: "common" }));
        await clientOf().send(new PutObjectCommand({ Bucket: "common", Key: "which", Body: "own" }));
    }, 300_000);

    afterAll(() => checkout.remove(), 120_000);

    test("a second store is added by the document's commands: no request fails, and no container is replaced", async () => {
        configure(0, stores.media());
        const { answered, failures } = await underLoad(clientOf(), commandsOf("Add a store", DOCUMENT));
        expect(failures).toEqual([]);
        expect(answered).toBeGreaterThan(10);
        expect(await ids()).toEqual(before);
    }, 400_000);

    test("each store has its own objects, keys and hostnames; a key of one opens nothing in another", async () => {
        const media = clientOf("media");
        await media.send(new CreateBucketCommand({ Bucket: "common" }));
        await media.send(new PutObjectCommand({ Bucket: "common", Key: "which", Body: "media" }));
        expect([await textOf(clientOf()), await textOf(media)]).toEqual(["own", "media"]);
        for (const client of [clientOf(OWN, { keysOf: "media" }), clientOf("media", { keysOf: OWN })]) {
            await expect(textOf(client)).rejects.toMatchObject({ name: "InvalidAccessKeyId" });
        }
    }, 120_000);

    test("one certificate covers the hostnames of all stores", async () => {
        const names = await servedNames(outputs());
        expect(names.sort()).toEqual([
            "console.localhost",
            "media-console.localhost",
            "media.localhost",
            "s3.localhost",
        ]);
    });

    test("a second update changes nothing", () => {
        expect(checkout.shell(`npm run up -- --stack ${checkout.stack}`)).toMatch(/Resources:\n +\d+ unchanged\n\n/);
    }, 200_000);

    test("the document's commands show and administer the store; the closing message names its URLs", () => {
        const [shown = ""] = commandBlocks("Use it", DOCUMENT);
        const output = checkout.shell(shown);
        const { s3Endpoint = "", secretKey = "" } = outputs().additionalStores?.["media"] ?? {};
        expect(output).toContain(`"secretKey":"${secretKey}"`);
        expect(output).toMatch(/Bucket created successfully/);
        expect(output).toMatch(/ common\/\n.* films\/\n/);
        expect(output).toMatch(new RegExp(`^Store media {2}${s3Endpoint}`, "m"));
        expect(output).toMatch(/^s3-media\/node1 +UP /m);
        expect(output).toMatch(/^Healthy$/m);
        expect(checkout.shell("npm run --silent admin -- ls store < /dev/null")).not.toContain("films");
        expect(checkout.shellFailing("npm run --silent admin -- --store medla ls store")).toMatch(
            /--store "medla" is not one of the stack .*: give one of media/,
        );
    }, 120_000);

    test("stores that collide are refused with all problems at once, before anything changes", () => {
        configure(1, { name: "media", s3Host: "S3.localhost", consoleHost: "media-console.localhost" });
        const output = checkout.shellFailing(`npm run up -- --stack ${checkout.stack}`);
        checkout.shell("npm run pulumi -- config rm --path 'additionalStores[1]'");
        expect(output).toMatch(/additionalStores\[1\]\.name: "media" is additionalStores\[0\]\.name already/);
        expect(output).toMatch(/additionalStores\[1\]\.s3Host: "S3.localhost" is s3Host already/);
        expect(output).toMatch(/additionalStores\[1\]\.consoleHost: .* is additionalStores\[0\]\.consoleHost already/);
    }, 120_000);

    test("a removal is refused before anything changes, by npm run up and by the program", () => {
        checkout.shell("npm run pulumi -- config set --path 'additionalStores[0].name' other");
        const byCommand = checkout.shellFailing(`npm run up -- --stack ${checkout.stack}`);
        const byProgram = checkout.shellFailing("npm run pulumi -- up --yes --skip-preview");
        checkout.shell("npm run pulumi -- config set --path 'additionalStores[0].name' media");
        const volume = `${checkout.clusterName}-media-pool1-node1-drive1`;
        expect(byCommand).toMatch(new RegExp(`additionalStores: a store isn't in it any more .*\\n +${volume}\\n`));
        expect(byProgram).toMatch(
            new RegExp(`additionalStores: has no store named "media" any more, .*${volume}.*"storeRemoval"`),
        );
    }, 120_000);

    test("npm run down keeps the data of all stores, and npm run up brings them back with it", async () => {
        expect(checkout.shell(`npm run down -- --stack ${checkout.stack}`)).toMatch(
            /Kept on disk:\n.*-media-pool1-node1-drive1.*\n.*-pool1-node1-drive1/,
        );
        checkout.up();
        before = await ids();
        expect([await textOf(clientOf()), await textOf(clientOf("media"))]).toEqual(["own", "media"]);
    }, 300_000);

    test("a third store is added to a proxy that was created for two: no request to either fails", async () => {
        configure(1, {
            name: "logs",
            s3Host: "logs.localhost",
            consoleHost: "logs-console.localhost",
            ...stores.logs(),
        });
        const client = clientOf("media");
        const media = new SteadyRequests(async () => expect(await textOf(client)).toBe("media"));
        const own = await underLoad(clientOf(), `npm run up -- --stack ${checkout.stack}`);
        const { answered, failures } = await media.stop();
        expect([own.failures, failures]).toEqual([[], []]);
        expect(Math.min(own.answered, answered)).toBeGreaterThan(10);
        expect(await ids()).toEqual(before);
        await clientOf("logs").send(new CreateBucketCommand({ Bucket: "common" }));
    }, 400_000);

    test("a proxy that is restarted is on the networks that it joined while it ran", async () => {
        const proxy = `${checkout.clusterName}-proxy`;
        const networks = async () => Object.keys((await host.inspect(proxy)).NetworkSettings.Networks).sort();
        const joined = ["-logs-nodes", "-media-nodes", "-nodes", "-public"].map((part) => checkout.clusterName + part);
        expect(await networks()).toEqual(joined);
        await host.docker.getContainer(proxy).restart({ t: 2 });
        expect(await networks()).toEqual(joined);
        for (const store of [OWN, "media", "logs"]) {
            const client = clientOf(store);
            const answers = () =>
                client.send(new ListBucketsCommand({})).then(
                    () => true,
                    () => false,
                );
            await waitUntil(`the store ${store} answers`, answers);
        }
    }, 120_000);

    test("a store is removed by the document's commands, with its data: no request to another fails", async () => {
        const [release = "", remove = ""] = commandBlocks("Remove a store", DOCUMENT);
        const { answered, failures } = await underLoad(clientOf(), release + remove);
        expect(failures).toEqual([]);
        expect(answered).toBeGreaterThan(10);
        expect(await ids()).toEqual(before);
        expect(Object.keys(outputs().additionalStores ?? {})).toEqual(["logs"]);
        const left = await host.namesOf(`${checkout.clusterName}-media`);
        expect(left).toEqual([]);
        expect(checkout.shell("npm run status")).toMatch(/^Healthy$/m);
        expect(checkout.shell(`npm run up -- --stack ${checkout.stack}`)).toMatch(/Resources:\n +\d+ unchanged\n\n/);
    }, 400_000);

    test("its public network gets another subnet: the next proxy is created with the networks that are left", async () => {
        checkout.shell(`npm run pulumi -- config set publicSubnet ${await freeSubnet()}`);
        checkout.up();
        expect((await ids()).proxy).not.toBe(before.proxy);
        expect(await textOf(clientOf())).toBe("own");
        await clientOf("logs").send(new ListBucketsCommand({}));
    }, 200_000);

    test("npm run down -- --delete-data deletes the data of all stores", async () => {
        checkout.shell(`npm run down -- --stack ${checkout.stack} --delete-data --yes`);
        expect(await host.namesOf(checkout.clusterName)).toEqual([]);
    }, 200_000);
}

/** The outputs of one of a stack's stores. */
function storeIn(all: Outputs, name: string): StoreOutputs {
    const store = name === OWN ? all : all.additionalStores?.[name];
    if (store === undefined) {
        throw new Error(`the stack has no store ${name}`);
    }
    return store;
}

/** The names that the served certificate covers. */
function servedNames({ s3Endpoint, caCertificate }: Outputs): Promise<string[]> {
    const { hostname, port } = new URL(s3Endpoint);
    return new Promise((resolve, reject) => {
        const socket = connect(
            { host: "127.0.0.1", port: Number(port), servername: hostname, ca: caCertificate },
            () => {
                const { subjectaltname: names = "" } = socket.getPeerCertificate();
                resolve(names.split(", ").map((name) => name.replace(/^DNS:/, "")));
                socket.destroy();
            },
        );
        socket.once("error", reject);
    });
}
