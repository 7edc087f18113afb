import { join } from "node:path/posix";
import type { DockerEngine } from "./engine";
import type { OneShotContainers } from "./oneShotContainers";
import type { LocalHost } from "./localHost";

/** Texts of a volume's files, in the order of the paths. Undefined for a missing file. */
export type VolumeTexts = (string | undefined)[];

/** Reads files of volumes. */
export interface VolumeReader {
    /**
     * Reads files of a volume. Undefined if they can't be read without changing something on the engine.
     *
     * @param paths Paths in the volume.
     */
    read(volume: string, paths: string[]): Promise<VolumeTexts | undefined>;
}

/** The part of the engine that a reader uses. */
export interface VolumeReaderEngine extends Pick<DockerEngine, "containersWith" | "readFile" | "volumeFolder"> {
    readonly oneShots: Pick<OneShotContainers, "lookInto">;
}

/**
 * Reads through an existing container that mounts the volume, running or not; otherwise from the volume's folder on the
 * host, if this program has access. If neither is possible, an update creates a container for it, which is removed again; a
 * preview creates none.
 *
 * @param host The engine's host. Undefined if that differs from the program's host.
 * @param owner Owner of the containers that it creates, for their label, by which leftovers are found.
 * @param mayMake Whether it may create a container.
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
                // An ended container can't be read if one of its other volumes can't be mounted.
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
                ? engine.oneShots.lookInto(owner, { "/volume": volume }, (container) =>
                      through(container, "/volume", paths),
                  )
                : undefined;
        },
    };
}
