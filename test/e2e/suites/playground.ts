import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import type { DeploymentOutputs } from "../harness/deployment";
import { commandsOf } from "../harness/examples";
import { exerciseStore } from "../harness/traffic";

const MINUTE = 60_000;

/** The SDK's own default. */
const SDK_ATTEMPTS = 3;

/** The commands of docs/start/several-hosts.md, in their order. */
const [soonest = "", minio = "", fault = "", removal = ""] = commandsOf(
    "../docs/start/several-hosts.md",
    "Try it on one machine",
);

/** Its own playground is in a folder of this name, with digits of its checkout. */
const FOLDER = "object-store-playground-";

/** The commands in docs/start/several-hosts.md, word for word, in a checkout of its own. */
export function playgroundSuite(store: "rustfs" | "minio"): void {
    // Where no registry answers, the first command takes MinIO.
    const rustfs = `${soonest.trim()} --store rustfs`;
    const [makeIt, startAgain] = [store === "rustfs" ? rustfs : minio, fault.trim().split("\n").at(-1) ?? ""];
    let checkout: Checkout;
    let folder: string;
    let summary: string;
    let outputs: DeploymentOutputs;

    const foldersOf = () => readdirSync("/var/lib").filter((name) => name.startsWith(FOLDER));
    const before = foldersOf();

    beforeAll(async () => {
        checkout = await Checkout.make();
    }, MINUTE);

    afterAll(async () => {
        checkout.shell(removal);
        await checkout.remove();
    }, 2 * MINUTE);

    test(
        "make it: hosts, a store over them, and a summary like that of npm run up",
        () => {
            const output = checkout.shell(makeIt);
            [folder = ""] = foldersOf().filter((name) => !before.includes(name));
            summary = output.slice(output.indexOf("S3 API:"));
            expect(summary).toMatch(/S3 API: {2}https:\/\/s3\.localhost:\d+/);
            expect(summary).toContain("It runs over 3 virtual hosts");
        },
        8 * MINUTE,
    );

    test(
        "the store is reached at this machine's loopback address",
        async () => {
            const [, command = ""] = /Try it, by making a bucket:\n([^]*?)\n\n/.exec(summary) ?? [];
            expect(checkout.shell(command).trim()).toBe("status 200");
            outputs = checkout.outputs();
            await exerciseStore(outputs);
        },
        2 * MINUTE,
    );

    test(
        "a host is killed, the store goes on, and the host comes back with its data",
        async () => {
            const [kill = "", status = ""] = fault.split("\n");
            checkout.shell(kill);
            expect(checkout.shellFailing(status)).toMatch(/^c .*doesn't answer$/m);
            const object = { Bucket: "playground", Key: "while-a-host-is-away" };
            const client = s3ClientFor(outputs, undefined, SDK_ATTEMPTS);
            await client.send(new CreateBucketCommand({ Bucket: object.Bucket }));
            await client.send(new PutObjectCommand({ ...object, Body: "written" }));
            const output = checkout.shell(startAgain);
            expect(output).toMatch(/^Healthy$/m);
            // Nothing was created or replaced: the host's containers have started by themselves.
            expect(output).toMatch(/Resources:\n +\d+ unchanged\n/);
            const { Body: body } = await client.send(new GetObjectCommand(object));
            expect(await body?.transformToString()).toBe("written");
            client.destroy();
        },
        6 * MINUTE,
    );

    test("another number of hosts is refused, and changes nothing", () => {
        expect(checkout.shellFailing("npm run playground -- --hosts 4")).toContain(
            "--hosts 4: the playground has 3 hosts, and a store's hosts can't be changed",
        );
    });

    test(
        "remove it: nothing is left of it",
        () => {
            const id = folder.slice(FOLDER.length);
            expect(id).toMatch(/^[0-9a-f]{6}$/);
            expect(tracesOf(id)).not.toEqual([]);
            checkout.shell(removal);
            expect(tracesOf(id)).toEqual([]);
            expect(existsSync(join(checkout.path, "Pulumi.playground.yaml"))).toBe(false);
            const files = readdirSync(join(checkout.path, ".local"), { recursive: true, encoding: "utf8" });
            expect(files.filter((file) => file.includes("playground"))).toEqual([]);
            expect(checkout.shell("npm run --silent pulumi -- stack ls")).not.toContain("playground");
        },
        2 * MINUTE,
    );

    test("removing it can be repeated", () => {
        checkout.shell(removal);
    });
}

/** What this machine has of a playground: namespaces, its folder, control groups, and processes. */
function tracesOf(id: string): string[] {
    const namespaces = execFileSync("ip", ["netns", "list"], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.includes(id));
    const groups = execFileSync("find", ["/sys/fs/cgroup", "-type", "d", "-name", `*${id}*`], { encoding: "utf8" });
    const processes = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => commandOf(pid).includes(id));
    const folder = `/var/lib/${FOLDER}${id}`;
    return [...namespaces, ...groups.trim().split("\n"), ...processes, ...(existsSync(folder) ? [folder] : [])].filter(
        (trace) => trace !== "",
    );
}

/** Its command line; empty if it has ended meanwhile. */
function commandOf(pid: string): string {
    try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
        return "";
    }
}
