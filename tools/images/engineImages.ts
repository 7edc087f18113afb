import type Docker from "dockerode";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { follow, hasImage, haveImage, pullWithCredentials } from "../../components/docker/imagePull";
import { DEBIAN_RELEASE, type BuiltImage } from "./builtImages";
import { DEBIAN_OPTIONS, findOrInstallMmdebstrap } from "./debianRoot";
import { LOGS, PROJECT } from "../paths";
import { run } from "../machine/run";
import { progress, say, StepError } from "../cli/step";

/** Seconds after which a registry's response must have started. */
const REGISTRY_SECONDS = 20;

export { hasImage };

/** Makes the engine pull a missing image, with the credentials of `docker login`. Returns whether the engine has it afterwards. */
export async function pullImage(docker: Docker, reference: string): Promise<boolean> {
    if (await hasImage(docker, reference)) {
        say(`found the image ${reference}`);
        return true;
    }
    say(`pulling ${reference}, giving up after ${REGISTRY_SECONDS} s without an answer`);
    try {
        await haveImage(docker, reference, (name) => pullWithProgress(docker, name));
        return true;
    } catch (error) {
        say(`no registry gave it: ${(error as Error).message}`);
        return false;
    }
}

async function pullWithProgress(docker: Docker, name: string): Promise<void> {
    const abort = new AbortController();
    const limit = setTimeout(() => abort.abort(), REGISTRY_SECONDS * 1000);
    try {
        const stream = await pullWithCredentials(docker, name, { abortSignal: abort.signal });
        await follow(docker, stream, ({ id, status, progress: bar }) => {
            clearTimeout(limit);
            progress([id, status, bar].join(" "));
        });
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

/** Builds an image from packages, unless the engine already has it. Returns its reference. */
export async function buildImage(docker: Docker, image: BuiltImage): Promise<string> {
    if (await hasImage(docker, image.reference)) {
        say(`found the image ${image.reference}`);
        return image.reference;
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
        const labels = await releaseLabels(image, join(context, "rootfs.tar"));
        const stream = await docker.buildImage({ context, src: readdirSync(context) }, { t: image.reference, labels });
        await follow(docker, stream, (event) => progress(event.stream ?? "")).catch((error: unknown) => {
            throw new StepError((error as Error).message);
        });
        return image.reference;
    } finally {
        rmSync(context, { recursive: true, force: true });
    }
}

/** Labels with the release of a program from Debian's packages, whose image is named after its series alone. */
async function releaseLabels(image: BuiltImage, tar: string): Promise<{ [label: string]: string }> {
    if (image.program !== undefined) {
        return {};
    }
    const file = `./usr/share/doc/${image.packages.at(-1)}/changelog.Debian.gz`;
    try {
        const { stdout } = await promisify(execFile)("tar", ["-xOf", tar, file], { encoding: "buffer" });
        const [, release] = /^\S+ \(([^)]+)\)/.exec(gunzipSync(stdout).toString()) ?? [];
        return release === undefined ? {} : { "org.opencontainers.image.version": release };
    } catch {
        // Then a warning says that the release isn't known.
        return {};
    }
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
