import type Docker from "dockerode";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { throwUnlessMissing } from "../../components/engine/dockerErrors";
import { DEBIAN_RELEASE, type BuiltImage } from "./builtImages";
import { DEBIAN_OPTIONS, findOrInstallMmdebstrap } from "./debianRoot";
import { LOGS, PROJECT } from "../paths";
import { run } from "../machine/run";
import { progress, say, StepError } from "../cli/step";

/** Seconds after which a registry's response must have started. */
const REGISTRY_SECONDS = 20;

/**
 * Whether the engine has an image.
 *
 * @throws every error of the engine except that it has no such image.
 */
export async function hasImage(docker: Docker, reference: string): Promise<boolean> {
    return docker
        .getImage(reference)
        .inspect()
        .then(
            () => true,
            (error: unknown) => {
                throwUnlessMissing(error);
                return false;
            },
        );
}

/** Makes the engine pull a missing image. Returns whether the engine has it afterwards. */
export async function pullImage(docker: Docker, reference: string): Promise<boolean> {
    if (await hasImage(docker, reference)) {
        say(`found the image ${reference}`);
        return true;
    }
    say(`pulling ${reference}, giving up after ${REGISTRY_SECONDS} s without an answer`);
    const abort = new AbortController();
    const limit = setTimeout(() => abort.abort(), REGISTRY_SECONDS * 1000);
    try {
        const stream = await docker.pull(reference, { abortSignal: abort.signal });
        await follow(docker, stream, ({ id, status, progress: bar }) => {
            clearTimeout(limit);
            progress([id, status, bar].join(" "));
        });
        return true;
    } catch (error) {
        say(`no registry gave it (${(error as Error).message.split("\n")[0]})`);
        return false;
    } finally {
        clearTimeout(limit);
    }
}

/** Copies images from one engine to another, where that one doesn't have them. */
export async function copyImages(from: Docker, to: Docker, references: readonly string[]): Promise<void> {
    for (const reference of references) {
        if (!(await hasImage(to, reference))) {
            const loading = await to.loadImage(await from.getImage(reference).get());
            await once(loading.resume(), "end");
        }
    }
}

/** Builds an image from packages, unless the engine already has it. */
export async function buildImage(docker: Docker, image: BuiltImage): Promise<void> {
    if (await hasImage(docker, image.reference)) {
        say(`found the image ${image.reference}`);
        return;
    }
    const program = await image.program?.();
    say(`building ${image.reference} from Debian's packages (${image.packages.join(", ")})`);
    const context = mkdtempSync(join(tmpdir(), "image-"));
    try {
        cpSync(join(PROJECT, "tools", "images", image.folder), context, { recursive: true });
        await debianRootFilesystem(image, join(context, "rootfs.tar"));
        if (program !== undefined) {
            copyFileSync(program, join(context, image.folder));
        }
        const stream = await docker.buildImage({ context, src: readdirSync(context) }, { t: image.reference });
        await follow(docker, stream, (event) => progress(event.stream ?? ""));
    } finally {
        rmSync(context, { recursive: true, force: true });
    }
}

/** The engine's output of a pull or a build, line by line. */
interface EngineEvent {
    id?: string;
    status?: string;
    progress?: string;
    stream?: string;
    error?: string;
}

/**
 * Follows a pull or a build until it ends.
 *
 * @throws {StepError} with the engine's message, if it fails.
 */
function follow(docker: Docker, stream: NodeJS.ReadableStream, onEvent: (event: EngineEvent) => void): Promise<void> {
    return new Promise((resolve, reject) => {
        docker.modem.followProgress(
            stream,
            (error, events: EngineEvent[]) => {
                const failure = error?.message ?? events.find((event) => event.error !== undefined)?.error;
                return failure === undefined ? resolve() : reject(new StepError(failure));
            },
            onEvent,
        );
    });
}

async function debianRootFilesystem({ packages, debian }: BuiltImage, tar: string): Promise<void> {
    await findOrInstallMmdebstrap();
    await run(
        "mmdebstrap",
        [
            "--variant=extract",
            "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
            `--include=${packages.join(",")}`,
            ...DEBIAN_OPTIONS,
            debian?.release ?? DEBIAN_RELEASE,
            tar,
            ...(debian?.sources ?? []),
        ],
        { log: join(LOGS, "mmdebstrap.log") },
    );
}
