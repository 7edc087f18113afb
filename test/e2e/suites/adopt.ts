import {
    CreateBucketCommand,
    GetObjectCommand,
    ListObjectVersionsCommand,
    PutBucketVersioningCommand,
    PutObjectCommand,
    S3Client,
} from "@aws-sdk/client-s3";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import type { ContainerShape, Place } from "../../unit/tools/adopt/containerShape";
import { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import { DockerHost } from "../harness/dockerHost";
import type { Store } from "../harness/stores";
import { waitUntil } from "../harness/wait";
import { removeFolder, StartedContainers } from "./adoptedContainers";

const BUCKET = "kept";
const MINUTE = 60_000;

/** Root keys of the stores. */
export const KEYS = { accessKeyId: "root-of-the-store", secretAccessKey: "a-secret-by-hand" };

type Config = { [key: string]: unknown };

export interface Adoption {
    /** The store that is taken over. */
    store: () => Store;
    /** The containers of a compose file or a command line, the first one with the store. */
    shapes: (place: Required<Place>) => ContainerShape[];
    /** Text of files of the host, by path. */
    files?: (root: string) => { [path: string]: string };
    /** How the store is named. Default: by --compose. */
    options?: (place: Required<Place>) => string;
    /** What it reads from its standard input. Then the store is stopped before, since only its drives are named. */
    input?: string;
    /** Config that comes out, beside profile and image. */
    expected: (place: Required<Place>) => Config;
    /** What it says. */
    said?: string[];
    /** Command lines that it refuses before, with the reason. */
    refused?: (place: Required<Place>) => [options: string, reason: RegExp][];
    /** Another store that gets the drives afterwards. Default: none. */
    next?: () => Store;
}

/**
 * A store that runs as people start one, taken over by the commands that `npm run adopt` prints, word for word, and given back by those for
 * the way back.
 */
export function adoptSuite(adoption: Adoption): void {
    const { store, options = ({ project }) => `--compose ${project}`, input, next } = adoption;
    const host = new DockerHost();
    const written = new Map<string, string>();
    let checkout: Checkout;
    let started: StartedContainers;
    let commands: { forth: string; back: string };
    let place: Required<Place>;
    let more: string;

    const file = () => join(checkout.path, `Pulumi.${checkout.stack}.yaml`);
    const adopt = (how: string) => `npm run adopt -- --stack ${checkout.stack} ${more} ${how}`;

    beforeAll(async () => {
        checkout = await Checkout.make();
        const { config } = parse(readFileSync(file(), "utf8")) as { config: { [key: string]: string } };
        rmSync(file());
        const own = ["profile", "image", "allowDrivesOnOneDevice"];
        more = Object.entries(config)
            .map(([key, value]) => [key.replace(/^.*:/, ""), value] as const)
            .filter(([key]) => !own.includes(key))
            .map(([key, value]) => `--config ${key}=${value}`)
            .join(" ");
        place = { project: checkout.clusterName, root: mkdtempSync(join(tmpdir(), "adopted-")) };
        started = new StartedContainers(host, place.project, store().config["image"] ?? "", adoption.shapes(place));
        await started.start(adoption.files?.(place.root) ?? {});
        await write(await byHand(), written);
    }, 4 * MINUTE);

    afterAll(async () => {
        await started.remove();
        await checkout.remove();
        removeFolder(place.root);
    }, 2 * MINUTE);

    const byHand = async () => clientAt(await started.url());
    const deployed = () => contentBy(s3ClientFor(checkout.outputs()));
    const containers = () => Promise.all(started.shapes.map(({ name }) => host.inspect(name)));
    const stop = () => Promise.all(started.shapes.map(({ name }) => host.docker.getContainer(name).stop()));

    for (const [index] of adoption.refused?.({ project: "", root: "" }).entries() ?? []) {
        test(
            `a command line that is refused leaves nothing behind (${index + 1})`,
            async () => {
                const before = await host.namesOf(place.project);
                const [how, reason] = adoption.refused?.(place)[index] ?? ["", /^$/];
                expect(checkout.shellFailing(adopt(how))).toMatch(reason);
                expect(existsSync(file())).toBe(false);
                expect(await host.namesOf(place.project)).toEqual(before);
            },
            MINUTE,
        );
    }

    test(
        "adopt writes a stack with its drives and its keys, and changes nothing",
        async () => {
            if (input !== undefined) {
                await stop();
            }
            const before = await containers();
            const output = checkout.shell(`printf '%s\\n' ${input ?? "''"} | ${adopt(options(place))}`);
            const [, forth = "", back = ""] =
                /\n\n((?: {4}.*\n)+)\nThe way back[^\n]*\n\n((?: {4}.*\n)+)/.exec(output) ?? [];
            commands = { forth, back };
            const { config } = parse(readFileSync(file(), "utf8")) as { config: Config };
            const { profile, image } = store().config;
            expect(config).toMatchObject(named({ profile, image, ...adoption.expected(place) }));
            adoption.said?.forEach((text) => expect(output).toContain(text));
            expect(output + readFileSync(file(), "utf8")).not.toMatch(/a-secret-by-hand|hidden/);
            const after = await containers();
            expect(after.map(stateOf)).toEqual(before.map(stateOf));
        },
        4 * MINUTE,
    );

    test(
        "the commands that it printed deploy the store with everything that was written",
        async () => {
            checkout.shell(commands.forth);
            expect(byOrder(await deployed())).toEqual(byOrder(written));
            expect(checkout.outputs()).toMatchObject({ accessKey: KEYS.accessKeyId, secretKey: KEYS.secretAccessKey });
        },
        8 * MINUTE,
    );

    test(
        "a second update changes nothing",
        () => {
            expect(checkout.shell("npm run pulumi -- up --yes --skip-preview")).toMatch(
                /Resources:\n +\d+ unchanged\n/,
            );
        },
        3 * MINUTE,
    );

    if (next !== undefined) {
        test(
            "another store gets the drives, and they go back",
            async () => {
                const migrate = (how: string, image = "") =>
                    checkout.shell(`npm run migrate -- ${how} --image ${image} --stack ${checkout.stack}`);
                migrate(`--to ${next().config["profile"]}`, next().config["image"]);
                expect(byOrder(await deployed())).toEqual(byOrder(written));
                migrate("--back", store().config["image"]);
                expect(byOrder(await deployed())).toEqual(byOrder(written));
            },
            10 * MINUTE,
        );
    }

    test(
        "the way back: the containers as they were have everything again",
        async () => {
            checkout.shell(commands.back);
            if (input !== undefined) {
                await Promise.all(started.shapes.map(({ name }) => host.docker.getContainer(name).start()));
            }
            await waitUntil("the store answers", async () =>
                contentBy(await byHand()).then(
                    () => true,
                    () => false,
                ),
            );
            expect(byOrder(await contentBy(await byHand()))).toEqual(byOrder(written));
            const restart = (await containers()).map(({ HostConfig: { RestartPolicy: policy } }) => policy?.Name ?? "");
            expect(restart.map((name) => name || "no")).toEqual(started.shapes.map((shape) => shape.restart));
        },
        3 * MINUTE,
    );
}

/** Config by the names that a stack's file has. */
function named(config: Config): Config {
    return Object.fromEntries(Object.entries(config).map(([key, value]) => [`object-store:${key}`, value]));
}

function stateOf({ State: state, HostConfig: host }: Awaited<ReturnType<DockerHost["inspect"]>>): unknown {
    return [state.StartedAt, state.Running, host.RestartPolicy];
}

/** Writes objects with several versions and sizes, and notes their digests. */
async function write(client: S3Client, written: Map<string, string>): Promise<void> {
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
}

/** Digest of every version of every object, by key and version. */
async function contentBy(client: S3Client): Promise<Map<string, string>> {
    const { Versions: versions = [] } = await client.send(new ListObjectVersionsCommand({ Bucket: BUCKET }));
    const found = new Map<string, string>();
    for (const { Key, VersionId } of versions) {
        const { Body: body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key, VersionId }));
        found.set(`${Key} ${VersionId}`, digestOf((await body?.transformToByteArray()) ?? new Uint8Array()));
    }
    client.destroy();
    return found;
}

function byOrder(content: Map<string, string>): [string, string][] {
    return [...content].sort(([one], [other]) => (one < other ? -1 : 1));
}

function clientAt(endpoint: string): S3Client {
    return new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials: KEYS });
}

function digestOf(content: Uint8Array): string {
    return createHash("sha256").update(content).digest("hex");
}
