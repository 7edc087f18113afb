import { GetObjectCommand, ListBucketsCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import type { DeploymentOutputs } from "../harness/deployment";
import { DockerHost } from "../harness/dockerHost";
import { commandBlocks, commandsOf } from "../harness/documentCommands";
import { SshServer } from "../harness/sshServer";
import type { Store } from "../harness/stores";
import { waitUntil } from "../harness/wait";
import { testedSocket } from "../harness/testRun";

/** More than one buffer of any pipe, and every byte value. */
const CONTENT = Buffer.from(
    Array.from({ length: 3 * 1024 * 1024 + 1 }, (_, index) => (index * 7 + (index >> 8)) % 256),
);

const digestOf = (content: Buffer) => createHash("sha256").update(content).digest("hex");

/** `npm run admin` in a checkout of its own, as a user runs it. */
export function adminSuite(store: () => Store): void {
    const host = new DockerHost();
    let checkout: Checkout;
    let outputs: DeploymentOutputs;

    beforeAll(async () => {
        checkout = await Checkout.make(store().config);
        checkout.up();
        outputs = checkout.outputs();
    }, 300_000);

    afterAll(() => checkout.remove(), 120_000);

    const admin = (args: string) => checkout.shell(`npm run --silent admin -- ${args}`);

    /** Names of the client's containers. */
    const clients = async () =>
        (await host.namesOf(checkout.clusterName)).filter((name) => name.startsWith(`${checkout.clusterName}-admin-`));

    /** Starts a client that waits for its standard input, and returns it once its container runs. */
    const waitingClient = async () => {
        const child = checkout.start("npm run --silent admin -- pipe store/waiting/key");
        let name = "";
        await waitUntil("the client runs", async () => {
            [name = ""] = await clients();
            return name !== "" && (await processesIn(name)).some((line) => line.includes("mc pipe"));
        });
        return { child, name };
    };
    const processesIn = async (name: string): Promise<string[]> => {
        try {
            const { Processes: rows } = (await host.docker.getContainer(name).top({ ps_args: "-eo pid,args" })) as {
                Processes: string[][];
            };
            return rows.map((cells) => cells.join(" "));
        } catch {
            return []; // Not started yet, or ended.
        }
    };

    test("data goes in by standard input and out by standard output, byte for byte", () => {
        expect(admin("mb store/waiting < /dev/null")).toContain("Bucket created successfully");
        writeFileSync(join(checkout.path, ".local", "content"), CONTENT);
        admin("pipe store/waiting/content < .local/content");
        admin("cat store/waiting/content > .local/copy < /dev/null");
        expect(digestOf(readFileSync(join(checkout.path, ".local", "copy")))).toBe(digestOf(CONTENT));
    }, 120_000);

    test("standard output, standard error and exit code are the client's", () => {
        const output = checkout.shell(
            "npm run --silent admin -- ls store/nothing 2> .local/errors < /dev/null; echo exit code $?",
        );
        expect(output).toBe("exit code 1\n");
        expect(readFileSync(join(checkout.path, ".local", "errors"), "utf8")).toMatch(/^mc: <ERROR> .*nothing.*\n$/);
        expect(checkout.shell(`npm run --silent admin -- --stack ${checkout.stack} ls store < /dev/null`)).toMatch(
            /^\[[^\]]+\] +0B waiting\/\n$/,
        );
    }, 120_000);

    test("what can't be run is refused with what to do", () => {
        expect(checkout.shellFailing("npm run --silent admin")).toContain("error: missing required argument 'args'");
        expect(checkout.shellFailing("npm run --silent admin -- --stack")).toContain(
            "error: option '--stack <name>' argument missing",
        );
        expect(checkout.shellFailing("npm run --silent admin -- --stack none ls store")).toMatch(
            /no stack named 'none'/,
        );
    }, 60_000);

    test("the root keys are in no argument, variable, log or description of a container", async () => {
        const { accessKey, secretKey } = outputs;
        const { child, name } = await waitingClient();
        const description = JSON.stringify(await host.inspect(name));
        const processes = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
        const seen = processes.flatMap((pid) => [textOf(`/proc/${pid}/cmdline`), environmentOf(pid, name)]);
        expect(seen.some((text) => text.includes("mc\0pipe"))).toBe(true);
        for (const text of [description, ...seen]) {
            expect(text.includes(secretKey) || text.includes(accessKey)).toBe(false);
        }
        await expect(host.docker.getContainer(name).logs({ stdout: true, stderr: true })).rejects.toThrow(
            /logging|log/,
        );
        expect((await host.inspect(name)).HostConfig.LogConfig?.Type).toBe("none");
        child.stdin.end("what it waited for");
        expect(await once(child, "close")).toEqual([0, null]);
        expect(admin("cat store/waiting/key < /dev/null")).toBe("what it waited for");
        await waitUntil("the client's containers are removed", async () => (await clients()).length === 0);
    }, 120_000);

    /** The environment of a process that belongs to the client's container, or to npm. */
    const environmentOf = (pid: string, name: string) => {
        const isOurs = /mc\0pipe|tools\/commands\/admin/.test(textOf(`/proc/${pid}/cmdline`));
        return isOurs || textOf(`/proc/${pid}/cgroup`).includes(name) ? textOf(`/proc/${pid}/environ`) : "";
    };

    test("the engine may be reached by ssh, in both directions", async () => {
        const socket = testedSocket();
        const server = await SshServer.start([socket]);
        const engine = { DOCKER_HOST: server.urlOf(socket), DOCKER_SSH_OPTS: `-F ${server.configuration}` };
        try {
            checkout.shell("npm run --silent admin -- pipe store/waiting/by-ssh < .local/content", engine);
            checkout.shell("npm run --silent admin -- cat store/waiting/by-ssh < /dev/null > .local/by-ssh", engine);
            expect(digestOf(readFileSync(join(checkout.path, ".local", "by-ssh")))).toBe(digestOf(CONTENT));
            const { accepted } = await server.connections();
            expect(accepted).toBeGreaterThan(0);
        } finally {
            await server.remove();
        }
    }, 120_000);

    test("an interrupted command leaves no container", async () => {
        const { child } = await waitingClient();
        child.kill("SIGTERM");
        await once(child, "close");
        await waitUntil("the client's container is removed", async () => (await clients()).length === 0);
    }, 120_000);

    test("the commands of docs/how-to/rotate-keys.md make a user for one bucket, and replace its keys", async () => {
        checkout.shell(commandsOf("Clients' own keys", "docs/how-to/rotate-keys.md"));
        const keysIn = (file: string) =>
            JSON.parse(readFileSync(join(checkout.path, file), "utf8")) as { accessKey: string; secretKey: string };
        const client = (file: string): S3Client => {
            const { accessKey, secretKey } = keysIn(file);
            return s3ClientFor(outputs, { accessKeyId: accessKey, secretAccessKey: secretKey });
        };
        const [former, next] = [client("app-1.json"), client("app-2.json")];
        const object = { Bucket: "app-data", Key: "key" };
        await next.send(new PutObjectCommand({ ...object, Body: "content" }));
        await expect(next.send(new PutObjectCommand({ ...object, Bucket: "waiting", Body: "x" }))).rejects.toThrow();
        await expect(former.send(new GetObjectCommand(object))).rejects.toThrow(
            /Access Key|does not exist|InvalidAccessKeyId/i,
        );
        const { Body: body } = await next.send(new GetObjectCommand(object));
        expect(await body?.transformToString()).toBe("content");
    }, 180_000);

    test("the commands of docs/how-to/buckets-and-keys.md for everyday administration work", async () => {
        admin("mb store/first-bucket < /dev/null");
        admin("pipe store/first-bucket/README.md < README.md");
        const [commands = ""] = commandBlocks("Administration", "docs/how-to/buckets-and-keys.md");
        const output = checkout.shell(`set -e; exec < /dev/null; ${commands}`);
        expect(output).toContain("first-bucket/");
        expect(output).toMatch(/USAGE:/);
        expect(readFileSync(join(checkout.path, "copy.md"))).toEqual(readFileSync(join(checkout.path, "README.md")));
        const root = s3ClientFor(outputs);
        const { Buckets: buckets = [] } = await root.send(new ListBucketsCommand({}));
        expect(buckets.map(({ Name: name }) => name).sort()).toEqual(["app-data", "first-bucket", "waiting"]);
    }, 180_000);
}

/** A file's content; empty if it can't be read, as for a process that has ended. */
function textOf(file: string): string {
    try {
        return readFileSync(file, "latin1");
    } catch {
        return "";
    }
}
