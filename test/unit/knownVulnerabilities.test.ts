import * as pulumi from "@pulumi/pulumi";
import { minioProfile, StorageCluster } from "../../components";
import { vulnerabilitiesOf } from "../../components/store/knownVulnerabilities";
import { findProfile, profileNames } from "../../components/store/profiles/all";
import { BUILT_IMAGES } from "../../tools/images/builtImages";
import { mockEngine, settled } from "./mockEngine";

jest.mock("../../components/preflight/enginePreflight", () => ({
    engineAllows: () => [],
    isolatedGateway: () => undefined,
}));

const idsOf = (image: string) => vulnerabilitiesOf(image, minioProfile.knownVulnerabilities).map(({ id }) => id);

describe("known vulnerabilities", () => {
    test.each([
        "minio/minio:RELEASE.2025-09-07T16-13-09Z",
        "quay.io/minio/minio:RELEASE.2024-01-01T00-00-00Z",
        "registry.example:5000/minio:RELEASE.2025-09-07T16-13-09Z",
        "minio/minio:RELEASE.2025-09-07T16-13-09Z@sha256:0123",
    ])("%s has CVE-2025-62506", (image) => {
        expect(idsOf(image)).toEqual(["CVE-2025-62506"]);
    });

    test.each([
        "minio/minio:RELEASE.2025-10-15T17-29-55Z",
        "minio/minio:RELEASE.2026-02-12T00-00-00Z",
        "store@sha256:0123",
        "registry.example:5000/store@sha256:0123",
        BUILT_IMAGES.minio.reference,
    ])("%s has no known one", (image) => {
        expect(idsOf(image)).toEqual([]);
    });

    test("the profiles' default images have none except those that no image has fixed", () => {
        const found = profileNames.flatMap((name) => {
            const profile = findProfile(name);
            return vulnerabilitiesOf(profile?.image ?? "", profile?.knownVulnerabilities).map(({ id }) => id);
        });
        expect(found).toEqual(["CVE-2025-62506"]);
    });
});

describe("a preview", () => {
    const warningsOf = async (image?: string) => {
        const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
        const resources = await mockEngine();
        new StorageCluster("store", { profile: "minio", image });
        await settled(resources);
        const messages = warn.mock.calls.map(([message]) => message);
        warn.mockRestore();
        return messages;
    };

    test("warns about MinIO's default image, with the CVE and the remedy", async () => {
        expect(await warningsOf()).toEqual([
            expect.stringMatching(
                /^image: "minio\/minio:RELEASE.2025-09-07T16-13-09Z" has CVE-2025-62506: .* Fixed in .*; .*npm run up/,
            ),
        ]);
    });

    test("doesn't warn about the built image", async () => {
        expect(await warningsOf(BUILT_IMAGES.minio.reference)).toEqual([]);
    });
});
