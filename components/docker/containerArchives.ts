import type Docker from "dockerode";
import { throwUnlessMissing } from "./dockerErrors";
import { bytesOf, fileOfArchive, filesOfArchive } from "./dockerStreams";

/** The part of a Docker client that is used. */
type ArchiveClient = Pick<Docker, "getContainer">;

/** The text of a file in a container, running or not. Undefined if there is no such file. */
export async function fileIn(docker: ArchiveClient, container: string, path: string): Promise<string | undefined> {
    const archive = await archiveOf(docker, container, path);
    return archive === undefined ? undefined : fileOfArchive(archive);
}

/**
 * The texts of all files in a folder of a container, running or not, by their paths in the folder. Follows a link at the
 * folder's path. Empty if there is no such folder.
 */
export async function filesIn(docker: ArchiveClient, container: string, path: string): Promise<Map<string, string>> {
    const archive = await archiveOf(docker, container, `${path}/.`);
    return archive === undefined ? new Map() : filesOfArchive(archive);
}

/** Whether a path exists in a container, running or not. */
export async function hasPath(docker: ArchiveClient, container: string, path: string): Promise<boolean> {
    try {
        const answer = (await docker.getContainer(container).infoArchive({ path })) as NodeJS.ReadableStream;
        // A response that isn't read to its end keeps its connection open, and the program running.
        answer.resume();
        return true;
    } catch (error) {
        throwUnlessMissing(error);
        return false;
    }
}

/** A file or folder of a container as a tar archive. Undefined if there is none. */
async function archiveOf(docker: ArchiveClient, container: string, path: string): Promise<Buffer | undefined> {
    try {
        return await bytesOf(await docker.getContainer(container).getArchive({ path }), `${path} of ${container}`);
    } catch (error) {
        throwUnlessMissing(error);
        return undefined;
    }
}
