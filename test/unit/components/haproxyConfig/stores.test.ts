import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderHaproxyConfig } from "../../../../components/haproxyConfig/config";
import { store, base, cluster } from "../../fakes/haproxyArgs";

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
