import {
    CreateBucketCommand,
    DeleteBucketCommand,
    DeleteObjectCommand,
    GetObjectCommand,
    ListObjectsV2Command,
    ListObjectVersionsCommand,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { createHash, randomBytes } from "node:crypto";
import {
    chmodSync,
    chownSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BUILT_IMAGES } from "../../../tools/images/builtImages";
import { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import type { DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { addConfigLines, configLinesOf } from "../harness/documentConfig";
import { commandBlocks, commandsOf } from "../harness/documentCommands";
import type { Store } from "../harness/stores";
import { furtherImage, testImages } from "../harness/testRun";
import { waitUntil } from "../harness/wait";

const DOCUMENT = "docs/how-to/back-up-files.md";
const MINUTE = 60_000;
const MIB = 1024 * 1024;

/** Keys of the other store. */
const OTHER = { accessKeyId: "other-root", secretAccessKey: "other-secret" };

type Keys = { [name: string]: { accessKey: string; secretKey: string } };

/** Runs the commands in docs/how-to/back-up-files.md, unchanged. */
export function backupRecipeSuite(store: () => Store): void {
    const host = new DockerHost();
    const folder = mkdtempSync(join(tmpdir(), "backup-recipe-"));
    const [secrets, files, restored] = ["secrets", "files", "restored"].map((name) => join(folder, name)) as [
        string,
        string,
        string,
    ];
    let checkout: Checkout;
    let outputs: DeploymentOutputs & { accessKeys?: Keys };
    let root: S3Client;
    let otherStore = "";

    const variables = () => ({
        ...{ stack: checkout.stack, cluster: checkout.clusterName, secrets, files, restored },
        ...{ resticImage: furtherImage("restic"), rcloneImage: furtherImage("rclone") },
        ...{ otherStore, otherBucket: "copies" },
    });
    const withFunctions = (commands: string) =>
        `set -e\n${commandsOf("2. Functions for backups", DOCUMENT)}${commands}`;
    const run = (heading: string, more: { [name: string]: string } = {}) =>
        checkout.shell(withFunctions(commandsOf(heading, DOCUMENT)), { ...variables(), ...more });
    const shell = (commands: string) => checkout.shell(withFunctions(commands), variables());

    const clientOf = (name: string) => {
        const { accessKey, secretKey } = outputs.accessKeys?.[name] ?? { accessKey: "", secretKey: "" };
        return s3ClientFor(outputs, { accessKeyId: accessKey, secretAccessKey: secretKey });
    };

    const other = () => s3ClientFor({ ...outputs, s3Endpoint: otherStore }, OTHER);

    /** Paths, modes, owners, links and contents of a folder. */
    const tree = (path: string) =>
        checkout.shell(
            `cd "${path}" && find . -printf '%P %y %m %U %G %l\\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum`,
        );

    beforeAll(async () => {
        checkout = await Checkout.make({ ...store().config, clientImage: BUILT_IMAGES.mc.reference });
        addConfigLines(
            join(checkout.path, `Pulumi.${checkout.stack}.yaml`),
            configLinesOf("1. Buckets and keys for backups", DOCUMENT),
        );
        makeFiles(files);
        const [, deploy = "exit 1"] = commandBlocks("1. Buckets and keys for backups", DOCUMENT);
        checkout.shell(deploy, variables());
        outputs = checkout.outputs();
        root = s3ClientFor(outputs);
        run("3. Prepare backups");
        otherStore = await startOther(host, checkout.clusterName);
    }, 5 * MINUTE);

    afterAll(async () => {
        root.destroy();
        await checkout.remove();
        rmSync(folder, { recursive: true });
    }, 2 * MINUTE);

    test("secrets are in files of root's, not in the arguments of containers", () => {
        expect(checkout.shell(`stat --format %a ${secrets} ${secrets}/*`).trim().split("\n")).toEqual(
            expect.arrayContaining(["700", "600"]),
        );
        expect(checkout.shell(`find ${secrets} -perm /077`)).toBe("");
        const args = shell(`docker() { printf '%s\\n' "$@"; }\nrestic backup "$files"\nrclone lsd store:`);
        expect(args).toContain("AWS_SHARED_CREDENTIALS_FILE=/secrets/restic");
        const values = Object.values(outputs.accessKeys ?? {}).map(({ secretKey }) => secretKey);
        for (const secret of [...values, readFileSync(join(secrets, "password"), "utf8").trim()]) {
            expect(secret.length).toBeGreaterThan(20);
            expect(args).not.toContain(secret);
        }
    });

    test(
        "files are backed up, and read back whole with owners, modes and links",
        () => {
            expect(run("4. Back up files")).toContain("no errors were found");
            expect(run("Undo: restore files")).toContain("Restored");
            expect(tree(join(restored, files))).toBe(tree(files));
        },
        3 * MINUTE,
    );

    test("each key may do only what it has to", async () => {
        const [restic, rclone] = [clientOf("restic"), clientOf("rclone")];
        const { Contents: packs = [] } = await restic.send(
            new ListObjectsV2Command({ Bucket: "backups", Prefix: "data/" }),
        );
        const { Versions: versions = [] } = await root.send(
            new ListObjectVersionsCommand({ Bucket: "backups", Prefix: "snapshots/" }),
        );
        const [{ Key: version, VersionId } = { Key: "" }] = versions;
        const Key = packs[0]?.Key;
        const refusals = [
            () => restic.send(new DeleteObjectCommand({ Bucket: "backups", Key })),
            () => restic.send(new DeleteObjectCommand({ Bucket: "backups", Key: version, VersionId })),
            () => restic.send(new ListObjectsV2Command({ Bucket: "photos" })),
            () => restic.send(new PutObjectCommand({ Bucket: "photos", Key: "k", Body: "k" })),
            () => rclone.send(new PutObjectCommand({ Bucket: "photos", Key: "k", Body: "k" })),
            () => rclone.send(new DeleteObjectCommand({ Bucket: "photos", Key: "k" })),
            () => rclone.send(new ListObjectsV2Command({ Bucket: "backups" })),
        ];
        for (const refused of refusals) {
            await expect(refused()).rejects.toMatchObject({ name: "AccessDenied" });
        }
        // Not even root deletes a version whose lock hasn't ended.
        await expect(
            root.send(new DeleteObjectCommand({ Bucket: "backups", Key: version, VersionId })),
        ).rejects.toThrow();
        restic.destroy();
        rclone.destroy();
    });

    test(
        "old backups are removed with another key",
        () => {
            for (const text of ["later", "last"]) {
                writeFileSync(join(files, text), text);
                shell('restic backup "$files"');
            }
            expect(shell("restic snapshots")).toContain("3 snapshots");
            run("Remove old backups");
            // The newest of the day, and the oldest of all.
            expect(shell("restic snapshots")).toContain("2 snapshots");
            expect(shell("restic check --read-data")).toContain("no errors were found");
            expect(() => readFileSync(join(secrets, "prune"))).toThrow();
        },
        3 * MINUTE,
    );

    test(
        "what the key of the host has overwritten is read as it was",
        async () => {
            await sleep(2000);
            const time = new Date().toISOString();
            await sleep(2000);
            const restic = clientOf("restic");
            const { Contents: all = [] } = await restic.send(new ListObjectsV2Command({ Bucket: "backups" }));
            for (const { Key } of all) {
                await restic.send(new PutObjectCommand({ Bucket: "backups", Key, Body: "encrypted by somebody" }));
            }
            restic.destroy();
            expect(checkout.shellFailing(withFunctions("restic snapshots"), variables())).toContain("Fatal");
            run("A host was broken into", { time });
            expect(tree(join(restored, "before", files))).toBe(tree(files));
        },
        3 * MINUTE,
    );

    test(
        "a bucket is copied to another store, and what changes there is kept beside",
        async () => {
            const key = `[default]\naws_access_key_id = ${OTHER.accessKeyId}\naws_secret_access_key = ${OTHER.secretAccessKey}\n`;
            writeFileSync(join(secrets, "other"), key, { mode: 0o600 });
            await writePhotos(root);
            run("5. Copy a bucket to another store");
            expect(await contentOf(other(), "copies", "photos/")).toEqual(await contentOf(root, "photos"));
            await root.send(new PutObjectCommand({ Bucket: "photos", Key: "small", Body: "another text" }));
            await root.send(new DeleteObjectCommand({ Bucket: "photos", Key: "a folder/ä+b" }));
            run("5. Copy a bucket to another store");
            expect(await contentOf(other(), "copies", "photos/")).toEqual(await contentOf(root, "photos"));
            const former = await contentOf(other(), "copies", "former/");
            expect([...former.keys()].map((path) => path.slice(path.indexOf("/") + 1)).sort()).toEqual([
                "a folder/ä+b",
                "small",
            ]);
        },
        3 * MINUTE,
    );

    test(
        "a bucket that was lost is created again, with everything in it",
        async () => {
            const before = await contentOf(root, "photos");
            for (const key of before.keys()) {
                await root.send(new DeleteObjectCommand({ Bucket: "photos", Key: key }));
            }
            await root.send(new DeleteBucketCommand({ Bucket: "photos" }));
            run("Undo: restore a bucket");
            expect(await contentOf(root, "photos")).toEqual(before);
            const rclone = clientOf("rclone");
            expect((await contentOf(rclone, "photos")).size).toBe(before.size);
            rclone.destroy();
        },
        5 * MINUTE,
    );
}

/** Files of several sizes, owners and modes, and a link. */
function makeFiles(folder: string): void {
    mkdirSync(join(folder, "below"), { recursive: true });
    writeFileSync(join(folder, "empty"), "");
    writeFileSync(join(folder, "large"), randomBytes(40 * MIB));
    writeFileSync(join(folder, "below", "private ä"), randomBytes(1000));
    chmodSync(join(folder, "below", "private ä"), 0o400);
    chownSync(join(folder, "below", "private ä"), 1234, 1234);
    symlinkSync("../large", join(folder, "below", "link"));
}

/** Starts another store on the public network of a cluster, with an empty bucket. Returns its URL. */
async function startOther(host: DockerHost, clusterName: string): Promise<string> {
    const network = `${clusterName}-public`;
    const container = await host.docker.createContainer({
        name: `${clusterName}-other`,
        Image: testImages().minio,
        Entrypoint: ["minio", "server", "/data"],
        Env: [`MINIO_ROOT_USER=${OTHER.accessKeyId}`, `MINIO_ROOT_PASSWORD=${OTHER.secretAccessKey}`],
        HostConfig: { NetworkMode: network, Tmpfs: { "/data": "" } },
    });
    await container.start();
    const { NetworkSettings: settings } = await container.inspect();
    const url = `http://${settings.Networks[network]?.IPAddress}:9000`;
    const client = s3ClientFor({ s3Endpoint: url } as DeploymentOutputs, OTHER);
    await waitUntil("the other store answers", () =>
        client.send(new CreateBucketCommand({ Bucket: "copies" })).then(
            () => true,
            () => false,
        ),
    );
    client.destroy();
    return url;
}

async function writePhotos(client: S3Client): Promise<void> {
    const put = (Key: string, Body: Buffer) =>
        client.send(
            new PutObjectCommand({
                Bucket: "photos",
                Key,
                Body,
                ContentType: "image/png",
                Metadata: { place: "the sea" },
            }),
        );
    await put("small", randomBytes(1000));
    await put("a folder/ä+b", randomBytes(3 * MIB));
    await put("unchanged", randomBytes(70_000));
    const params = { Bucket: "photos", Key: "in parts", Body: randomBytes(12 * MIB) };
    await new Upload({ client, params, partSize: 5 * MIB }).done();
}

/** Digest, content type and own metadata of each object, by its key after a prefix. */
async function contentOf(client: S3Client, Bucket: string, prefix = ""): Promise<Map<string, string>> {
    const { Contents: objects = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix }));
    const found = new Map<string, string>();
    for (const { Key = "" } of objects) {
        const { Body: body, ContentType, Metadata } = await client.send(new GetObjectCommand({ Bucket, Key }));
        const bytes = (await body?.transformToByteArray()) ?? new Uint8Array();
        const digest = createHash("sha256").update(bytes).digest("hex");
        found.set(Key.slice(prefix.length), `${digest} ${ContentType} ${Metadata?.["place"]}`);
    }
    return found;
}
