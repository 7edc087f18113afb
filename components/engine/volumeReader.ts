import { join } from "node:path/posix";
import type { DockerEngine } from "./dockerEngine";
import type { HelperContainers } from "./helperContainers";
import type { LocalHost } from "./localHost";

/** Files of a volume, by their paths in it; nothing for one that isn't there. */
export type VolumeTexts = (string | undefined)[];

/** Reads files of volumes. */
export interface VolumeReader {
    /**
     * Some files of a volume; nothing where they can't be read without changing something on the engine.
     *
     * @param paths Paths in the volume.
     */
    read(volume: string, paths: string[]): Promise<VolumeTexts | undefined>;
}

/** What a reader asks of the engine. */
export interface VolumeReaderEngine extends Pick<DockerEngine, "containersWith" | "readFile" | "volumeFolder"> {
    readonly helpers: Pick<HelperContainers, "lookInto">;
}

/**
 * Reads through whatever is there: a container that has the volume mounted, running or not; else the folder of the host that the volume
 * lies in, where this program may. In an update it makes a container for it otherwise, which is removed again; a preview makes nothing.
 *
 * @param host The engine's host; none where that is another than the program's.
 * @param owner Whom containers that it makes belong to, for their label: leftovers are found by it.
 * @param mayMake Whether it may make a container.
 */
export function volumeReader(
    engine: VolumeReaderEngine,
    host: LocalHost | undefined,
    owner: string,
    mayMake: boolean,
): VolumeReader {
    const through = (container: string, folder: string, paths: string[]) =>
        Promise.all(paths.map((path) => engine.readFile(container, join(folder, path))));
    return {
        async read(volume, paths) {
            for (const mounted of await engine.containersWith(volume)) {
                // One that has ended can't be read where another of its volumes can't be mounted.
                const texts = await through(mounted.container, mounted.folder, paths).catch(() => undefined);
                if (texts !== undefined) {
                    return texts;
                }
            }
            const folder = host === undefined ? undefined : await engine.volumeFolder(volume);
            if (host !== undefined && folder !== undefined && (await host.entries(folder)) !== undefined) {
                return Promise.all(paths.map((path) => host.text(join(folder, path))));
            }
            return mayMake
                ? engine.helpers.lookInto(owner, { "/volume": volume }, (container) =>
                      through(container, "/volume", paths),
                  )
                : undefined;
        },
    };
}
