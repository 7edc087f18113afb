import { renderHaproxyConfig } from "../../../../components/haproxyConfig/config";
import type { HaproxyConfigArgs } from "../../../../components/haproxyConfig/args";
import { base, store } from "../../fakes/haproxyArgs";

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
