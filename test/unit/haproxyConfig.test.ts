import { renderHaproxyConfig } from "../../components/haproxyConfig";

const cluster = {
    profileName: "service",
    networkName: "store-nodes",
    s3Port: 9000,
    consolePort: 9001,
    s3HealthPath: "/health/ready",
    consoleHealthPath: "/service/console/health",
};
const node = (number: number) => ({ name: `node${number}`, address: `10.200.7.${9 + number}` });
const base = { s3Host: "S3.example.com", consoleHost: "console.example.com", certificateFile: "certificate.pem" };

test("one node, usual port: the whole file", () => {
    const text = renderHaproxyConfig({ ...base, httpsPort: 443, cluster: { ...cluster, servers: [node(1)] } });
    expect(text).toBe(`# The process: logs to standard output, files beside this one, TLS 1.2 and 1.3 only.
global
    log stdout format raw local0 info
    default-path config
    hard-stop-after 1h
    mworker-max-reloads 50
    stats socket /run/haproxy/stats.sock mode 600 level admin
    ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets
    ssl-default-bind-ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
    ssl-default-bind-ciphersuites TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256
    ssl-default-bind-curves X25519:prime256v1:secp384r1
    tune.h2.fe.initial-window-size 1m

# Service contract, section 8: timeouts and health check timing.
defaults
    mode http
    log global
    log-format "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %HM %HPO %HV"
    option dontlognull
    option idle-close-on-response
    timeout connect 10s
    timeout client 1h
    timeout server 1h
    timeout http-request 30s
    timeout http-keep-alive 10s
    timeout tunnel 1h
    timeout check 5s
    option redispatch
    retries 3
    default-server check inter 10s fall 3 rise 2

# Routing rule 1: port 80 redirects every request to HTTPS.
frontend http
    bind :8080
    http-request set-var(txn.host) req.hdr(host),host_only
    http-request set-var(txn.host) str(s3.example.com) unless { var(txn.host) -m len gt 0 }
    http-request redirect code 301 location https://%[var(txn.host)]%[pathq]

# Routing rules 2 to 6: TLS ends here; Host decides, and it and the path stay as they came.
frontend https
    bind :8443 ssl crt certificate.pem alpn h2,http/1.1
    acl s3_host req.hdr(host),host_only,lower -m str s3.example.com
    acl console_host req.hdr(host),host_only,lower -m str console.example.com
    http-request return status 404 content-type text/plain string "Not found" unless s3_host or console_host
    option forwardfor
    http-request set-header X-Forwarded-Proto https
    use_backend s3 if s3_host
    use_backend console if console_host

# Routing rules 7, 8 and 10: the S3 API on every node.
backend s3
    balance leastconn
    option httpchk
    http-check send meth GET uri /health/ready ver HTTP/1.1 hdr Host localhost
    http-check expect status 200
    server node1 10.200.7.10:9000

# Routing rules 7 to 11: the console on every node, each browser kept on one.
backend console
    balance leastconn
    cookie SERVICE_CONSOLE insert indirect nocache httponly secure
    option httpchk
    http-check send meth GET uri /service/console/health ver HTTP/1.1 hdr Host localhost
    http-check expect status 200
    server node1 10.200.7.10:9001 cookie service
`);
});

test("a cluster: every node in both backends, each with a cookie value of its own", () => {
    const servers = [node(1), node(2)];
    const text = renderHaproxyConfig({ ...base, httpsPort: 443, cluster: { ...cluster, servers } });
    expect(text).toContain(`    server node1 10.200.7.10:9000
    server node2 10.200.7.11:9000
`);
    expect(text).toContain("cookie service_console insert indirect nocache httponly secure");
    expect(text).toContain(`    server node1 10.200.7.10:9001 cookie node1
    server node2 10.200.7.11:9001 cookie node2
`);
});

test("another port stands in redirects", () => {
    const text = renderHaproxyConfig({ ...base, httpsPort: 8443, cluster: { ...cluster, servers: [node(1)] } });
    expect(text).toContain("location https://%[var(txn.host)]:8443%[pathq]");
});
