import { randomBytes } from "node:crypto";
import { LABELS } from "../naming/labels";
import { textOfFrames } from "./dockerStreams";
import type { CommandResult } from "./model";
import { systemClock } from "./poll";

/** Options that a helper is created with, in the format of Docker's API. */
export interface HelperOptions {
    Image?: string;
    Entrypoint?: string | string[];
    Cmd?: string[];
    Env?: string[];
    User?: string;
    OpenStdin?: boolean;
    Healthcheck?: object;
    HostConfig?: object;
}

/** Options of a container that only changes files, as root with no more than the rights for that. */
export const CHANGES_FILES = {
    User: "0:0",
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
        NetworkMode: "none",
        ReadonlyRootfs: true,
        CapDrop: ["ALL"],
        CapAdd: ["CHOWN", "DAC_OVERRIDE", "FOWNER"],
        SecurityOpt: ["no-new-privileges:true"],
        // An image that declares /data as a volume would otherwise leave an anonymous volume behind.
        Tmpfs: { "/data": "size=1m,mode=0755" },
    },
};

/** A container that runs until its program ends. */
export interface EndingContainer extends Pick<HelperContainer, "start" | "remove"> {
    logs(options: { stdout: true; stderr: true; tail: number }): Promise<unknown>;
    inspect(): Promise<{ State: { Running: boolean; ExitCode: number } }>;
}

/** The container of a helper. */
export interface HelperContainer {
    readonly id: string;
    start(): Promise<unknown>;
    wait(): Promise<unknown>;
    inspect(): Promise<{ NetworkSettings: { Networks: { [network: string]: { IPAddress: string } } } }>;
    remove(options: { force: boolean; v: boolean }): Promise<unknown>;
}

/** Does work with a container that was created for it, and removes the container however the work ends. */
export async function removedAfter<Container extends Pick<HelperContainer, "remove">, Result>(
    container: Container,
    work: (container: Container) => Promise<Result>,
): Promise<Result> {
    try {
        return await work(container);
    } finally {
        await remove(container);
    }
}

/** Runs a container that was created for it until it ends, however long that takes, and removes it. Its output is the last lines. */
export function runToEnd(created: EndingContainer): Promise<CommandResult> {
    return removedAfter(created, async (container) => {
        await container.start();
        const code = await exitCodeOf(container);
        const log = (await container.logs({ stdout: true, stderr: true, tail: 20 })) as Uint8Array;
        return { code, output: textOfFrames(Buffer.from(log)).trim() };
    });
}

/**
 * The part of a Docker client that helpers need. The client's own types stay out of the package's exports, since the
 * package's users don't have them.
 */
export interface HelperClient {
    listImages(): Promise<{ Id: string }[]>;
    listContainers(options: {
        all: boolean;
        filters: { label: string[] };
    }): Promise<{ Id: string; Labels: { [label: string]: string } }[]>;
    createContainer(
        options: HelperOptions & { name: string; Labels: { [label: string]: string } },
    ): Promise<HelperContainer>;
    getContainer(id: string): HelperContainer;
}

/** Id of this program run. Helpers with another id were left by a run that was killed. */
const RUN = randomBytes(8).toString("hex");

/** Number of helpers that this run has created. */
let made = 0;

/** A user that owns no file and no process. */
const NOBODY = "65534:65534";

/**
 * The command of a helper that waits. It ends by itself, so that one that a killed run has left doesn't keep its network
 * from being removed. In an image without `sleep` it waits for input, which never comes.
 */
const WAIT = "sleep 600 || read -r _";

/** Time limit for the program of a helper that only shows whether a container is accepted, in seconds. */
const PROBE_SECONDS = 120;

/**
 * Containers that an update creates only to test or read something, and removes again. Each has a label with its owner: the
 * cluster or proxy that it was created for. The owner's next update removes those that a killed update has left. A
 * preview creates none.
 */
export class OneShotContainers {
    constructor(private readonly docker: HelperClient) {}

    /**
     * Reads volumes that no container mounts, or folders of the host, through a container that is created for that, never started,
     * and removed.
     *
     * @param volumes Names of volumes, or absolute paths of folders, by their paths in the container.
     * @returns Undefined if the engine has no image to create a container from.
     * @throws {Error} if the engine refuses the container, for example because there is no such folder.
     */
    async lookInto<Result>(
        owner: string,
        volumes: { [path: string]: string },
        look: (container: string) => Promise<Result>,
    ): Promise<Result | undefined> {
        await this.removeLeftovers(owner);
        const [image] = await this.docker.listImages();
        if (image === undefined) {
            return undefined;
        }
        const created = await this.create(owner, "look", {
            Image: image.Id,
            Cmd: ["never-started"],
            HostConfig: {
                NetworkMode: "none",
                // Unlike a bind by its short form, this doesn't create a folder that is missing.
                Mounts: Object.entries(volumes).map(([path, source]) => ({
                    Type: source.startsWith("/") ? "bind" : "volume",
                    Source: source,
                    Target: path,
                    ReadOnly: true,
                })),
            },
        });
        return removedAfter(created, ({ id }) => look(id));
    }

    /**
     * Tests whether the engine accepts a container and its program ends with exit code 0: the container is created, started
     * and removed.
     *
     * @param seconds Time limit for the program. Default: 120.
     * @returns The reason for a refusal; undefined if it is accepted.
     */
    async try(owner: string, options: HelperOptions, seconds = PROBE_SECONDS): Promise<string | undefined> {
        await this.removeLeftovers(owner);
        const created = await this.create(owner, "probe", options).catch(answerOf);
        return typeof created === "string"
            ? created
            : removedAfter(created, (container) => failureOf(container, options, seconds).catch(answerOf));
    }

    /**
     * Creates a container that waits, attached to a network with an address that the engine chooses, and removes it when the
     * work with it has ended. It has no volumes, no capabilities and no root user.
     *
     * @param attachment Id of an image with `/bin/sh`, and name of the network; `host` is the host's own.
     * @param work Gets the container's id, and its address; on the host's own network the address is empty.
     * @throws {Error} if the engine refuses the container; every error of the work.
     */
    async attached<Result>(
        owner: string,
        { image, network }: { image: string; network: string },
        work: (container: string, address: string) => Promise<Result>,
    ): Promise<Result> {
        await this.removeLeftovers(owner);
        const created = await this.create(owner, "network", {
            Image: image,
            Entrypoint: ["/bin/sh", "-c"],
            Cmd: [WAIT],
            OpenStdin: true,
            Healthcheck: { Test: ["NONE"] },
            User: NOBODY,
            HostConfig: {
                NetworkMode: network,
                ReadonlyRootfs: true,
                CapDrop: ["ALL"],
                SecurityOpt: ["no-new-privileges:true"],
            },
        });
        return removedAfter(created, async (container) => {
            await container.start();
            const { NetworkSettings: settings } = await container.inspect();
            return work(container.id, settings.Networks[network]?.IPAddress ?? "");
        });
    }

    /** Removes an owner's helpers that an earlier, killed run of the program has left. */
    async removeLeftovers(owner: string): Promise<void> {
        const filters = { label: [`${LABELS.helper}=${owner}`] };
        const found = await this.docker.listContainers({ all: true, filters });
        for (const { Id: id } of found.filter(({ Labels: labels }) => labels[LABELS.helperRun] !== RUN)) {
            // Several parts of this program may remove the same helper at once.
            await remove(this.docker.getContainer(id));
        }
    }

    private create(owner: string, kind: string, options: HelperOptions): Promise<HelperContainer> {
        return this.docker.createContainer({ ...options, name: nameOf(owner, kind), Labels: labelsOf(owner) });
    }
}

/** Why a container's program doesn't end with exit code 0 within a time in seconds. Undefined if it does. */
async function failureOf(
    container: HelperContainer,
    { Entrypoint: [program] = [] }: HelperOptions,
    seconds: number,
): Promise<string | undefined> {
    await container.start();
    const ended = await endOf(container, seconds);
    if (ended === undefined) {
        return `${program} has not ended within ${seconds} s in it`;
    }
    const { StatusCode: code } = ended;
    return code === 0 ? undefined : `${program} ends with exit code ${code} in it`;
}

/** Removes a container, running or not, with its anonymous volumes, unless it is gone. */
async function remove(container: Pick<HelperContainer, "remove">): Promise<void> {
    await container.remove({ force: true, v: true }).catch(unlessGone);
}

/** How a container has ended. Undefined if it hasn't after a time in seconds. */
async function endOf(container: HelperContainer, seconds: number): Promise<{ StatusCode: number } | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), seconds * 1000)));
    try {
        return await Promise.race([container.wait() as Promise<{ StatusCode: number }>, late]);
    } finally {
        clearTimeout(timer);
    }
}

/**
 * The exit code of a container that has been started, however long it takes. It is asked for, and not waited for by the engine's own
 * command: if the engine is restarted, that answer breaks off, which is no event of the client.
 */
async function exitCodeOf(container: EndingContainer): Promise<number> {
    for (;;) {
        const { State: state } = await container.inspect();
        if (!state.Running) {
            return state.ExitCode;
        }
        await systemClock.sleep(ASK_INTERVAL);
    }
}

/** Pause between two questions whether a container has ended, in milliseconds. */
const ASK_INTERVAL = 500;

/** @throws every error except that a container is gone, or is being removed. */
function unlessGone(error: unknown): void {
    if (![404, 409].includes((error as { statusCode?: number }).statusCode ?? 0)) {
        throw error;
    }
}

function nameOf(owner: string, kind: string): string {
    made += 1;
    return `${owner}-${kind}-${RUN}-${made}`;
}

function labelsOf(owner: string): { [label: string]: string } {
    return { [LABELS.helper]: owner, [LABELS.helperRun]: RUN };
}

/**
 * The message of the engine's answer.
 *
 * @throws every error that isn't an answer of the engine.
 */
function answerOf(error: unknown): string {
    const { statusCode, json, message } = error as Error & { statusCode?: number; json?: { message?: string } };
    if (statusCode === undefined) {
        throw error;
    }
    return json?.message ?? message;
}
