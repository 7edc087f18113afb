import type Docker from "dockerode";
import { sourcesOf } from "../naming/imageSources";
import { throwUnlessNoImage } from "./dockerErrors";
import { credentialsFile, credentialsFor, registryOf } from "./registryCredentials";

/** Pulls an image of this name, as `docker pull` does. */
export type Pull = (name: string) => Promise<void>;

/** The part of an engine's client that is used. */
type ImageEngine = Pick<Docker, "getImage">;

/**
 * Makes the engine have an image. If it lacks a default one, and the registry doesn't give it, further registries are asked; what
 * they give gets the default's name, so that the deployment doesn't depend on where it came from.
 *
 * @param mayBeFork Whether a maintained fork may take its place.
 * @returns The name under which the engine has it.
 * @throws {Error} that names everything that was tried.
 */
export async function haveImage(docker: ImageEngine, image: string, pull: Pull, mayBeFork = false): Promise<string> {
    const { same, forks } = sourcesOf(image);
    const others = mayBeFork ? forks : [];
    const named = async (name: string) => {
        if (same.includes(name)) {
            const [, repo = "", tag = ""] = /^(.*):([^:]*)$/.exec(image) ?? [];
            await docker.getImage(name).tag({ repo, tag });
            return image;
        }
        return name;
    };
    for (const name of [image, ...same, ...others]) {
        if (await hasImage(docker, name)) {
            return named(name);
        }
    }
    const failures: string[] = [];
    for (const name of [image, ...same, ...others]) {
        try {
            await pull(name);
            return await named(name);
        } catch (error) {
            failures.push(`${name} (${whyNotPulled(name, (error as Error).message)})`);
        }
    }
    throw new Error(`${image} isn't on the Docker daemon, and can't be pulled: ${failures.join("; ")}`);
}

/** Whether the engine has an image. */
export async function hasImage(docker: ImageEngine, name: string): Promise<boolean> {
    return (await docker.getImage(name).inspect().catch(throwUnlessNoImage)) !== undefined;
}

/** Pulls an image with the credentials that `docker login` has stored on this machine. */
export async function pullWithCredentials(
    docker: Docker,
    image: string,
    options: { abortSignal?: AbortSignal } = {},
): Promise<NodeJS.ReadableStream> {
    const authconfig = await credentialsFor(image);
    return docker.pull(image, { ...options, ...(authconfig === undefined ? {} : { authconfig }) });
}

/** Pulls an image, and waits for the end. */
export async function pulled(docker: Docker, image: string): Promise<void> {
    await follow(docker, await pullWithCredentials(docker, image));
}

/** The engine's output of a pull or a build, line by line. */
export interface EngineEvent {
    id?: string;
    status?: string;
    progress?: string;
    stream?: string;
    error?: string;
}

/**
 * Follows a pull or a build until it ends.
 *
 * @throws {Error} with the engine's message, if it fails.
 */
export function follow(
    docker: Pick<Docker, "modem">,
    stream: NodeJS.ReadableStream,
    onEvent?: (event: EngineEvent) => void,
): Promise<void> {
    return new Promise((resolve, reject) => {
        docker.modem.followProgress(
            stream,
            (error, events: EngineEvent[]) => {
                // A failure in the middle is an event; the stream itself ends as after a success.
                const failure = error?.message ?? events.find((event) => event.error !== undefined)?.error;
                return failure === undefined ? resolve() : reject(new Error(failure));
            },
            onEvent,
        );
    });
}

function whyNotPulled(name: string, message: string): string {
    const [first = ""] = message.split("\n");
    return /unauthorized|denied|credential|authenti|login/i.test(first)
        ? `${first}: if it needs a login, run docker login ${registryOf(name)} where this runs, which writes ${credentialsFile()}`
        : first;
}
