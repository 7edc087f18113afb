import { rustfsProfile, serviceProfile } from "../../../../components";
import { mayRunMixed, releaseOf, tagOf } from "../../../../components/store/releases";
import { checkServiceProfile } from "../../../../components/store/serviceProfile";

describe("the release of an image", () => {
    test.each([
        ["rustfs/rustfs:1.0.1", "1.0.1"],
        ["rustfs/rustfs:1.0.0-rc.2", "1.0.0-rc.2"],
        ["rustfs/rustfs:1.0.1-glibc", "1.0.1"],
        ["registry.example.com:5000/store/rustfs:v1.0.1", "1.0.1"],
        [`rustfs/rustfs:1.0.1@sha256:${"a".repeat(64)}`, "1.0.1"],
        ["haproxy:3.2.26-bookworm", "3.2.26"],
        ["haproxy:3.2.26-1", "3.2.26"],
        ["minio/minio:RELEASE.2025-09-07T16-13-09Z", "20250907.161309.0"],
        ["minio/minio:RELEASE.2025-03-12T08-04-18Z.hotfix.7aa24e772", "20250312.80418.0"],
        ["pulumi-docker-object-store/minio:20260212", "20260212.0.0"],
        ["haproxy:3.2", undefined],
        ["pulumi-docker-object-store/haproxy:3.2-forky-2", undefined],
        ["rustfs/rustfs:latest", undefined],
        ["registry.example.com:5000/rustfs", undefined],
        [`rustfs/rustfs@sha256:${"a".repeat(64)}`, undefined],
        ["sha256:0123", undefined],
        ["", undefined],
    ])("%s: %s", (image, release) => {
        expect(releaseOf(image)).toBe(release);
    });

    test("an image's tag", () => {
        expect(tagOf("registry.example.com:5000/minio/minio:RELEASE.2025@sha256:01")).toBe("RELEASE.2025");
    });
});

describe("releases of RustFS in one cluster", () => {
    const ranges = rustfsProfile.mixedReleases ?? [];

    test.each([
        ["1.0.0", "1.0.1", true],
        ["1.0.1", "1.0.0", true],
        ["1.0.0-rc.2", "1.0.1", true],
        ["1.0.0-rc.2", "1.0.0-rc.3", true],
        ["1.0.7", "1.0.1", true],
        ["1.0.0-beta.11", "1.0.0-beta.11", true],
        // rustfs#5509 and rustfs#5922.
        ["1.0.0-beta.11", "1.0.0-beta.12", false],
        ["1.0.0-beta.11", "1.0.0-rc.1", false],
        ["1.0.0-rc.1", "1.0.0", false],
        ["1.0.1-preview.5", "1.0.1", false],
        ["1.0.1", "1.1.0", false],
        ["1.0.1", "2.0.0", false],
        [undefined, "1.0.1", false],
        ["1.0.1", undefined, false],
        [undefined, undefined, false],
    ])("%s and %s: %s", (one, other, expected) => {
        expect(mayRunMixed(one, other, ranges)).toBe(expected);
    });

    test("a profile's range that is none is refused with its place", () => {
        const profile = { ...serviceProfile, mixedReleases: [">=1.0.0 <1.1.0", "newest"] };
        expect(checkServiceProfile(profile)).toEqual([
            { propertyPath: "mixedReleases[1]", reason: expect.stringContaining('"newest"') as string },
        ]);
    });
});
