import { randomBytes } from "node:crypto";
import { LABELS } from "../naming/labels";

/** What a helper is created with, in the words of Docker's API. */
export interface HelperOptions {
    Image?: string;
    Entrypoint?: string | string[];
    Cmd?: string[];
    User?: string;
    HostConfig?: object;
}

/** A container of a helper's. */
export interface HelperContainer {
    readonly id: string;
    start(): Promise<unknown>;
    wait(): Promise<unknown>;
    remove(options: { force: boolean; v: boolean }): Promise<unknown>;
}

/** What helpers need of a Docker client. Its own types stay out of what the package exports, whose users don't have them. */
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

/** Of this run of the program alone: helpers that have another were left by a run that was killed. */
const RUN = randomBytes(8).toString("hex");

/** How many helpers this run has made. */
let made = 0;

/**
 * Containers that an update makes only to ask the engine something, and removes again. Each has a label with its owner, the cluster or
 * the front end that it was made for; those that a killed update has left are removed by the owner's next one. A preview makes none.
 */
export class HelperContainers {
    constructor(private readonly docker: HelperClient) {}

    /**
     * Looks into volumes that no container has: through a container that is made for it, never started, and removed.
     *
     * @returns Nothing where the engine has no image to make one of.
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
        const container = await this.docker.createContainer({
            name: nameOf(owner, "look"),
            Labels: labelsOf(owner),
            Image: image.Id,
            Cmd: ["never-started"],
            HostConfig: {
                NetworkMode: "none",
                Binds: Object.entries(volumes).map(([path, volume]) => `${volume}:${path}:ro`),
            },
        });
        try {
            return await look(container.id);
        } finally {
            await container.remove({ force: true, v: true });
        }
    }

    /**
     * Tries whether the engine takes a container, and its program ends with exit code 0: it is made, started and removed.
     *
     * @returns Why it doesn't; nothing where it does.
     */
    async try(owner: string, options: HelperOptions): Promise<string | undefined> {
        await this.removeLeftovers(owner);
        let container: HelperContainer | undefined;
        try {
            container = await this.docker.createContainer({
                ...options,
                name: nameOf(owner, "probe"),
                Labels: labelsOf(owner),
            });
            await container.start();
            const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
            return code === 0 ? undefined : `${(options.Entrypoint ?? [])[0]} ends with exit code ${code} in it`;
        } catch (error) {
            return answerOf(error);
        } finally {
            await container?.remove({ force: true, v: true });
        }
    }

    /** Removes what a former run of the program, which was killed, has left of an owner's. */
    async removeLeftovers(owner: string): Promise<void> {
        const filters = { label: [`${LABELS.helper}=${owner}`] };
        const found = await this.docker.listContainers({ all: true, filters });
        for (const { Id: id } of found.filter(({ Labels: labels }) => labels[LABELS.helperRun] !== RUN)) {
            // Several of this program's parts may remove the same one at once.
            await this.docker.getContainer(id).remove({ force: true, v: true }).catch(unlessGone);
        }
    }
}

/** @throws every error but that a container is gone, or is being removed. */
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
 * What the engine answered.
 *
 * @throws every error that isn't an answer of the engine's.
 */
function answerOf(error: unknown): string {
    const { statusCode, json, message } = error as Error & { statusCode?: number; json?: { message?: string } };
    if (statusCode === undefined) {
        throw error;
    }
    return json?.message ?? message;
}
