import * as pulumi from "@pulumi/pulumi";
import { minioProfile, rustfsProfile, StorageCluster } from "../../../../components";
import { DEFAULT_LEGO_IMAGE } from "../../../../components/certificate/acmeSettings";
import { DEFAULT_HAPROXY_IMAGE } from "../../../../components/haproxyConfig/image";
import {
    haproxyVulnerabilities,
    legoVulnerabilities,
    vulnerabilitiesOf,
    vulnerabilityWarnings,
    type KnownVulnerability,
} from "../../../../components/store/knownVulnerabilities";
import { releaseOf } from "../../../../components/store/releases";
import { BUILT_IMAGES } from "../../../../tools/images/builtImages";
import { mockEngine, settled } from "../../fakes/mockEngine";

jest.mock("../../../../components/requirements/requireAll", () => ({
    requireAll: () => [],
}));

const idsOf = (image: string, known = minioProfile.knownVulnerabilities, variables: string[] = [], said?: string) => {
    const found = vulnerabilitiesOf(image, known, variables, said);
    return found === "unknown" ? found : found.map(({ id }) => id);
};

describe("known vulnerabilities", () => {
    test.each([
        ["minio/minio:RELEASE.2025-09-07T16-13-09Z", ["CVE-2025-62506", "CVE-2026-39414"]],
        ["minio/minio:RELEASE.2025-09-07T16-13-09Z@sha256:0123", ["CVE-2025-62506", "CVE-2026-39414"]],
        [
            "quay.io/minio/minio:RELEASE.2025-03-12T18-04-18Z-cpuv1",
            ["CVE-2025-31489", "CVE-2025-62506", "CVE-2026-39414"],
        ],
        [
            "registry.test:5000/minio:RELEASE.2023-03-13T19-46-17Z",
            ["CVE-2023-28432", "CVE-2024-55949", "CVE-2025-62506", "CVE-2026-39414"],
        ],
        [BUILT_IMAGES.minio.reference, ["CVE-2026-39414"]],
        ["pgsty/silo:RELEASE.2026-09-16T00-00-00Z", []],
        ["minio/minio:latest", "unknown"],
        ["store@sha256:0123", "unknown"],
    ])("MinIO: %s has %j", (image, ids) => {
        expect(idsOf(image)).toEqual(ids);
    });

    test("that need a setting count only with it: the client secret of OpenID Connect signs tokens on MinIO", () => {
        const variables = ["MINIO_IDENTITY_OPENID_CONFIG_URL", "MINIO_IDENTITY_OPENID_CLIENT_SECRET"];
        const image = minioProfile.image ?? "";
        expect(idsOf(image, minioProfile.knownVulnerabilities, variables)).toContain("CVE-2026-33322");
        expect(idsOf(image, minioProfile.knownVulnerabilities, ["MINIO_IDENTITY_LDAP_SERVER_ADDR"])).toContain(
            "CVE-2026-33419",
        );
    });

    test.each([
        ["rustfs/rustfs:1.0.1", []],
        ["rustfs/rustfs:1.0.0-rc.2-glibc", []],
        ["rustfs/rustfs:1.0.0-beta.11", ["GHSA-6r96-hmgc-726c"]],
        // As text, alpha.9 would be later than alpha.77.
        [
            "rustfs/rustfs:1.0.0-alpha.9",
            [
                "CVE-2025-68926",
                "CVE-2026-21862",
                "CVE-2026-39360",
                "CVE-2026-40937",
                "GHSA-5354-r3w2-34m8",
                "GHSA-6r96-hmgc-726c",
            ],
        ],
        ["rustfs/rustfs:latest", "unknown"],
    ])("RustFS: %s has %j", (image, ids) => {
        expect(idsOf(image, rustfsProfile.knownVulnerabilities)).toEqual(ids);
    });

    test.each([
        ["haproxy:3.2.19", ["CVE-2026-55204"]],
        ["haproxy:3.2.9-bookworm", ["CVE-2026-55204"]],
        ["haproxy:3.2.26", []],
        [DEFAULT_HAPROXY_IMAGE, []],
        [BUILT_IMAGES.haproxy.reference, "unknown"],
    ])("HAProxy: %s has %j", (image, ids) => {
        expect(idsOf(image, haproxyVulnerabilities)).toEqual(ids);
    });

    test("are looked up by what an image says of itself, if its name says nothing", () => {
        expect(idsOf("proxy@sha256:0123", haproxyVulnerabilities, [], "3.2.26-1")).toEqual([]);
        expect(idsOf("proxy@sha256:0123", haproxyVulnerabilities, [], "3.2.12")).toEqual(["CVE-2026-55204"]);
    });

    test("of the ACME client end before the default image", () => {
        expect(idsOf(DEFAULT_LEGO_IMAGE, legoVulnerabilities)).toEqual([]);
        expect(idsOf("goacme/lego:v4.9.1", legoVulnerabilities)).toEqual(["CVE-2025-54799"]);
    });

    test("have releases that can be compared, and the first one before the last", () => {
        const all: KnownVulnerability[] = [
            ...(minioProfile.knownVulnerabilities ?? []),
            ...(rustfsProfile.knownVulnerabilities ?? []),
            ...haproxyVulnerabilities,
            ...legoVulnerabilities,
        ];
        const tags = all.flatMap(({ since, fixedIn }) => [since, fixedIn].filter((tag) => tag !== undefined));
        expect(tags.filter((tag) => releaseOf(`:${tag}`) === undefined)).toEqual([]);
    });

    test("of a release that isn't known are named in one warning", () => {
        expect(vulnerabilityWarnings("image", "minio/minio:latest", minioProfile.knownVulnerabilities)).toEqual([
            expect.stringMatching(
                /^image: "minio\/minio:latest" names no exact release, so it can't be known.*CVE-2025-62506/,
            ),
        ]);
        expect(vulnerabilityWarnings("image", "own/store:latest")).toEqual([]);
    });
});

describe("a preview", () => {
    const warningsOf = async (image?: string, environment?: { [name: string]: string }) => {
        const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
        const resources = await mockEngine();
        new StorageCluster("store", { profile: "minio", image, environment });
        await settled(resources);
        const messages = warn.mock.calls.map(([message]) => message);
        warn.mockRestore();
        return messages;
    };

    test("warns about MinIO's default image, with the CVE and the remedy", async () => {
        expect(await warningsOf()).toContainEqual(
            expect.stringMatching(
                /^image: "minio\/minio:RELEASE.2025-09-07T16-13-09Z" has CVE-2025-62506: .* Fixed in .*; .*npm run up/,
            ),
        );
    });

    test("warns about OpenID Connect on MinIO", async () => {
        const environment = { MINIO_IDENTITY_OPENID_CLIENT_ID: "store" };
        expect(await warningsOf(BUILT_IMAGES.minio.reference, environment)).toContainEqual(
            expect.stringMatching(/CVE-2026-33322: whoever knows the client secret.*as powerful as the root keys/),
        );
    });
});
