import { volumeReader, type VolumeReaderEngine } from "../../components/engine/volumeReader";
import { mockHost } from "./mockHost";

const FOLDER = "/var/lib/docker/volumes/secrets/_data";
const PATHS = ["current/environment", "current/none"];

/** An engine with a volume, and what was done with it. */
function engineWith(containers: string[], broken: string[] = []): VolumeReaderEngine & { made: string[] } {
    const made: string[] = [];
    return {
        made,
        containersWith: () => Promise.resolve(containers.map((container) => ({ container, folder: "/run/store" }))),
        readFile: (container, path) =>
            broken.includes(container)
                ? Promise.reject(new Error("can't be mounted"))
                : Promise.resolve(path.endsWith("environment") ? `${container}:${path}` : undefined),
        volumeFolder: () => Promise.resolve(FOLDER),
        helpers: {
            lookInto: async (owner, volumes, look) => {
                made.push(`${owner} ${JSON.stringify(volumes)}`);
                return look("helper");
            },
        },
    };
}

const readable = mockHost({
    folders: { [FOLDER]: { entries: ["current"] } },
    files: { [`${FOLDER}/current/environment`]: "of the host" },
});
const closed = mockHost({ folders: { [FOLDER]: {} } });

test("a container that has the volume is read through, the next where one can't be", async () => {
    const engine = engineWith(["ended", "running"], ["ended"]);
    const texts = await volumeReader(engine, closed, "store", true).read("secrets", PATHS);
    expect(texts).toEqual(["running:/run/store/current/environment", undefined]);
    expect(engine.made).toEqual([]);
});

test("without one, the host's folder is, where this program may", async () => {
    const engine = engineWith([]);
    expect(await volumeReader(engine, readable, "store", true).read("secrets", PATHS)).toEqual([
        "of the host",
        undefined,
    ]);
    expect(engine.made).toEqual([]);
});

test.each([
    ["on this host", closed],
    ["on another", undefined],
])("else a preview reads nothing and makes nothing, and an update makes a helper: %s", async (_where, host) => {
    const engine = engineWith([]);
    expect(await volumeReader(engine, host, "store", false).read("secrets", PATHS)).toBeUndefined();
    expect(engine.made).toEqual([]);
    expect(await volumeReader(engine, host, "store", true).read("secrets", PATHS)).toEqual([
        "helper:/volume/current/environment",
        undefined,
    ]);
    expect(engine.made).toEqual(['store {"/volume":"secrets"}']);
});
