import * as pulumi from "@pulumi/pulumi";
import { edgeRestrictionsOf } from "../../../../components/store/edgeRestrictions";
import { warnOfClosedBuckets, warnOfUnknownRelease } from "../../../../components/store/edgeWarnings";
import { minioProfile } from "../../../../components/store/profiles/minio";
import { rustfsProfile } from "../../../../components/store/profiles/rustfs";

jest.mock("@pulumi/pulumi", () => ({
    ...jest.requireActual<object>("@pulumi/pulumi"),
    log: { warn: jest.fn(() => Promise.resolve()) },
}));

const component = { urn: pulumi.output("urn") } as unknown as pulumi.Resource;
const warnings = async () => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return jest.mocked(pulumi.log.warn).mock.calls.map(([message]) => message);
};

beforeEach(() => jest.mocked(pulumi.log.warn).mockClear());

test.each([
    ["minio/minio:latest", true],
    ["minio/minio@sha256:0123", true],
    ["minio/minio:RELEASE.2023-05-18T00-05-36Z", true],
    ["bitnami/minio:2025.7.23", true],
    ["minio/minio:RELEASE.2025-09-07T16-13-09Z@sha256:0123", false],
])("an image that names no release whose uploads are let through is warned of: %s", async (image, isWarnedOf) => {
    warnOfUnknownRelease(component, image, minioProfile);
    const expected = expect.stringMatching(
        `^image: "${image}" names no release that is known to verify uploads of the type STREAMING-UNSIGNED-PAYLOAD-TRAILER, .* write its tag`,
    ) as string;
    expect(await warnings()).toEqual(isWarnedOf ? [expected] : []);
});

test("no release of RustFS has to be known", async () => {
    warnOfUnknownRelease(component, "rustfs/rustfs:latest", rustfsProfile);
    expect(await warnings()).toEqual([]);
    expect(edgeRestrictionsOf(rustfsProfile, "rustfs/rustfs:latest")).toEqual({});
});

test("buckets of which parts are closed are warned of", async () => {
    warnOfClosedBuckets(component, ["photos", "iceberg", "profile", "rustfs"], rustfsProfile);
    expect(await warnings()).toEqual([
        expect.stringMatching(/^buckets\.iceberg: proxies close \/iceberg\/v1\/\* to clients/),
        expect.stringMatching(/^buckets\.profile: proxies close \/profile\/cpu, \/profile\/memory to clients/),
        expect.stringMatching(
            /^buckets\.rustfs: proxies close \/rustfs\/admin\/\*, \/rustfs\/rpc\/\*, \/rustfs\/peer\/\* /,
        ),
    ]);
});
