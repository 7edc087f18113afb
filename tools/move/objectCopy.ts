import Docker from "dockerode";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { rootCertificates } from "node:tls";
import { script } from "../../components/engine/script";
import { BUILT_IMAGES, buildImage, hasImage, pullImage, RCLONE_IMAGE } from "../images/images";
import { progress, StepError } from "../machine/step";
import type { MovedStack } from "./movedStack";

/** The two stores of a copy, and where the second one's front ends are. */
export interface CopyPlace {
    /** The store whose node network the copy runs on. */
    near: MovedStack;
    /** The store that is reached through its front ends. */
    far: MovedStack;
    /** IPv4 addresses of those front ends. */
    addresses: string[];
    image: string;
}

/** What rclone does. */
export interface CopyTask {
    /** Whether objects are copied from the far store to the near one. Default: false. */
    back?: boolean;
    /** Copies, or compares byte by byte. */
    action: "copy" | "compare";
    /** Objects that have changed since then, RFC 3339, are copied in any case. Default: none. */
    since?: string;
    /** The objects to compare, as `bucket/key`. */
    objects?: string[];
}

/** Name of the label of the copying container. */
const LABEL = "docker-object-store.copy";

/** The image of rclone: the official one if a registry has it; otherwise one that is built from packages. */
export async function rcloneImage(docker: Docker): Promise<string> {
    const { rclone } = BUILT_IMAGES;
    if ((await hasImage(docker, rclone.reference)) || !(await pullImage(docker, RCLONE_IMAGE))) {
        await buildImage(docker, rclone);
        return rclone.reference;
    }
    return RCLONE_IMAGE;
}

/** An rclone that is ready to begin. */
export interface ReadyRclone {
    /** Lets it begin, and waits for its end. @throws {StepError} with its last lines, if it fails. */
    run: () => Promise<void>;
    /** Ends it. */
    remove: () => Promise<void>;
}

/** Runs rclone until it ends. @throws {StepError} with its last lines, if it fails. */
export async function runRclone(place: CopyPlace, task: CopyTask): Promise<void> {
    const rclone = await readyRclone(place, task);
    try {
        await rclone.run();
    } finally {
        await rclone.remove();
    }
}

/**
 * Starts a container with rclone beside a node of the near store. It gets the root keys on standard input, and keeps them in
 * memory.
 */
export async function readyRclone(place: CopyPlace, task: CopyTask): Promise<ReadyRclone> {
    const { near, far } = place;
    const { docker, network } = near.node;
    const name = `${near.clusterName}-copy`;
    // Left by a command that was killed.
    await docker
        .getContainer(name)
        .remove({ force: true })
        .catch(() => undefined);
    const input = [
        rcloneConfiguration(place, task.back === true),
        far.caCertificate === "" ? rootCertificates.join("\n") : far.caCertificate,
        (task.objects ?? []).map((object) => `${object}\n`).join(""),
    ].map((text) => Buffer.from(text));
    const lengths = input.map(({ length }) => String(length));
    const container = await docker.createContainer({
        name,
        Image: place.image,
        Entrypoint: ["/bin/sh", "-c"],
        Cmd: [script(__dirname, "copyObjects.sh"), "sh", task.action, ...lengths, task.since ?? ""],
        User: "65534:65534",
        OpenStdin: true,
        StdinOnce: true,
        AttachStdin: true,
        Labels: { [LABEL]: near.clusterName },
        HostConfig: {
            NetworkMode: "bridge",
            ExtraHosts: place.addresses.map((address) => `${far.s3Host}:${address}`),
            ReadonlyRootfs: true,
            Tmpfs: { "/tmp": "mode=1777" },
            CapDrop: ["ALL"],
            SecurityOpt: ["no-new-privileges"],
            Init: true,
            LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "1" } },
        },
    });
    const interrupted = () => void remove();
    const remove = async () => {
        process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
        await container.remove({ force: true }).catch(() => undefined);
    };
    process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
    try {
        await docker.getNetwork(network).connect({ Container: container.id });
        const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
        const output = new PassThrough();
        docker.modem.demuxStream(stream, output, output);
        const log = new RcloneLog();
        createInterface(output).on("line", (line) => {
            log.add(line);
            progress(line);
        });
        await container.start();
        stream.write(Buffer.concat(input));
        const run = async () => {
            stream.write("\n");
            const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
            if (code !== 0 && !log.isOnlyOfDeleted) {
                throw new StepError(`rclone ended with ${code}:\n${log.text}`);
            }
        };
        return { run, remove };
    } catch (error) {
        await remove();
        throw error;
    }
}

/** Number of lines that a message shows. */
const SHOWN_LINES = 20;

/** What rclone says while it runs. */
export class RcloneLog {
    private readonly lines: string[] = [];
    private deleted = 0;
    private failed = 0;

    add(line: string): void {
        if (/ ERROR : .*: Failed to copy: failed to open source object: object not found$/.test(line)) {
            this.deleted++;
        } else if (/ ERROR : (?!Attempt \d+\/\d+ )/.test(line)) {
            this.failed++;
        } else if (!/ NOTICE: | ERROR : Attempt /.test(line)) {
            return;
        }
        this.lines.push(line);
        this.lines.splice(0, this.lines.length - SHOWN_LINES);
    }

    /** Whether all failures are of objects that clients have deleted since they were listed. */
    get isOnlyOfDeleted(): boolean {
        return this.deleted > 0 && this.failed === 0;
    }

    get text(): string {
        return this.lines.join("\n");
    }
}

/** rclone's configuration: both stores as remotes. */
export function rcloneConfiguration({ near, far }: Pick<CopyPlace, "near" | "far">, back: boolean): string {
    const remotes: [MovedStack, string][] = [
        [near, `http://${near.node.address}:9000`],
        [far, `https://${far.s3Host}:${far.httpsPort}`],
    ];
    const names = back ? ["to", "from"] : ["from", "to"];
    return remotes
        .flatMap(([{ keys }, endpoint], place) => [
            `[${names[place]}]`,
            "type = s3",
            "provider = Other",
            `access_key_id = ${keys.accessKey}`,
            `secret_access_key = ${keys.secretKey}`,
            `endpoint = ${endpoint}`,
            "region = us-east-1",
            "force_path_style = true",
            // Keys stay as they are.
            "encoding = Raw",
            // The buckets exist, with their settings.
            "no_check_bucket = true",
            "",
        ])
        .join("\n");
}
