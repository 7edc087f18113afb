import Docker from "dockerode";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { rootCertificates } from "node:tls";
import { poll, systemClock, type Clock } from "../../components/docker/poll";
import { script } from "../../components/docker/script";
import { BUILT_IMAGES, RCLONE_IMAGE } from "../images/builtImages";
import { buildImage, hasImage, pullImage } from "../images/engineImages";
import { progress, StepError } from "../cli/step";
import type { MovedStack } from "./movedStack";
import { RcloneLog } from "./rcloneLog";

/** The two stores of a copy, and where the second one's proxies are. */
export interface CopyPlace {
    /** The store whose node network the copy runs on. */
    near: MovedStack;
    /** The store that is reached through its proxies. */
    far: MovedStack;
    /** IPv4 addresses of those proxies. */
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
    /** Whether no client changes the first store meanwhile: then a missing object is a failure. Default: false. */
    isQuiet?: boolean;
    /** The objects to compare, as `bucket/key`. */
    objects?: string[];
}

/** Name of the label of the copying container. */
const LABEL = "docker-object-store.copy";

/** The image of rclone: the official one if a registry has it; otherwise one that is built from packages. */
export async function rcloneImage(docker: Docker): Promise<string> {
    const { rclone } = BUILT_IMAGES;
    if ((await hasImage(docker, rclone.reference)) || !(await pullImage(docker, RCLONE_IMAGE))) {
        return buildImage(docker, rclone);
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
 * Starts a container with rclone beside a node of the near store. It gets the root keys on standard input, keeps them in
 * memory, and ends with this program.
 *
 * @throws {StepError} if another one runs for this store.
 */
export async function readyRclone(place: CopyPlace, task: CopyTask): Promise<ReadyRclone> {
    const { near, far } = place;
    const { docker, network } = near.node;
    const name = `${near.clusterName}-copy`;
    await removeEnded(docker, name, systemClock);
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
        // The engine closes it when this program ends, however it ends, and then the script ends.
        StdinOnce: true,
        AttachStdin: true,
        Labels: { [LABEL]: near.clusterName },
        HostConfig: {
            NetworkMode: "bridge",
            ExtraHosts: place.addresses.map((address) => `${far.s3Host}:${address}`),
            AutoRemove: true,
            ReadonlyRootfs: true,
            Tmpfs: { "/tmp": "mode=1777" },
            CapDrop: ["ALL"],
            SecurityOpt: ["no-new-privileges"],
            Init: true,
            LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "1" } },
        },
    });
    const remove = async () => {
        await container.remove({ force: true }).catch(() => undefined);
    };
    try {
        await docker.getNetwork(network).connect({ Container: container.id });
        const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
        const output = new PassThrough();
        docker.modem.demuxStream(stream, output, output);
        // A stream that breaks off ends too: then the container's own code decides.
        ["end", "close", "error"].forEach((event) => stream.on(event, () => output.end()));
        const log = new RcloneLog();
        const lines = createInterface(output).on("line", (line) => {
            log.add(line);
            progress(line);
        });
        const read = once(lines, "close");
        await container.start();
        const ended = container.wait() as Promise<{ StatusCode: number }>;
        ended.catch(() => undefined);
        stream.write(Buffer.concat(input));
        const run = async () => {
            stream.write("\n");
            const { StatusCode: code } = await ended;
            await read;
            if (code !== 0 && (task.isQuiet === true || !log.explains(code))) {
                throw new StepError(`rclone ended with ${code}:\n${log.text}`);
            }
        };
        return { run, remove };
    } catch (error) {
        await remove();
        throw error;
    }
}

/** Seconds for a container to end whose program was ended. */
const END_SECONDS = 30;

/** Removes the container of an earlier copy, once it has ended. @throws {StepError} if it still runs. */
export async function removeEnded(docker: Pick<Docker, "getContainer">, name: string, clock: Clock): Promise<void> {
    const container = docker.getContainer(name);
    const isGone = async () => {
        try {
            const { State: state } = await container.inspect();
            if (!state.Running) {
                await container.remove();
            }
            return undefined;
        } catch (error) {
            const { statusCode } = error as { statusCode?: number };
            // The engine is removing it already, or it has just begun to run.
            if (statusCode === 409) {
                return undefined;
            }
            if (statusCode !== 404) {
                throw error;
            }
            return true;
        }
    };
    if ((await poll(isGone, { clock, timeout: END_SECONDS })) === undefined) {
        throw new StepError(
            `the container ${name} still copies, perhaps for a command on another machine: wait for its end, or end it ` +
                `with docker stop ${name}. Then run this command again`,
        );
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
        .flatMap(([{ keys }, endpoint], index) => [
            `[${names[index]}]`,
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
