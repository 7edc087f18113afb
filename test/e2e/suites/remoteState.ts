import {
    GetObjectCommand,
    ListBucketsCommand,
    ListObjectsV2Command,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { BUILT_IMAGES } from "../../../tools/images/builtImages";
import { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import type { DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { commandBlocks } from "../harness/documentCommands";
import { addConfigLines, configLinesOf } from "../harness/documentConfig";
import { freeClusterName } from "../harness/freeResources";
import { InterruptEngineDoor } from "../harness/interruptEngineDoor";
import { killAll, processOf, processTree } from "../harness/interruptProcessTree";
import { stackDefaults } from "../harness/stackDefaults";
import type { Store } from "../harness/stores";
import { waitUntil } from "../harness/wait";

const DOCUMENT = "docs/how-to/teams-and-state.md";
const HEADING = "State in a bucket";

/** A running `npm run up` that waits at the engine's door. */
interface PausedUpdate {
    pid: number;
    /** Its exit code. */
    ended: Promise<number | null>;
    goOn: () => void;
}

/** Two stacks of one checkout, by the commands of docs/how-to/teams-and-state.md: the second has its state in the store of the first. */
export function remoteStateSuite(store: () => Store): void {
    const host = new DockerHost();
    let checkout: Checkout;
    let door: InterruptEngineDoor;
    let [state, prod] = ["", ""];
    let variables: { [name: string]: string };
    let bucket: S3Client;

    const node = () => `${prod}-pool1-node1`;
    /** A block of the document's commands, for the names here. */
    const commands = (index: number): string =>
        (commandBlocks(HEADING, DOCUMENT)[index] ?? "")
            .replaceAll("--stack state", `--stack ${state}`)
            .replaceAll("--stack prod", `--stack ${prod}`)
            .replace("state-ca.pem", `${state}-ca.pem`)
            .replace("https://s3.example.com", `https://localhost:${httpsPortOf(checkout, state)}`);
    const shell = (command: string) => checkout.shell(command, variables);
    const up = () => shell(`npm run up -- --stack ${prod}`);
    const upFailing = () => checkout.shellFailing(`npm run up -- --stack ${prod}`, variables);
    const keys = async () => {
        const { Contents: objects = [] } = await bucket.send(new ListObjectsV2Command({ Bucket: "pulumi-state" }));
        return objects.map(({ Key: key = "" }) => key);
    };
    const locks = async () => (await keys()).filter((key) => key.startsWith(`.pulumi/locks/`));
    const textOf = async (key: string) => {
        const { Body: body } = await bucket.send(new GetObjectCommand({ Bucket: "pulumi-state", Key: key }));
        return (await body?.transformToString()) ?? "";
    };
    const stateKey = () => `.pulumi/stacks/object-store/${prod}.json`;
    const pending = async () =>
        (JSON.parse(await textOf(stateKey())) as Checkpoint).checkpoint.latest.pending_operations ?? [];

    /** Starts an update with another memory limit, and pauses it before the engine starts the new node. */
    const pausedUpdate = async (memory: number): Promise<PausedUpdate> => {
        shell(`npm run pulumi -- config set memory ${memory} --stack ${prod}`);
        let goOn: () => void = () => undefined;
        let isReached = false;
        door.gate = async (moment) => {
            if (moment === `before start container ${node()}`) {
                door.gate = () => false;
                isReached = true;
                await new Promise<void>((release) => (goOn = release));
            }
            return false;
        };
        const child = checkout.start(`npm run up -- --stack ${prod}`, { ...variables, DOCKER_HOST: door.host });
        child.stdout.resume();
        child.stderr.resume();
        const ended = once(child, "exit").then(([code]) => code as number | null);
        await waitUntil("the update starts the node", () => Promise.resolve(isReached));
        return { pid: child.pid ?? 0, ended, goOn: () => goOn() };
    };
    /** Kills the CLI of a paused update, while its providers continue. Returns what ends these. */
    const killed = async ({ pid, ended, goOn }: PausedUpdate): Promise<() => void> => {
        const pulumi = processOf(pid, "pulumi");
        const providers = processTree(pulumi).filter((other) => other !== pulumi);
        killAll([pulumi]);
        expect(await ended).not.toBe(0);
        return () => {
            killAll(providers);
            goOn();
        };
    };
    const memoryOf = async (name: string) => {
        const { State: running, HostConfig: limits } = await host.inspect(name);
        return { health: running.Health?.Status, mebibytes: (limits.Memory ?? 0) / 1024 / 1024 };
    };

    const containers = async () =>
        (await host.docker.listContainers({ all: true }))
            .map(({ Names: [name = ""] }) => name.slice(1))
            .filter((name) => name.startsWith(`${prod}-`));

    beforeAll(async () => {
        checkout = await Checkout.make({
            ...store().config,
            s3Host: "localhost",
            clientImage: BUILT_IMAGES.mc.reference,
        });
        [state, prod] = [checkout.stack, await freeClusterName()];
        addConfigLines(join(checkout.path, `Pulumi.${state}.yaml`), configLinesOf(HEADING, DOCUMENT));
        checkout.writeStackFile(prod, { ...(await stackDefaults(prod)), ...store().config });
        door = await InterruptEngineDoor.open(dirname(checkout.path));
        variables = exportedBy(checkout, commands(0));
        const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = variables;
        bucket = s3ClientFor(checkout.outputs(), { accessKeyId, secretAccessKey });
    }, 400_000);

    afterAll(async () => {
        door.close();
        await host.removeEverythingOf(prod);
        await checkout.remove();
    }, 120_000);

    test("the document's commands deploy a second stack, with an access key that reaches the state's bucket alone", async () => {
        expect(shell(commands(1))).toMatch(/^Healthy$/m);
        expect(await keys()).toContain(stateKey());
        expect(existsSync(join(checkout.path, `.local/state/${stateKey()}`))).toBe(false);
        expect(variables["AWS_ACCESS_KEY_ID"]).toMatch(/^pulumi-/);
        const { Buckets: buckets = [] } = await bucket.send(new ListBucketsCommand({}));
        expect(buckets.map(({ Name: name }) => name)).toEqual(["pulumi-state"]);
        const { secretKey } = JSON.parse(
            shell(`npm run --silent pulumi -- stack output --stack ${prod} --json --show-secrets`),
        ) as DeploymentOutputs;
        expect(await textOf(stateKey())).not.toContain(secretKey);
    }, 300_000);

    test("a second update changes nothing, nor does one from a machine that has only the stack file and the variables", () => {
        expect(up()).toMatch(/Resources:\n +\d+ unchanged\n\n/);
        const workspaces = join(checkout.path, ".local/workspace");
        const [ofBucket = "", ...others] = readdirSync(workspaces).filter((name) => name.startsWith("s3-"));
        expect(others).toEqual([]);
        rmSync(join(workspaces, ofBucket), { recursive: true });
        expect(up()).toMatch(/Resources:\n +\d+ unchanged\n\n/);
    }, 200_000);

    test("pulumi login does what the variable does", () => {
        const { PULUMI_BACKEND_URL: backend = "", ...others } = variables;
        const output = checkout.shell(
            `npx pulumi login '${backend}' && npm run status -- --stack ${prod}; npx pulumi logout`,
            others,
        );
        expect(output).toMatch(/^Healthy$/m);
    }, 120_000);

    test("while an update is under way, another one is refused, and the first one ends well", async () => {
        const update = await pausedUpdate(512);
        const pulumi = processOf(update.pid, "pulumi");
        const output = upFailing();
        expect(output).toContain("an update of this stack is under way");
        expect(output).toContain(`process ${pulumi} of `);
        expect(await locks()).toHaveLength(1);
        update.goOn();
        expect(await update.ended).toBe(0);
        expect(await memoryOf(node())).toEqual({ health: "healthy", mebibytes: 512 });
        expect(await locks()).toEqual([]);
    }, 300_000);

    test("after the CLI was killed, npm run up goes on: it settles what was left, and clears the lock", async () => {
        const end = await killed(await pausedUpdate(544));
        expect(await locks()).toHaveLength(1);
        expect(await pending()).not.toEqual([]);
        const output = up();
        end();
        expect(output).toMatch(
            new RegExp(`removed what an interrupted update left half-way .*\\n +container ${node()}\\n`),
        );
        expect(output).toMatch(/cleared the lock of .*: its process \d+ is gone/);
        expect(await memoryOf(node())).toEqual({ health: "healthy", mebibytes: 544 });
        expect([await locks(), await pending()]).toEqual([[], []]);
        expect(shell(`npm run status -- --stack ${prod}`)).toMatch(/^Healthy$/m);
    }, 300_000);

    test("the lock of another machine is kept; pulumi cancel removes it, and the next update settles what was left", async () => {
        const end = await killed(await pausedUpdate(576));
        const [lock = ""] = await locks();
        const content = { ...(JSON.parse(await textOf(lock)) as object), hostname: "elsewhere" };
        await bucket.send(new PutObjectCommand({ Bucket: "pulumi-state", Key: lock, Body: JSON.stringify(content) }));
        const output = upFailing();
        expect(output).toMatch(/ on elsewhere, since \S+: see there whether it runs, and only where it doesn't: /);
        expect(output).toContain(`npm run pulumi -- cancel --stack ${prod}`);
        expect(await locks()).toEqual([lock]);
        const after = shell(commands(2));
        end();
        expect(after).toContain("removed what an interrupted update left half-way");
        expect(await memoryOf(node())).toEqual({ health: "healthy", mebibytes: 576 });
        expect([await locks(), await pending()]).toEqual([[], []]);
    }, 300_000);

    test("a stack is refused whose state would be in its own store", () => {
        const output = checkout.shellFailing(`npm run up -- --stack ${state}`, variables);
        expect(output).toContain("this stack's state is in a bucket of its own store");
    }, 60_000);

    test("npm run down keeps the data and its credentials, and npm run up brings the store back", async () => {
        const key = () => shell(`npm run --silent pulumi -- stack output accessKey --show-secrets --stack ${prod}`);
        const before = key();
        shell(`npm run down -- --stack ${prod}`);
        expect(await containers()).toEqual([]);
        up();
        expect(key()).toBe(before);
    }, 300_000);

    test("npm run down with the data removes everything, and the store of the state goes on", async () => {
        shell(`npm run down -- --stack ${prod} --delete-data --yes`);
        expect(await host.namesOf(prod)).toEqual([]);
        const { checkpoint } = JSON.parse(await textOf(stateKey())) as Checkpoint;
        expect(checkpoint.latest.resources ?? []).toEqual([]);
        expect(await locks()).toEqual([]);
        expect(checkout.shell(`npm run status -- --stack ${state}`)).toMatch(/^Healthy$/m);
    }, 300_000);
}

/** A state in Pulumi's format, as far as it is used here. */
interface Checkpoint {
    checkpoint: { latest: { resources?: unknown[]; pending_operations?: unknown[] } };
}

/** The variables that commands export. */
function exportedBy(checkout: Checkout, commands: string): { [name: string]: string } {
    const [, text = ""] = checkout.shell(`set -e\n${commands}\nprintf 'VARIABLES'; env --null`).split("VARIABLES");
    const all = text.split("\0").map((line) => /^(\w+)=([^]*)$/.exec(line) ?? []);
    return Object.fromEntries(
        all.flatMap(([, name = "", value = ""]) =>
            /^(AWS|PULUMI)_/.test(name) && name !== "PULUMI_HOME" ? [[name, value]] : [],
        ),
    );
}

/** The HTTPS port in a stack's file. */
function httpsPortOf(checkout: Checkout, stack: string): string {
    const text = readFileSync(join(checkout.path, `Pulumi.${stack}.yaml`), "utf8");
    return (parse(text) as { config: { [key: string]: string } }).config["object-store:httpsPort"] ?? "";
}
