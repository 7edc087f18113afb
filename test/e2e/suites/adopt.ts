import {
    CreateBucketCommand,
    GetObjectCommand,
    ListObjectVersionsCommand,
    PutBucketVersioningCommand,
    PutObjectCommand,
    S3Client,
} from "@aws-sdk/client-s3";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import { DockerHost } from "../harness/dockerHost";
import type { Store } from "../harness/stores";
import { waitUntil } from "../harness/wait";

const KEYS = { accessKeyId: "root-of-the-store", secretAccessKey: "a-secret-by-hand" };
const BUCKET = "kept";
const DRIVES = [1, 2, 3, 4];
const MINUTE = 60_000;

/** How a store is started by hand, on one node with four drives. */
interface HandStarted {
    command: string[];
    environment: { [name: string]: string };
    /** User of the process. Default: root. */
    user?: string;
}

interface Adoption {
    /** The store that is taken over. */
    store: () => Store;
    started: HandStarted;
    /** What the drives are on. */
    drivesOn: "volumes" | "folders";
    /** Another store that gets the drives afterwards. Default: none. */
    next?: () => Store;
}

type Config = { [key: string]: unknown };

/** A store that was started by `docker run`, taken over with the commands that `npm run adopt` prints, and given back. */
export function adoptSuite({ store, started, drivesOn, next }: Adoption): void {
    const host = new DockerHost();
    const written = new Map<string, string>();
    let checkout: Checkout;
    let commands: { forth: string; back: string };
    let defaults: Config;
    let folder: string;

    const file = () => join(checkout.path, `Pulumi.${checkout.stack}.yaml`);
    const config = () => (parse(readFileSync(file(), "utf8")) as { config: Config }).config;
    const container = () => `${checkout.clusterName}-by-hand`;
    const place = (drive: number) =>
        drivesOn === "volumes" ? `${checkout.clusterName}-data-${drive}` : join(folder, String(drive));

    /** A client of the store that was started by hand. */
    const byHand = async () => {
        const { NetworkSettings: settings } = await host.inspect(container());
        const port = settings.Ports["9000/tcp"]?.[0]?.HostPort ?? "";
        return clientAt(`http://127.0.0.1:${port}`);
    };

    const startByHand = async () => {
        const created = await host.docker.createContainer({
            name: container(),
            Image: store().config["image"],
            Cmd: started.command,
            Env: Object.entries(started.environment).map(([name, value]) => `${name}=${value}`),
            ...(started.user === undefined ? {} : { User: started.user }),
            ExposedPorts: { "9000/tcp": {} },
            HostConfig: {
                Binds: DRIVES.map((drive) => `${place(drive)}:/data${drive}`),
                PortBindings: { "9000/tcp": [{ HostIp: "127.0.0.1", HostPort: "0" }] },
                RestartPolicy: { Name: "always" },
            },
        });
        await created.start();
    };

    beforeAll(async () => {
        checkout = await Checkout.make();
        defaults = config();
        rmSync(file());
        folder = mkdtempSync(join(tmpdir(), "adopted-"));
        DRIVES.forEach((drive) => mkdirSync(join(folder, String(drive))));
        await startByHand();
        const client = await byHand();
        await waitUntil("the store answers", () =>
            client.send(new CreateBucketCommand({ Bucket: BUCKET })).then(
                () => true,
                () => false,
            ),
        );
        await client.send(
            new PutBucketVersioningCommand({ Bucket: BUCKET, VersioningConfiguration: { Status: "Enabled" } }),
        );
        for (const [key, size] of [
            ["small", 1],
            ["small", 2000],
            ["large", 3 * 1024 * 1024],
        ] as const) {
            const body = randomBytes(size);
            const { VersionId: version = "" } = await client.send(
                new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: body }),
            );
            written.set(`${key} ${version}`, digestOf(body));
        }
        client.destroy();
    }, 3 * MINUTE);

    afterAll(async () => {
        await host.docker.getContainer(container()).remove({ force: true });
        await checkout.remove();
        rmSync(folder, { recursive: true });
    }, 2 * MINUTE);

    /** Every version of every object, by key and version. */
    const contentBy = async (client: S3Client) => {
        const { Versions: versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: BUCKET }));
        const found = new Map<string, string>();
        for (const { Key, VersionId } of versions) {
            const { Body: body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key, VersionId }));
            found.set(`${Key} ${VersionId}`, digestOf((await body?.transformToByteArray()) ?? new Uint8Array()));
        }
        client.destroy();
        return found;
    };

    const byOrder = (content: Map<string, string>) => [...content].sort(([one], [other]) => (one < other ? -1 : 1));
    const deployed = () => contentBy(s3ClientFor(checkout.outputs()));

    test(
        "adopt writes a stack with its drives and its keys, and changes nothing",
        async () => {
            const before = await host.inspect(container());
            const output = checkout.shell(`npm run adopt -- --container ${container()} --stack ${checkout.stack}`);
            const [, forth = "", back = ""] =
                /\n\n((?: {4}docker.*\n)+ {4}npm.*\n)[^]*\n\n((?: {4}.*\n)+)/.exec(output) ?? [];
            commands = { forth, back };
            expect(config()).toMatchObject({
                "object-store:profile": store().config["profile"],
                "object-store:image": store().config["image"],
                "object-store:nodeCount": 1,
                "object-store:drivesPerNode": 4,
                [`object-store:${drivesOn === "volumes" ? "volumeNames" : "drivePaths"}`]: [DRIVES.map(place)],
            });
            expect(output + readFileSync(file(), "utf8")).not.toContain(KEYS.secretAccessKey);
            const after = await host.inspect(container());
            expect([after.State.StartedAt, after.HostConfig.RestartPolicy]).toEqual([
                before.State.StartedAt,
                before.HostConfig.RestartPolicy,
            ]);
        },
        2 * MINUTE,
    );

    test("another attempt finds the stack's file", () => {
        expect(
            checkout.shellFailing(`npm run adopt -- --container ${container()} --stack ${checkout.stack}`),
        ).toContain("is there already");
    });

    test(
        "while it runs, the stack isn't deployed",
        () => {
            const whole = parse(readFileSync(file(), "utf8")) as object;
            writeFileSync(file(), stringify({ ...whole, config: { ...defaults, ...config() } }));
            expect(checkout.shellFailing(`npm run up -- --stack ${checkout.stack}`)).toContain(
                `is in use by ${container()}: stop that first`,
            );
        },
        2 * MINUTE,
    );

    test(
        "its commands deploy the store with everything that was written",
        async () => {
            checkout.shell(`set -e\n${commands.forth}`);
            expect(byOrder(await deployed())).toEqual(byOrder(written));
            expect(checkout.outputs()).toMatchObject({ accessKey: KEYS.accessKeyId, secretKey: KEYS.secretAccessKey });
        },
        5 * MINUTE,
    );

    test(
        "a second update changes nothing",
        () => {
            expect(checkout.shell("npm run pulumi -- up --yes --skip-preview")).toMatch(
                /Resources:\n +\d+ unchanged\n/,
            );
        },
        2 * MINUTE,
    );

    if (next !== undefined) {
        test(
            "another store gets the drives, and they go back",
            async () => {
                const { profile = "", image = "" } = next().config;
                const set = (key: string, value: string) =>
                    checkout.shell(`npm run pulumi -- config set ${key} "${value}" --stack ${checkout.stack}`);
                set("profile", profile);
                set("image", image);
                set("--path 'allowedChanges[0]'", "profileChange");
                checkout.up();
                expect(byOrder(await deployed())).toEqual(byOrder(written));
                set("profile", store().config["profile"] ?? "");
                set("image", store().config["image"] ?? "");
                checkout.up();
                expect(byOrder(await deployed())).toEqual(byOrder(written));
            },
            10 * MINUTE,
        );
    }

    test(
        "the way back: the container that was started by hand has everything again",
        async () => {
            checkout.shell(`set -e\n${commands.back}`);
            const client = await byHand();
            await waitUntil("the store answers", () =>
                contentBy(client).then(
                    () => true,
                    () => false,
                ),
            );
            expect(byOrder(await contentBy(await byHand()))).toEqual(byOrder(written));
        },
        3 * MINUTE,
    );
}

function clientAt(endpoint: string): S3Client {
    return new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials: KEYS });
}

function digestOf(content: Uint8Array): string {
    return createHash("sha256").update(content).digest("hex");
}
