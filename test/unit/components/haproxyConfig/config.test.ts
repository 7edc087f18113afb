import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderHaproxyConfig } from "../../../../components/haproxyConfig/config";
import { renderInitialServerStates } from "../../../../components/haproxyConfig/serverState";
import { base, node, store, cluster } from "../../fakes/haproxyArgs";

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

test("HSTS is sent with every response if it is configured", () => {
    const text = renderHaproxyConfig({ ...base, hstsMaxAge: 31536000 });
    expect(text).toContain('http-after-response set-header Strict-Transport-Security "max-age=31536000"\n');
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
