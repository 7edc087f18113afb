import { volumeReader, type VolumeReaderEngine } from "../../../../components/docker/volumeReader";
import { mockHost } from "../../fakes/mockHost";

const FOLDER = "/var/lib/docker/volumes/secrets/_data";
const PATHS = ["current/environment", "current/none"];

/** An engine with a volume, and the requests to it. */
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
        oneShots: {
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

test("a container with the volume is used to read it, or the next one if it can't be read", async () => {
    const engine = engineWith(["ended", "running"], ["ended"]);
    const texts = await volumeReader(engine, closed, "store", true).read("secrets", PATHS);
    expect(texts).toEqual(["running:/run/store/current/environment", undefined]);
    expect(engine.made).toEqual([]);
});

test("without a container, the host's folder is used, if this program may read it", async () => {
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
])(
    "otherwise a preview reads nothing and creates nothing, and an update creates a helper: %s",
    async (_where, host) => {
        const engine = engineWith([]);
        expect(await volumeReader(engine, host, "store", false).read("secrets", PATHS)).toBeUndefined();
        expect(engine.made).toEqual([]);
        expect(await volumeReader(engine, host, "store", true).read("secrets", PATHS)).toEqual([
            "helper:/volume/current/environment",
            undefined,
        ]);
        expect(engine.made).toEqual(['store {"/volume":"secrets"}']);
    },
);
