import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderHaproxyConfig } from "../../../../components/haproxyConfig/config";
import type { HaproxyConfigArgs } from "../../../../components/haproxyConfig/args";
import { edgeRestrictionsOf } from "../../../../components/store/edgeRestrictions";
import { renderInitialServerStates } from "../../../../components/haproxyConfig/serverState";
import type { HaproxyStore } from "../../../../components/haproxyConfig/haproxyStore";
import { minioProfile } from "../../../../components/store/profiles/minio";
import { serviceProfile } from "../../../../components/store/profiles/contract";

const cluster = {
    profileName: "service",
    networkName: "store-nodes",
    subnet: "10.200.7.0/24",
    s3Port: 9000,
    consolePort: 9001,
    s3HealthPath: "/health/ready",
    consoleHealthPath: "/service/console/health",
    restrictedPaths: serviceProfile.restrictedPaths,
};
const node = (number: number) => ({ name: `node${number}`, address: `10.200.7.${9 + number}` });
const store: HaproxyStore = {
    s3Host: "S3.example.com",
    consoleHost: "console.example.com",
    cluster: { ...cluster, servers: [node(1)] },
    adminNetworks: [],
    consoleNetworks: [],
};
const base: HaproxyConfigArgs = {
    stores: [store],
    services: [],
    certificate: { file: "certificate.pem", notAfter: "2027-01-01T00:00:00Z" },
    httpsPort: 443,
    maxConnections: 10000,
    maxConnectionsPerAddress: 5000,
    hardStopAfter: 86400,
    accessLog: "text",
    trustedProxies: [],
    ipv6: false,
};

test("one node, standard port: the whole file", () => {
    expect(renderHaproxyConfig(base)).toBe(readFileSync(join(__dirname, "oneNode.haproxy.cfg"), "utf8"));
});

test("a cluster: every node in both backends, each with a unique cookie value", () => {
    const servers = [node(1), node(2)];
    const text = renderHaproxyConfig({ ...base, stores: [{ ...store, cluster: { ...cluster, servers } }] });
    expect(text).toContain(`    server node1 10.200.7.10:9000
    server node2 10.200.7.11:9000
`);
    expect(text).toContain("cookie service_console insert indirect nocache httponly secure");
    expect(text).toContain(`    server node1 10.200.7.10:9001 cookie node1
    server node2 10.200.7.11:9001 cookie node2
`);
});

test("a 503 of the only node is not asked for again; another node may do better", () => {
    const retries = (...servers: ReturnType<typeof node>[]) =>
        renderHaproxyConfig({ ...base, stores: [{ ...store, cluster: { ...cluster, servers } }] }).match(
            /retry-on .*/g,
        );
    expect(retries(node(1))).toEqual([
        "retry-on conn-failure empty-response 503",
        "retry-on conn-failure empty-response",
    ]);
    expect(retries(node(1), node(2))).toEqual(["retry-on conn-failure empty-response 503"]);
});

test("while no node is ready, reads go to nodes that can read, if the store can report this", () => {
    const reading = { ...cluster, servers: [node(1), node(2)], s3ReadHealthPath: "/health/read" };
    const text = renderHaproxyConfig({ ...base, stores: [{ ...store, cluster: reading }] });
    const [route, everythingElse] = [
        "use_backend s3_read if s3_host METH_GET { nbsrv(s3) eq 0 } { nbsrv(s3_read) gt 0 }",
        "use_backend s3 if s3_host",
    ];
    expect(text).toContain(`    ${route}\n    ${everythingElse}\n`);
    const backend = text.split("backend s3_read\n")[1]?.split("backend console\n")[0];
    expect(backend).toContain("http-check send meth GET uri /health/read ver HTTP/1.1 hdr Host localhost");
    expect(backend).toContain("server node2 10.200.7.11:9000");
    expect(
        renderInitialServerStates([{ cluster: reading }])
            .split("\n")
            .slice(2, -1),
    ).toEqual([
        expect.stringMatching(/^1 s3 1 node1 .* 9000 /),
        expect.stringMatching(/^1 s3 2 node2 /),
        expect.stringMatching(/^2 s3_read 1 node1 .* 9000 /),
        expect.stringMatching(/^2 s3_read 2 node2 /),
        expect.stringMatching(/^3 console 1 node1 .* 9001 /),
        expect.stringMatching(/^3 console 2 node2 /),
    ]);
    expect(text).toContain("lua-load endHangingRequests.lua 11 s3,s3_read\n");
    expect(renderHaproxyConfig(base)).not.toContain("s3_read");
});

test("a node that starts stays out of both S3 backends, if it may deny what its peers have", () => {
    const denying = { ...cluster, servers: [node(1), node(2)], denialSeconds: 17, s3ReadHealthPath: "/health/read" };
    const text = renderHaproxyConfig({ ...base, stores: [{ ...store, name: "other", cluster: denying }] });
    expect(text).toContain("lua-load keepStartedNodesOut.lua 17 /health/ready s3-other,s3_read-other\n");
    const live = { ...denying, livenessPath: "/health/live" };
    expect(renderHaproxyConfig({ ...base, stores: [{ ...store, cluster: live }] })).toContain(
        "lua-load keepStartedNodesOut.lua 17 /health/live s3,s3_read\n",
    );
    for (const ofStore of [
        { ...denying, servers: [node(1)] },
        { ...denying, denialSeconds: undefined },
    ]) {
        const without = renderHaproxyConfig({ ...base, stores: [{ ...store, cluster: ofStore }] });
        expect(without).not.toContain("keepStartedNodesOut");
    }
});

test("in a cluster, a failing node's response is held back; that of a single node is not", () => {
    const pause = "http-response pause 15s if { status 503 } { txn.conn_retries eq 0 }";
    const text = renderHaproxyConfig({
        ...base,
        stores: [{ ...store, cluster: { ...cluster, servers: [node(1), node(2)] } }],
    });
    expect(text.split("backend s3\n")[1]?.split("backend console\n")[0]).toContain(pause);
    expect(renderHaproxyConfig(base)).not.toContain("http-response pause");
});

test("in a cluster, a node that refuses connections is taken out of service; a single node is not", () => {
    const observed = "default-server observe layer4 error-limit 2 on-error mark-down";
    const servers = [node(1), node(2), node(3)];
    const text = renderHaproxyConfig({ ...base, stores: [{ ...store, cluster: { ...cluster, servers } }] });
    expect(text.split("backend s3\n")[1]?.split("backend console\n")[0]).toContain(observed);
    expect(text.split("backend console\n")[1]).not.toContain(observed);
    expect(renderHaproxyConfig(base)).not.toContain("observe");
    // The contract's health checks return it to service.
    expect(text).toContain("default-server check inter 10s fall 3 rise 2 init-state fully-down");
    expect(text).not.toMatch(/fastinter|downinter/);
});

test("a reload gives running requests the configured time, also beyond the contract's timeouts of one hour", () => {
    const text = renderHaproxyConfig({ ...base, hardStopAfter: 7200 });
    expect(text).toContain("    hard-stop-after 7200s\n");
    expect(text).toContain("    timeout client 1h\n");
    expect(text).toContain("    timeout server 1h\n");
});

test("an address may have as many concurrent requests over HTTP/2 as connections", () => {
    const text = renderHaproxyConfig({ ...base, maxConnectionsPerAddress: 300 });
    const https = text.split("frontend https\n")[1] ?? "";
    expect(https).toMatch(
        /http-request track-sc1 src table requests\n +http-request return status 503 .*<Code>SlowDown<.* if { sc1_conn_cur gt 300 }\n/,
    );
    expect(text).toContain("backend requests\n    stick-table type ipv6 ");
});

test("each answer before the body was asked for ends the connection, whoever gives it", () => {
    const move = { name: "move-1", to: [{ address: "10.0.0.1", port: 443 }], trustedFile: "moved-ca.pem", done: false };
    const reading = { ...cluster, servers: [node(1), node(2)], s3ReadHealthPath: "/health/read" };
    const text = renderHaproxyConfig({
        ...base,
        stores: [{ ...store, cluster: reading, move }],
        services: [{ name: "app", hostname: "app.test", servers: [{ host: "app", port: 80 }], healthPath: "/" }],
    });
    const sections = new Map(text.split("\n\n").map((part) => [/^(?:frontend|backend) .*/m.exec(part)?.[0], part]));
    for (const frontend of ["frontend http", "frontend https"]) {
        const rules =
            sections
                .get(frontend)
                ?.split("\n")
                .filter((line) => / http-(request|after-response) /.test(line)) ?? [];
        expect(rules[0]?.trim()).toBe("http-request set-var(txn.expects) bool(true) if { req.fhdr(expect) -m found }");
        expect(rules[1]?.trim()).toMatch(/^http-after-response set-header Connection close if /);
    }
    const backends = [...sections].filter(([, part]) => /^ {4}server /m.test(part)).map(([name]) => name);
    expect(backends).toEqual(["s3", "s3_read", "console", "moved", "service-app"].map((name) => `backend ${name}`));
    for (const name of backends) {
        expect(sections.get(name)).toContain(
            "    tcp-response inspect-delay 1h\n" +
                "    tcp-response content set-var(txn.continued) bool(true) if { status 100 }\n",
        );
    }
});

test("headers that a response could not have are refused in the request, with an error of S3", () => {
    const text = renderHaproxyConfig(base);
    expect(text).toContain("    tune.http.maxhdr 1024\n");
    expect(text).toMatch(
        /http-request return status 400 .*<Code>RequestHeaderSectionTooLarge<.* if s3_host \{ req\.fhdr_cnt gt 900 \} or s3_host \{ req\.hdrs,length gt 24576 \}\n/,
    );
    expect(text.split("backend s3\n")[1]).toMatch(
        /http-response return status 400 .*<Code>RequestHeaderSectionTooLarge<.* if \{ status 431 \}\n/,
    );
});

test("another port is used in redirects", () => {
    const text = renderHaproxyConfig({ ...base, httpsPort: 8443 });
    expect(text).toContain("location https://%[var(txn.host)]:8443%[pathq]");
});

test("allowed networks are in the rules", () => {
    const text = renderHaproxyConfig({
        ...base,
        stores: [{ ...store, adminNetworks: ["10.1.0.0/16", "fd00::/8"], consoleNetworks: ["10.2.0.0/16"] }],
    });
    expect(text).toContain("acl admin_network src 10.1.0.0/16 fd00::/8\n");
    expect(text).toContain("if admin_path s3_host !admin_network\n");
    expect(text).toContain("acl console_network src 10.2.0.0/16\n");
    expect(text).toContain("http-request deny deny_status 403 if console_host !console_network\n");
});

describe("behind another proxy", () => {
    const frontend = (name: string, args: Partial<HaproxyConfigArgs>) =>
        renderHaproxyConfig({ ...base, ...args })
            .split(`frontend ${name}\n`)[1]
            ?.split("\n\n")[0] ?? "";
    const trustedProxies = ["10.3.0.0/24", "fd00:3::/64"];
    const proxyProtocol = "required" as const;
    const chain = [1, 2, 3, 4, 5]
        .map(
            (index) => `\
    http-request deny deny_status 400 if trusted_proxy { req.hdr_cnt(x-forwarded-for) ge ${index} } !{ req.hdr_ip(x-forwarded-for,-${index}) -m found }
    http-request set-src req.hdr_ip(x-forwarded-for,-${index}) if trusted_proxy
`,
        )
        .join("");
    const hosts = `\
    acl s3_host req.fhdr(host),host_only -m str s3.example.com s3.example.com.
    acl console_host req.fhdr(host),host_only -m str console.example.com console.example.com.
    http-request set-var(txn.of_s3) bool(true) if s3_host
    http-after-response set-header Access-Control-Allow-Origin * if { var(txn.of_s3) -m bool } !{ var(txn.answered) -m bool }
`;
    const loggedPath = "    http-request set-var(txn.log_path) path,bytes(0,4096)\n";
    const unsentBodies = `\
    http-request set-var(txn.expects) bool(true) if { req.fhdr(expect) -m found }
    http-after-response set-header Connection close if { var(txn.expects) -m bool } !{ var(txn.continued) -m bool }
`;

    test("X-Forwarded-For of trusted proxies is read before any rule that uses the address", () => {
        expect(frontend("https", { trustedProxies })).toContain(`\
    bind :8443 ssl crt certificate.pem alpn h2,http/1.1
    acl trusted_proxy src 10.3.0.0/24 fd00:3::/64
    tcp-request connection track-sc0 src,ipmask(32,64) table addresses unless trusted_proxy
    tcp-request connection reject if { sc0_conn_cur gt 5000 }
${unsentBodies}${hosts}${chain}${loggedPath}    http-request track-sc1 src,ipmask(32,64) table requests
`);
        expect(frontend("http", { trustedProxies })).toContain(`\
    bind :8080
    acl trusted_proxy src 10.3.0.0/24 fd00:3::/64
    tcp-request connection track-sc0 src,ipmask(32,64) table redirected_addresses unless trusted_proxy
    tcp-request connection reject if { sc0_conn_cur gt 313 }
${unsentBodies}    http-request set-log-level silent if { src 127.0.0.1 }
${chain}${loggedPath}    http-request deny deny_status 400 if { req.fhdr_cnt(host) gt 1 }
`);
    });

    test("with the PROXY protocol, connections are counted by the address in its header; health checks need none", () => {
        expect(frontend("https", { trustedProxies, proxyProtocol })).toContain(`\
    acl trusted_proxy src 10.3.0.0/24 fd00:3::/64
    tcp-request connection reject unless trusted_proxy
    tcp-request connection expect-proxy layer4 if trusted_proxy
    tcp-request session track-sc0 src,ipmask(32,64) table addresses unless trusted_proxy
    tcp-request session reject if { sc0_conn_cur gt 5000 }
${unsentBodies}${hosts}${chain}`);
        expect(frontend("http", { trustedProxies, proxyProtocol })).toContain(`\
    tcp-request connection reject unless trusted_proxy or { src 127.0.0.1 }
    tcp-request connection expect-proxy layer4 if trusted_proxy
`);
        expect(frontend("metrics", { trustedProxies, proxyProtocol })).toBe(frontend("metrics", {}));
    });

    test("keeps connections for longer than load balancers do, unless they pass them on", () => {
        const idle = (args: Partial<HaproxyConfigArgs>) => {
            const text = renderHaproxyConfig({ ...base, ...args });
            const [, timeout] = /timeout http-keep-alive (\S+)/.exec(text) ?? [];
            const [, said] = /set-header Keep-Alive (\S+)/.exec(text) ?? [];
            return { timeout, said };
        };
        expect(idle({})).toEqual({ timeout: "10s", said: "timeout=9" });
        expect(idle({ trustedProxies })).toEqual({ timeout: "120s", said: "timeout=119" });
        expect(idle({ trustedProxies, proxyProtocol })).toEqual({ timeout: "10s", said: "timeout=9" });
    });

    test("a trusted proxy itself is in no network with special access", () => {
        const open = { ...store, name: "one", adminNetworks: ["10.0.0.0/8"], consoleNetworks: ["10.0.0.0/8"] };
        const text = frontend("https", { trustedProxies, stores: [open] });
        expect(text).toContain(
            "if one:admin_path one:s3_host !one:admin_network or one:admin_path one:s3_host trusted_proxy\n",
        );
        expect(text).toContain(
            "http-request deny deny_status 403 if one:console_host !one:console_network or one:console_host trusted_proxy\n",
        );
    });
});

test("clients that connect by IPv6 have a listener of their own, and are counted by their networks", () => {
    const text = renderHaproxyConfig({ ...base, ipv6: true });
    expect(text).toContain("    bind :8080\n    bind [::]:8081 v6only\n");
    expect(text).toContain(
        "    bind :8443 ssl crt certificate.pem alpn h2,http/1.1\n" +
            "    bind [::]:8444 v6only ssl crt certificate.pem alpn h2,http/1.1\n",
    );
    expect(text).toContain("tcp-request connection track-sc0 src,ipmask(32,64) table addresses\n");
    expect(text).toContain("http-request track-sc1 src,ipmask(32,64) table requests\n");
});

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

test("HSTS is sent with every response if it is configured", () => {
    const text = renderHaproxyConfig({ ...base, hstsMaxAge: 31536000 });
    expect(text).toContain('http-after-response set-header Strict-Transport-Security "max-age=31536000"\n');
});

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

test("a store that is called service, and a service that is called like a part of a store, have names of their own", () => {
    const named = {
        ...store,
        name: "service",
        s3Host: "other.example.com",
        consoleHost: "c.other.example.com",
        virtualHostBuckets: true,
    };
    const services = ["s3", "console", "bucket"].map((name) => ({
        ...{ name, hostname: `${name}.test`, servers: [{ host: "app", port: 80 }], healthPath: "/" },
    }));
    const text = renderHaproxyConfig({ ...base, stores: [store, named], services });
    const declared = [...text.matchAll(/^ {4}acl (\S+ \S+)/gm)].map(([, acl = ""]) => acl);
    const hostAclsOf = (host: string) =>
        [...text.matchAll(/^ {4}acl (\S+) req\.fhdr\(host\),host_only -m str (\S+)/gm)].flatMap(([, acl, of]) =>
            of === host ? [acl] : [],
        );
    const hosts = [
        "s3.example.com",
        "console.example.com",
        "other.example.com",
        "c.other.example.com",
        "s3.test",
        "console.test",
        "bucket.test",
    ];
    const names = hosts.flatMap(hostAclsOf);
    expect(names).toHaveLength(hosts.length);
    expect(new Set(names).size).toBe(hosts.length);
    expect(declared.length).toBeGreaterThan(hosts.length);
    const sections = [...text.matchAll(/^(?:frontend|backend) (\S+)/gm)].map(([, name]) => name);
    expect(new Set(sections).size).toBe(sections.length);
});

test("a third client is served if two have all the connections that an address may have, and so are the proxy's own checks", () => {
    const text = renderHaproxyConfig(base);
    const numbers = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, number]) => Number(number));
    const [http = 0, https = 0] = numbers(/^ {4}maxconn (\d+)/gm);
    const [perHttp = 0, perHttps = 0] = numbers(/reject if \{ sc0_conn_cur gt (\d+) \}/g);
    expect(http + https).toBeLessThan(base.maxConnections);
    expect(2 * perHttp).toBeLessThan(http);
    expect(2 * resolvedDefault(2 * base.maxConnections)).toBeLessThan(https);
    expect(perHttps).toBe(base.maxConnectionsPerAddress);
});

/** The default of `maxConnectionsPerAddress`, by `openFiles`. */
const resolvedDefault = (openFiles: number) => Math.floor(openFiles / 8);

test("requests to the admin API, and those that append, don't go to a second node", () => {
    const lines = renderHaproxyConfig(base)
        .split("\n")
        .map((line) => line.trim());
    expect(lines.filter((line) => line.startsWith("http-request disable-l7-retry"))).toEqual([
        "http-request disable-l7-retry unless METH_GET or METH_HEAD or METH_PUT or METH_DELETE",
        "http-request disable-l7-retry if { req.hdr(if-match) -m found } or { req.hdr(if-none-match) -m found }",
        "http-request disable-l7-retry if { req.hdr(x-amz-write-offset-bytes) -m found }",
        "http-request disable-l7-retry if admin_path",
    ]);
});

test("HSTS is the proxy's to decide, and its own answers of S3 may be read by pages of other origins", () => {
    const text = renderHaproxyConfig(base);
    const removed = "    http-response del-header Strict-Transport-Security\n";
    expect(text.split("backend s3\n")[1]?.split("\n\n")[0]).toContain(removed);
    expect(text.split("backend console\n")[1]?.split("\n\n")[0]).toContain(removed.trimEnd());
    const s3 = text.split("backend s3\n")[1]?.split("\n\n")[0] ?? "";
    const converted = s3.indexOf("if { status 431 }");
    expect(s3.indexOf("http-response set-var(txn.answered) bool(true)")).toBeGreaterThan(converted);
    expect(converted).toBeGreaterThan(0);
});

test("challenges go to another proxy only while that one orders", () => {
    const peers = ["b", "c"].map((name, index) => ({ name, address: `10.200.7.${3 + index}` }));
    const certificate = { challenges: { acmeAddress: "10.200.7.9", selfCheck: "self" }, peers };
    const text = renderHaproxyConfig({ ...base, certificate });
    const acme = text.split("backend acme\n")[1]?.split("\n\n")[0] ?? "";
    expect(acme).toContain("    retries 5\n");
    expect(acme).toContain("    http-check send meth GET uri /state ver HTTP/1.1 hdr Host peer\n");
    expect(acme).toContain("    http-check expect rstring (^|\\n)busy\\ 1\\n\n");
    expect(acme).toMatch(/server acme 10\.200\.7\.9:8402 no-check init-state fully-up\n/);
    expect(acme.match(/server peer-\w .* check inter 3s fall 1 rise 1 init-state fully-down/g)).toHaveLength(2);
});

test("one more store or service doesn't change the names of the others, and has its own rules", () => {
    const other = { ...cluster, servers: [{ name: "node1", address: "10.200.8.10" }], subnet: "10.200.8.0/24" };
    const text = renderHaproxyConfig({
        ...base,
        stores: [
            store,
            {
                ...store,
                name: "b",
                cluster: other,
                s3Host: "b.example.com",
                consoleHost: "console.b.example.com",
                adminNetworks: ["10.1.0.0/16"],
            },
        ],
        services: [
            { name: "app", hostname: "App.example.com", servers: [{ host: "app", port: 80 }], healthPath: "/health" },
        ],
    });
    const alone = readFileSync(join(__dirname, "oneNode.haproxy.cfg"), "utf8");
    const changed = alone.split("\n").filter((line) => !text.split("\n").includes(line));
    expect(changed.map((line) => line.trim().replace(/(unless|if) .*/, "$1"))).toEqual([
        "lua-load endHangingRequests.lua 11 s3",
        "http-request set-var(txn.of_s3) bool(true) if",
        'http-request return status 404 content-type text/plain string "Not found" unless',
        "http-request del-header upgrade unless",
        "http-request set-header Connection Upgrade if",
        "http-request disable-l7-retry if",
        "tcp-request connection reject unless",
    ]);
    for (const line of [
        "acl b:s3_host req.fhdr(host),host_only -m str b.example.com b.example.com.",
        "use_backend s3-b if b:s3_host",
        "use_backend console-b if b:console_host",
        "backend s3-b",
        "server node1 10.200.8.10:9000",
        "acl b:admin_network src 10.1.0.0/16",
        "acl service:app:host req.fhdr(host),host_only -m str app.example.com app.example.com.",
        "use_backend service-app if service:app:host",
        "server server1 app:80",
        "http-check send meth GET uri /health ver HTTP/1.1 hdr Host app.example.com",
        "tcp-request connection reject unless { src 10.200.7.0/24 } { dst 10.200.7.0/24 } or { src 10.200.8.0/24 } { dst 10.200.8.0/24 }",
    ]) {
        expect(text).toContain(`${line}\n`);
    }
    expect(text).toMatch(/403 .* if b:internal_path b:s3_host or b:internal_path b:console_host\n/);
    expect(text).toMatch(/403 .* if b:admin_path b:s3_host !b:admin_network\n/);
});

describe("a store that is moved", () => {
    const move = { name: "move-1", to: [{ address: "10.0.0.1", port: 443 }], trustedFile: "moved-ca.pem", done: false };
    const linesOf = (done: boolean) =>
        renderHaproxyConfig({ ...base, stores: [{ ...store, move: { ...move, done } }] })
            .split("\n")
            .map((line) => line.trim());

    test("until it is done: writes are held while it is paused, counted, and forwarded once the running proxy is switched", () => {
        const lines = linesOf(false);
        const held = lines.filter((line) => line.startsWith("http-request pause 500ms "));
        expect(held).toHaveLength(56);
        expect(new Set(held).size).toBe(1);
        expect(held[0]).toMatch(/ if s3_host changing held or console_host changing held$/);
        expect(lines).toContain("acl changing method POST PUT DELETE PATCH");
        expect(lines).toContain("tune.max-rules-at-once 1000000");
        expect(lines).toContain("lua-load endHangingRequests.lua 11 s3,moved");
        // Each look is at the time of then, so that a pause that has ended by itself holds nothing.
        const looks = lines.flatMap((line, at) => (line.startsWith("http-request set-var(txn.now) date") ? [at] : []));
        expect(looks.slice(0, 56).map((at) => lines[at + 1])).toEqual(held);
        const [refused, counted, routed, own] = [
            "http-request return status 503 content-type application/xml hdr Retry-After 5",
            "http-request track-sc2 str(changes) table changes if s3_host changing or console_host changing",
            "use_backend moved if s3_host forwarded or console_host forwarded",
            "use_backend s3 if s3_host",
        ].map((start) => lines.findIndex((line) => line.startsWith(start)));
        const order = [looks[0], lines.indexOf(held[0] ?? ""), looks[56], refused, counted, routed, own];
        expect(order).toEqual([...order].sort((a = 0, b = 0) => a - b));
        expect(order[0]).toBeGreaterThan(0);
    });

    test("of a store with a hyphen in its name has rules that HAProxy can read", () => {
        const text = renderHaproxyConfig({ ...base, stores: [{ ...store, name: "media-b", move }] });
        const variables = text.match(/(?<=var\()[^)]+/g) ?? [];
        // Names of variables have letters, digits, dots and underscores alone (HAProxy manual, section 2.8).
        expect(variables.filter((name) => !/^[a-z]+(\.[A-Za-z0-9_]+)+$/.test(name))).toEqual([]);
        expect(text).toContain("acl media-b:held str(paused:move-1),map_str_int(");
    });

    test("once it is done: everything is forwarded, over TLS that is verified", () => {
        const lines = linesOf(true);
        expect(lines).toContain("use_backend moved if s3_host or console_host");
        expect(lines.filter((line) => /pause 500ms|changes|opt@|max-rules/.test(line))).toEqual([]);
        expect(lines).toContain(
            "server front-end1 10.0.0.1:443 ssl verify required ca-file moved-ca.pem sni req.fhdr(host),host_only check-sni s3.example.com alpn http/1.1",
        );
    });

    test("a proxy that starts serves from the other store at once", () => {
        const states = renderInitialServerStates([{ ...store, move }])
            .split("\n")
            .slice(2, -1);
        expect(states.at(-1)).toMatch(/^3 moved 1 front-end1 10\.0\.0\.1 2 0 .* 443 - 1 /);
        expect(renderInitialServerStates([store])).toBe(
            ["1", renderInitialServerStates([store]).split("\n")[1], ...states.slice(0, -1), ""].join("\n"),
        );
    });
});
