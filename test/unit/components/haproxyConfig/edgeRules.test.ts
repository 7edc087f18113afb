import { renderHaproxyConfig } from "../../../../components/haproxyConfig/config";
import type { HaproxyConfigArgs } from "../../../../components/haproxyConfig/args";
import { edgeRestrictionsOf } from "../../../../components/store/edgeRestrictions";
import { minioProfile } from "../../../../components/store/profiles/minio";
import { base, store, cluster, node } from "../../fakes/haproxyArgs";

test("a store whose console needs no admin path has all of them closed on the console's hostname too", () => {
    const text = renderHaproxyConfig({
        ...base,
        stores: [
            { ...store, cluster: { ...cluster, servers: [node(1)], restrictedPaths: minioProfile.restrictedPaths } },
        ],
    });
    expect(text).toMatch(/acl closed_console_path var\(txn.path\) -m reg '\^\(\?:\/minio\/admin\/\|\/minio\/kms\/\|/);
});

test("uploads whose signature the store doesn't verify are refused, only on its own hostnames", () => {
    const { restrictedPaths, unverifiedUploads } = minioProfile;
    const minio = {
        ...store,
        name: "m",
        cluster: { ...cluster, servers: [node(1)], restrictedPaths, unverifiedUploads },
    };
    const text = renderHaproxyConfig({ ...base, stores: [store, { ...minio, s3Host: "m.example.com" }] });
    expect(text).toContain(
        "acl m:unverified_payload req.fhdr(x-amz-content-sha256) -m sub -i STREAMING-UNSIGNED-PAYLOAD-TRAILER\n",
    );
    const conditions = text
        .split("\n")
        .filter((line) => line.includes("The signature of this upload is not verified"))
        .map((line) => line.replace(/^.*<\/Error>' if /, ""));
    expect(conditions).toEqual(
        [
            "!m:verifiable_signature",
            "{ req.fhdr_cnt(authorization) gt 1 }",
            "{ query,url_dec -m sub -i X-Amz-Credential }",
            "{ query -m found } !{ query,url_dec -m found }",
            "{ req.fhdr(X-Amz-Meta-Snowball-Auto-Extract) -m found }",
        ].map(
            (condition) =>
                `m:s3_host m:unverified_payload ${condition} or m:console_host m:unverified_payload ${condition}`,
        ),
    );
});

describe("what MinIO would accept although it should not", () => {
    const edgeOf = (image: string) => edgeRestrictionsOf(minioProfile, image);
    const linesFor = (image: string, more: Partial<HaproxyConfigArgs> = {}) => {
        const ofStore = { ...cluster, servers: [node(1)], ...edgeOf(image) };
        return renderHaproxyConfig({ ...base, stores: [{ ...store, cluster: ofStore }], ...more })
            .split("\n")
            .map((line) => line.trim());
    };
    const conditions = (lines: string[], message: string) =>
        lines.filter((line) => line.includes(message)).map((line) => line.replace(/^.*<\/Error>' if /, ""));
    const onBoth = (condition: string) => `s3_host ${condition} or console_host ${condition}`;

    test.each([
        ["minio/minio:RELEASE.2025-03-12T18-04-18Z", "an older release"],
        ["minio/minio:RELEASE.2023-05-18T00-05-36Z.fips", "an older release"],
        ["minio/minio:latest", "a tag that moves"],
        ["minio/minio@sha256:0123", "a digest"],
        ["minio/minio", "no tag"],
    ])("%s, %s: every upload with an unsigned trailer is refused", (image) => {
        const found = conditions(linesFor(image), "The signature of this upload is not verified");
        expect(found).toEqual([onBoth("unverified_payload")]);
    });

    test.each([
        "minio/minio:RELEASE.2025-04-03T14-56-28Z",
        "r.example/minio:RELEASE.2025-09-07T16-13-09Z@sha256:01",
        "minio:20260212",
    ])("%s: uploads whose signature it verifies pass", (image) => {
        const found = conditions(linesFor(image), "The signature of this upload is not verified");
        expect(found[0]).toBe(onBoth("unverified_payload !verifiable_signature"));
    });

    test("metadata of its replication needs the header for which it asks for a permission, but to complete an upload", () => {
        const lines = linesFor("minio:20260212");
        expect(lines).toContain("acl replicated_metadata req.hdr_names(:) -m sub x-minio-replication-");
        expect(lines).toContain("acl permitted_replication req.fhdr(x-amz-bucket-replication-status) -m str REPLICA");
        expect(conditions(lines, "Only replication may set this metadata")).toEqual(
            [
                "{ query,url_dec -m sub -i x-minio-replication- }",
                "replicated_metadata { req.fhdr(x-amz-copy-source) -m found }",
                "replicated_metadata { req.fhdr_cnt(x-amz-bucket-replication-status) gt 1 }",
                "replicated_metadata !permitted_replication !METH_POST",
                "replicated_metadata !permitted_replication !{ url_param(uploadId) -m found }",
            ].map(onBoth),
        );
    });

    test("a share link of the console leads to an object", () => {
        const lines = linesFor("minio:20260212");
        const refused = "console_host shared_link !shared_object or console_host shared_link shared_upwards";
        expect(conditions(lines, "This is not a link to an object")).toEqual([refused]);
        const [, pattern = ""] = /^acl shared_object var\(txn\.shared\) -m reg '(.*)'$/m.exec(lines.join("\n")) ?? [];
        const isObject = (url: string) => new RegExp(pattern).test(url);
        const signature = "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=01";
        expect(isObject(`http://127.0.0.1:9000/bucket/a/key${signature}`)).toBe(true);
        for (const url of [
            "/minio/health/live",
            "/minio/v2/metrics/cluster",
            "//minio/health/live",
            "/%6dinio/health/live",
            "/bucket",
            "/",
        ]) {
            expect(isObject(`http://127.0.0.1:9000${url}${signature}`)).toBe(false);
        }
        expect(isObject("http://127.0.0.1:9000/bucket/key")).toBe(false);
    });

    test.each(["text", "json", "errors"] as const)("a share link is not in the access log: %s", (accessLog) => {
        const lines = linesFor("minio:20260212", { accessLog });
        const cut = lines.flatMap((line, at) =>
            line.startsWith("http-request set-var(txn.log_path) str(") ? [at] : [],
        );
        expect(cut).toHaveLength(2);
        for (const at of cut) {
            expect(lines[at]).toMatch(
                /str\(\/api\/v1\/download-shared-object\/-\) if \{ path,url_dec,regsub\(.*-m sub \/api\/v1\/download-shared-object\/ \}$/,
            );
            expect(lines[at - 1]).toBe("http-request set-var(txn.log_path) path,bytes(0,4096)");
        }
        expect(lines.find((line) => line.startsWith("log-format "))).toContain("[var(txn.log_path)]");
        expect(lines.join("\n")).not.toMatch(/%HPO|capture\.req\.uri/);
    });
});
