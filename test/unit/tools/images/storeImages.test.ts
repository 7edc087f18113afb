import { takeStoreImages, type BuiltStore, type StoreImages } from "../../../../tools/images/storeImages";

const images = (profile: BuiltStore): StoreImages => ({ profile, image: profile, haproxyImage: "haproxy" });

/** A registry that has RustFS's images or not, and what is built instead. */
function source(answers: boolean) {
    const built: BuiltStore[] = [];
    const pull = jest.fn(() => Promise.resolve(answers ? images("rustfs") : undefined));
    return {
        built,
        pull,
        build: (profile: BuiltStore) => Promise.resolve(images(profile)).finally(() => built.push(profile)),
    };
}

beforeEach(() => jest.spyOn(console, "log").mockImplementation(() => undefined));

test.each<[string, BuiltStore | undefined, boolean, BuiltStore, BuiltStore[]]>([
    ["a registry answers: RustFS is pulled", undefined, true, "rustfs", []],
    ["no registry answers: MinIO is built, in minutes", undefined, false, "minio", ["minio"]],
    ["RustFS is asked for, and can be pulled", "rustfs", true, "rustfs", []],
    ["RustFS is asked for, and no registry answers", "rustfs", false, "rustfs", ["rustfs"]],
    ["MinIO is asked for", "minio", true, "minio", ["minio"]],
])("%s", async (_, wanted, answers, profile, built) => {
    const from = source(answers);
    expect(await takeStoreImages(from, wanted)).toEqual({ ...images(profile), isBuilt: built.length > 0 });
    expect(from.built).toEqual(built);
});

test("where MinIO is taken, it says how to get RustFS", async () => {
    await takeStoreImages(source(false));
    expect(console.log).toHaveBeenCalledWith(expect.stringContaining("--store rustfs"));
});
