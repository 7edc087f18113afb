import { renderHaproxyConfig } from "../../../../components/haproxyConfig/config";
import type { HaproxyStore } from "../../../../components/haproxyConfig/haproxyStore";
import { store, base } from "../../fakes/haproxyArgs";

describe("buckets in hostnames", () => {
    const reading = { ...store.cluster, bucketDomains: ["s3.example.com"] };
    const ofBuckets = { ...store, virtualHostBuckets: true, cluster: reading };
    const lines = (stores: HaproxyStore[]) => renderHaproxyConfig({ ...base, stores }).split("\n    ");

    test("are routed like the S3 hostname, if they are in lower case and one label below it", () => {
        const found = lines([ofBuckets]);
        const pattern = "'^[a-z0-9][a-z0-9-]{1,61}[a-z0-9][.]s3[.]example[.]com(?::[0-9]+)?$'";
        expect(found).toContain(`acl s3_host req.fhdr(host) -m reg ${pattern}`);
        expect(found).toContain(`acl bucket_host req.fhdr(host) -m reg ${pattern}`);
        expect(found).toContainEqual(
            expect.stringMatching(
                /^http-request return status 400 .*<Code>InvalidRequest<.* if s3_host !\{ req\.fhdr\(host\) -m reg '\^\[a-z0-9\.-\]\*\[a-z0-9\]/,
            ),
        );
    });

    test("open no closed path, neither as a path nor together with it", () => {
        const found = lines([{ ...ofBuckets, adminNetworks: ["10.1.0.0/16"] }]);
        expect(found).toContain("http-request set-var(txn.bucket) req.fhdr(host),host_only,field(1,.) if bucket_host");
        for (const path of ["path", "resolved_path"]) {
            expect(found).toContainEqual(
                expect.stringContaining(
                    `http-request set-var(txn.bucket_${path}) "str(/),concat(,txn.bucket),concat(,txn.${path})"`,
                ),
            );
            for (const acl of ["admin_path", "internal_path"]) {
                expect(found).toContainEqual(
                    expect.stringContaining(`acl ${acl} var(txn.bucket_${path}) -m reg '^(?:/`),
                );
            }
        }
        expect(found).toContainEqual(
            expect.stringMatching(/ if admin_path s3_host !admin_network or admin_path bucket_host$/),
        );
        expect(found).toContainEqual(expect.stringMatching(/ if internal_path s3_host or internal_path console_host$/));
    });

    test("of clients on the node network alone: the S3 hostname has to be spelled right too", () => {
        const found = lines([{ ...store, cluster: reading }]);
        expect(found).toContainEqual(expect.stringMatching(/^http-request return status 400 .* if s3_host !/));
        expect(found.filter((line) => line.includes("bucket_host"))).toEqual([]);
    });

    test("of one store don't affect another one", () => {
        const other = { ...store, s3Host: "other.example.com", consoleHost: "console.other.test", name: "other" };
        const found = lines([ofBuckets, other]);
        expect(found.filter((line) => line.includes("other:bucket_host"))).toEqual([]);
        expect(found.filter((line) => /^http-request .*<Code>InvalidRequest</.test(line))).toHaveLength(1);
        expect(found.filter((line) => /acl other:admin_path/.test(line))).toHaveLength(2);
        expect(renderHaproxyConfig(base)).not.toContain("bucket");
    });
});
