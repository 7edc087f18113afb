import { addressAt } from "../../../components/naming/ipv4Network";
import { DockerHost } from "../harness/dockerHost";
import { HaproxyRuntime } from "../harness/haproxyRuntime";
import { subnetOf, type NetworkClient } from "../harness/networkClient";
import { CONSOLE_HOST, PublicSide, S3_HOST } from "../harness/publicSide";
import { admin, CLOSED_ON_S3, exampleOf, expectAll, internal, OPEN_ON_CONSOLE } from "../harness/closedPaths";

/** Networks from which admin paths and the console are open, and HSTS. The configuration stays in place. */
export function clientNetworksSuite(side: () => PublicSide): void {
    describe("with networks and HSTS configured", () => {
        const host = new DockerHost();
        const adminUrl = `https://${S3_HOST}${OPEN_ON_CONSOLE[0]}`;
        const consoleUrl = `https://${CONSOLE_HOST}/`;
        let administrator: NetworkClient;
        let browser: NetworkClient;
        let proxyBefore: string;

        beforeAll(async () => {
            const { clusterName } = side().deployment;
            const subnet = await subnetOf(host, `${clusterName}-public`);
            proxyBefore = (await host.inspect(`${clusterName}-proxy`)).Id;
            administrator = await side().clientAt("public", 130);
            browser = await side().clientAt("public", 200);
            await side().deployment.configure({
                adminNetworks: JSON.stringify([`${addressAt(subnet, 128)}/26`]),
                consoleNetworks: JSON.stringify([`${browser.address}/32`]),
                hstsMaxAge: "31536000",
            });
            await side().deployment.up();
        }, 120_000);

        test("the configuration is loaded without replacing the proxy", async () => {
            expect((await host.inspect(`${side().deployment.clusterName}-proxy`)).Id).toBe(proxyBefore);
        });

        test("HAProxy reports no problem with the configuration", async () => {
            const proxy = new HaproxyRuntime(host, `${side().deployment.clusterName}-proxy`);
            expect(await proxy.check()).not.toMatch(/warning|alert/i);
        }, 30_000);

        test("admin on the S3 hostname is open to an address of adminNetworks", async () => {
            expect(await administrator.status(adminUrl)).toBe(200);
        });

        test("admin on the S3 hostname is closed to another address", async () => {
            expect(await browser.status(adminUrl)).toBe(403);
        });

        test("admin on the S3 hostname is closed to clients on the host, who have the gateway's address", () =>
            expectAll(side(), 403, admin.map(exampleOf), (path) => side().get(path)));

        test("internal paths are closed to an address of adminNetworks too", async () => {
            for (const path of internal.map(exampleOf)) {
                expect(await administrator.status(`https://${S3_HOST}${path}`)).toBe(403);
            }
        });

        test("an address that a client sends in a header is ignored", async () => {
            const claims = ["X-Forwarded-For", "X-Real-IP"].map((name) => `${name}: ${administrator.address}`);
            expect((await side().get(OPEN_ON_CONSOLE[0] ?? "", S3_HOST, ...claims)).status).toBe(403);
        });

        test("the console's hostname is open to an address of consoleNetworks", async () => {
            expect(await browser.status(consoleUrl)).toBe(200);
        });

        test("the console's hostname is closed to another address", async () => {
            expect(await administrator.status(consoleUrl)).toBe(403);
        });

        test("the console's hostname is closed to clients on the host, who have the gateway's address", async () => {
            expect((await side().get("/", CONSOLE_HOST)).status).toBe(403);
        });

        test("the S3 hostname stays open to all clients", async () => {
            expect(await browser.status(`https://${S3_HOST}/service/echo`)).toBe(200);
            expect((await side().get("/service/echo")).status).toBe(200);
        });

        test.each([
            ["200", "/service/echo", S3_HOST],
            ["403 of a closed path", CLOSED_ON_S3[0] ?? "", S3_HOST],
            ["403 of the store", "/bucket", S3_HOST],
            ["403 of a closed hostname", "/", CONSOLE_HOST],
            ["404", "/", "other.example"],
            ["400 of a path that can't be decoded", "/%zz", S3_HOST],
        ])("Strict-Transport-Security is set on a %s", async (status, path, name) => {
            const answer = await side().get(path, name);
            expect(answer.status).toBe(parseInt(status, 10));
            expect(answer.headers["strict-transport-security"]).toBe("max-age=31536000");
        });
    });
}
