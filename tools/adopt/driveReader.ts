import type Docker from "dockerode";
import { buffer, text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { extract } from "tar-stream";
import { throwUnlessMissing } from "../../components/docker/dockerErrors";
import { OneShotContainers } from "../../components/docker/oneShotContainers";
import { StepError } from "../cli/step";
import type { Drive } from "./adoptedDrives";
import { nameOf, type FoundDrive } from "./driveFormat";

/**
 * Reads the format file of each drive as the store will get the drive: through a container that mounts all of them, is never
 * started, and is removed. No volume and no folder is made.
 *
 * @param formatFile Path of the file on the drive.
 * @throws {StepError} with every drive that doesn't exist.
 */
export async function readDrives(
    docker: Docker,
    drives: readonly Drive[],
    formatFile: string,
): Promise<Map<string, FoundDrive>> {
    await refuseMissing(docker, drives);
    const mounts = Object.fromEntries(drives.map((drive, index) => [`/drive${index}`, nameOf(drive)]));
    const look = (container: string) =>
        Promise.all(
            drives.map((drive, index) =>
                readDrive(docker.getContainer(container), `/drive${index}/${formatFile}`, nameOf(drive)),
            ),
        );
    const found = await new OneShotContainers(docker).lookInto("adopt", mounts, look).catch((error: unknown) => {
        const { json } = error as { json?: { message?: string } };
        throw new StepError(`the drives can't be read: ${json?.message ?? (error as Error).message}`);
    });
    if (found === undefined) {
        throw new StepError("the Docker daemon has no image at all: pull that of the store (docker pull) first");
    }
    return new Map(found.map((drive) => [drive.name, drive]));
}

/** An engine makes a missing volume for the first container that names it. */
async function refuseMissing(docker: Docker, drives: readonly Drive[]): Promise<void> {
    const missing = await Promise.all(
        drives.map(async ({ volume }) => {
            const found = volume === undefined || (await docker.getVolume(volume).inspect().catch(throwUnlessMissing));
            return found === undefined ? [`there is no volume ${volume}: docker volume ls lists them`] : [];
        }),
    );
    if (missing.flat().length > 0) {
        throw new StepError(missing.flat().join("\n"));
    }
}

async function readDrive(container: Docker.Container, path: string, name: string): Promise<FoundDrive> {
    const archive = await container.getArchive({ path }).catch(throwUnlessMissing);
    if (archive === undefined) {
        return { name, text: undefined };
    }
    const found: FoundDrive = { name, text: undefined };
    const entries = extract();
    entries.on("entry", ({ uid, gid }, content, next) => {
        text(content).then((read) => {
            Object.assign(found, { text: read, owner: `${uid}:${gid}` });
            next();
        }, next);
    });
    entries.end(await buffer(archive));
    await finished(entries);
    return found;
}
