import { gatewayOf } from "../../components/naming/ipv4Network";
import { serviceProfile } from "../../components/store/profiles/contract";
import { DockerHost } from "./harness/dockerHost";
import { LoadBalancer } from "./harness/loadBalancer";
import { subnetOf, type NetworkClient } from "./harness/networkClient";
import { CONSOLE_HOST, PublicSide, S3_HOST, type Echo } from "./harness/publicSide";
import { waitUntil } from "./harness/wait";
import { balancedRequests, forwardedFor } from "./harness/balancedRequests";

const ADMIN_PATH = (serviceProfile.restrictedPaths.admin[0] ?? "").replace(/\*$/, "v3/info");

/** Running requests that one client may have. */
const REQUESTS_PER_CLIENT = 4;

/** Addresses for documentation (RFC 5737, RFC 3849), which no client has. */
const [FORGED, NAMED, NAMED_6] = ["192.0.2.66", "198.51.100.7", "2001:db8::7"];

/** What curl reports of a connection that the proxy closes before anything was received. */
const CLOSED = /SSL|reset by peer|Empty reply|Could not connect/;

describe("behind another proxy", () => {
    const host = new DockerHost();
    let side: PublicSide;
    let gateway: string;
    let balancer: LoadBalancer;
    /** In `adminNetworks` and `consoleNetworks`. */
    let administrator: NetworkClient;
    let client: NetworkClient;
    let proxyBefore: string;
    let configurationBefore: string;

    const proxyName = () => `${side.deployment.clusterName}-proxy`;
    const proxyId = async () => (await host.inspect(proxyName())).Id;
    const configuration = () => host.exec(proxyName(), ["cat", "/usr/local/etc/haproxy/current/haproxy.cfg"]);

    const { curl, status, toldToStore, echoed, logged, connectWith, echoWith } = balancedRequests(
        () => side,
        () => balancer,
    );

    beforeAll(async () => {
        side = await PublicSide.start({ accessLog: "json" });
        const { clusterName } = side.deployment;
        [proxyBefore, configurationBefore] = [await proxyId(), await configuration()];
        gateway = gatewayOf(await subnetOf(host, `${clusterName}-public`));
        balancer = await LoadBalancer.start(side.deployment, 120);
        administrator = await side.clientAt("public", 130);
        client = await side.clientAt("public", 200);
        const special = JSON.stringify([administrator, balancer].map(({ address }) => `${address}/32`));
        await side.deployment.configure({
            trustedProxies: JSON.stringify([`${balancer.address}/32`, `${gateway}/32`]),
            adminNetworks: special,
            consoleNetworks: special,
            maxConnectionsPerAddress: String(REQUESTS_PER_CLIENT),
        });
        await side.deployment.up();
    }, 300_000);

    afterAll(async () => {
        await balancer.remove();
        await side.remove();
    }, 120_000);

    describe("whose X-Forwarded-For counts", () => {
        test("the configuration is loaded without replacing the proxy", async () => {
            expect(await proxyId()).toBe(proxyBefore);
        });

        test("the client that the load balancer names is in the log and at the store", async () => {
            expect(await echoed(client, "forwarding")).toEqual([client.address, client.address]);
            await curl(client, "forwarding", "/bucket/forwarded");
            expect(await logged("/bucket/forwarded")).toBe(client.address);
        });

        test("what a client itself claims counts for nothing, through the load balancer and without it", async () => {
            const claims = [
                ...forwardedFor(FORGED),
                "--header",
                `X-Real-IP: ${FORGED}`,
                "--header",
                `Forwarded: for=${FORGED}`,
            ];
            for (const by of ["forwarding", "direct"] as const) {
                expect(await echoed(client, by, ...claims)).toEqual([client.address, client.address]);
                await curl(client, by, `/bucket/claims-${by}`, ...claims);
                expect(await logged(`/bucket/claims-${by}`)).toBe(client.address);
            }
        });

        test("admin and console networks see the client", async () => {
            const consoleUrl = (scheme: string) => `${scheme}://${CONSOLE_HOST}/`;
            expect(await status(administrator, "forwarding", ADMIN_PATH)).toBe(200);
            expect(await status(administrator, "forwarding", consoleUrl("http"))).toBe(200);
            expect(await status(client, "forwarding", ADMIN_PATH)).toBe(403);
            expect(await status(client, "forwarding", consoleUrl("http"))).toBe(403);
            const claim = forwardedFor(administrator.address);
            expect(await status(client, "forwarding", ADMIN_PATH, ...claim)).toBe(403);
            expect(await status(client, "direct", ADMIN_PATH, ...claim)).toBe(403);
            expect(await status(client, "direct", consoleUrl("https"), ...claim)).toBe(403);
            expect(await status(administrator, "direct", ADMIN_PATH)).toBe(200);
        });

        test("a load balancer that names no client is in no network with special access", async () => {
            expect(await status(administrator, "silent", ADMIN_PATH)).toBe(403);
            expect(await status(administrator, "silent", `http://${CONSOLE_HOST}/`)).toBe(403);
            expect(await echoed(client, "silent")).toEqual([balancer.address, balancer.address]);
        });

        // This host is a trusted proxy: its connections arrive with the gateway's address.
        test.each([
            ["the last one counts", `${FORGED}, ${NAMED}`, NAMED],
            ["an IPv6 address", `${FORGED}, ${NAMED_6}`, NAMED_6],
            ["an address with its port", `${FORGED}, ${NAMED}:4711`, NAMED],
            ["several headers", `${FORGED}\r\nX-Forwarded-For: ${NAMED}`, NAMED],
            ["a trusted proxy before this one", `${FORGED}, ${NAMED}, BALANCER`, NAMED],
            ["four trusted proxies before this one", `${FORGED}, ${NAMED}${", BALANCER".repeat(4)}`, NAMED],
            ["too many trusted proxies: not read any further", `${NAMED}${", BALANCER".repeat(5)}`, "BALANCER"],
            ["nothing but trusted proxies", "BALANCER, BALANCER", "BALANCER"],
            ["something else than an address, before an address that counts", `unknown, ${NAMED}`, NAMED],
        ])("read from the right: %s", async (_, value, expected) => {
            const real = (text: string) => text.replaceAll("BALANCER", balancer.address);
            const echo = await side.echo(`X-Forwarded-For: ${real(value)}`);
            expect(toldToStore(echo)).toEqual([real(expected), real(expected)]);
        });

        test("a request of which a trusted proxy names no address, but something else, is refused", async () => {
            for (const value of [
                "unknown",
                `${NAMED}, unknown`,
                `${NAMED}, `,
                `${NAMED}, unknown, ${balancer.address}`,
            ]) {
                expect((await side.get("/service/echo", S3_HOST, `X-Forwarded-For: ${value}`)).status).toBe(400);
            }
        });

        // Otherwise the load balancer would send the next client's request on it, which would be read as this one's body.
        test("a request that is refused before its body was sent ends the connection that clients share", async () => {
            const { status, headers } = await side.ask(
                `PUT ${ADMIN_PATH} HTTP/1.1`,
                ...[`Host: ${S3_HOST}`, `X-Forwarded-For: ${NAMED}`, "Expect: 100-continue", "Content-Length: 100"],
            );
            expect({ status, connection: headers["connection"] }).toEqual({ status: 403, connection: "close" });
        });

        test("over HTTP/2, requests of one connection have each their own client", async () => {
            const addresses = [NAMED, NAMED_6, undefined];
            const answers = [];
            for (const address of addresses) {
                const headers = address === undefined ? [] : ([["x-forwarded-for", address]] as [string, string][]);
                answers.push(await side.getHttp2("/service/echo", S3_HOST, ...headers));
            }
            expect(answers.map(({ body }) => toldToStore(JSON.parse(body) as Echo)[0])).toEqual([
                NAMED,
                NAMED_6,
                gateway,
            ]);
        });

        test("the limit is that of each client, and not that of the load balancer", async () => {
            // One of them may come while the question of whether the limit is reached takes its place.
            const again = ["--retry", "60", "--retry-delay", "1"];
            const slow = Array.from({ length: REQUESTS_PER_CLIENT }, (_, index) =>
                curl(client, "forwarding", `/service/slow?seconds=60&until=limit-${index}`, ...again),
            );
            try {
                const refused = async () => (await status(client, "forwarding", "/service/echo")) === 503;
                await waitUntil("the client's requests are at their limit", refused);
                expect(await curl(client, "forwarding", "/service/echo")).toContain("<Code>SlowDown</Code>");
                expect(await status(administrator, "forwarding", "/service/echo")).toBe(200);
            } finally {
                for (const index of slow.keys()) {
                    await curl(administrator, "forwarding", `/service/release?name=limit-${index}`);
                }
            }
            await Promise.all(slow);
        }, 60_000);
    });

    describe("which has to send the PROXY protocol", () => {
        const header = (from: string, family = "TCP4") => `PROXY ${family} ${from} ${from} 1234 443\r\n`;

        beforeAll(async () => {
            await side.deployment.configure({ proxyProtocol: "required" });
            await side.deployment.up();
            await waitUntil("the load balancer's own health checks succeed", () =>
                echoed(client, "version2").then(
                    () => true,
                    () => false,
                ),
            );
        }, 120_000);

        test("the configuration is loaded without replacing the proxy, and a second update changes nothing", async () => {
            expect(await proxyId()).toBe(proxyBefore);
            expect((await side.deployment.up()).changes).not.toHaveProperty("update");
        }, 60_000);

        test.each(["version1", "version2"] as const)("the client of its header counts: %s", async (version) => {
            expect(await echoed(client, version)).toEqual([client.address, client.address]);
            await curl(client, version, `/bucket/${version}`, ...forwardedFor(FORGED));
            expect(await logged(`/bucket/${version}`)).toBe(client.address);
            expect(await status(client, version, ADMIN_PATH, ...forwardedFor(administrator.address))).toBe(403);
            expect(await status(administrator, version, ADMIN_PATH)).toBe(200);
        });

        test("an IPv6 client counts too", async () => {
            expect(await echoWith(header(NAMED_6, "TCP6"))).toEqual([NAMED_6, NAMED_6]);
        });

        test("a header without an address is that of the proxy itself", async () => {
            expect(await echoWith("PROXY UNKNOWN\r\n")).toEqual([gateway, gateway]);
        });

        test("the header's client may itself be a trusted proxy, whose X-Forwarded-For counts", async () => {
            const forwarded = `X-Forwarded-For: ${FORGED}, ${NAMED}`;
            expect(await echoWith(header(balancer.address), forwarded)).toEqual([NAMED, NAMED]);
            expect(await echoWith(header(NAMED_6, "TCP6"), forwarded)).toEqual([NAMED_6, NAMED_6]);
        });

        test("connections without the header, or with something else, are closed", async () => {
            for (const first of ["", "PROXY nonsense\r\n"]) {
                await expect(connectWith(first)).rejects.toThrow();
            }
        });

        test("connections of others are closed, with and without a header", async () => {
            for (const options of [[], ["--haproxy-protocol"], ["--haproxy-clientip", administrator.address]]) {
                await expect(curl(client, "direct", "/service/echo", "--max-time", "5", ...options)).rejects.toThrow(
                    CLOSED,
                );
            }
        });

        test("connections are limited by the client's address", async () => {
            // The proxy's threads may see them in another order, so any of them may be the one too many.
            const opened = await Promise.allSettled(
                Array.from({ length: REQUESTS_PER_CLIENT + 1 }, () => connectWith(header(NAMED))),
            );
            const open = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
            try {
                const left = await Promise.all(open.map((connection) => connection.settle(200)));
                expect(left.filter(({ closed }) => !closed)).toHaveLength(REQUESTS_PER_CLIENT);
                expect(await echoWith(header(FORGED))).toEqual([FORGED, FORGED]);
            } finally {
                open.forEach((connection) => connection.destroy());
            }
        });

        test("port 80 redirects the load balancer's clients, and nobody else", async () => {
            const redirected = ["--output", "/dev/null", "--write-out", "%{http_code} %{redirect_url}"];
            const url = `http://${S3_HOST}/x`;
            expect(await curl(client, "plainPort", url, ...redirected)).toMatch(/^301 https:\/\/s3\.localhost.*\/x$/);
            const options = ["--silent", "--show-error", "--max-time", "5"];
            const direct = ["--connect-to", `::${client.proxyAddress}:8080`];
            await expect(client.run("curl", ...options, ...direct, url)).rejects.toThrow(CLOSED);
        });

        test("the proxy's own health check and its metrics go on", async () => {
            const { State: state } = await host.inspect(proxyName());
            const checks = (state as { Health?: { Status: string; Log: { Start: string }[] } }).Health;
            const seen = checks?.Log.at(-1)?.Start;
            await waitUntil("another health check", async () => {
                const { Health: now } = (await host.inspect(proxyName())).State as typeof state & {
                    Health: typeof checks;
                };
                return now?.Log.at(-1)?.Start !== seen;
            });
            expect((await host.inspect(proxyName())).State.Health?.Status).toBe("healthy");
            const inside = await side.clientAt("nodes", 100);
            expect(await inside.run("curl", "--silent", `http://${inside.proxyAddress}:8404/metrics`)).toContain(
                "haproxy_",
            );
        });
    });

    // Last, because the configuration stays in place.
    test("without these settings, the configuration is byte for byte what it was", async () => {
        await side.deployment.unset(
            "trustedProxies",
            "proxyProtocol",
            "adminNetworks",
            "consoleNetworks",
            "maxConnectionsPerAddress",
        );
        await side.deployment.up();
        expect(await configuration()).toBe(configurationBefore);
        expect(await proxyId()).toBe(proxyBefore);
        expect(toldToStore(await side.echo(`X-Forwarded-For: ${FORGED}`))).toEqual([gateway, gateway]);
    }, 120_000);
});
