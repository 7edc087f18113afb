import { accessLogOf } from "./harness/accessLogLines";
import { OwnEngine } from "./chaos/ownEngine";
import { DockerHost } from "./harness/dockerHost";
import { PublicSide, S3_HOST, valuesOf, type Echo } from "./harness/publicSide";
import { testImages } from "./harness/testRun";
import { run } from "../../tools/machine/run";

/** Networks of documentation and of local use (RFC 3849, RFC 4193). */
const [SUBNET, HOST, CLIENT, OTHER] = ["fd12:3456:789a::/64", "2001:db8::1", "2001:db8:0:1::7", "2001:db8:0:2::7"];

/** Options with which Docker 20.10 translates IPv6 addresses as newer engines do by default. */
const TRANSLATES_IPV6 = ["--experimental", "--ip6tables"];

const ADMIN_PATH = "/service/admin/v3/info";

describe("clients that connect by IPv6", () => {
    let engine: OwnEngine;
    let clientNetwork: string;
    let host: DockerHost;
    let side: PublicSide;

    const inClient = (...command: string[]) => run("ip", ["netns", "exec", clientNetwork, ...command]);
    const inEngine = (...command: string[]) => run("ip", ["netns", "exec", engine.network, ...command]);

    /** The body of the proxy's response, then what curl writes in addition. */
    const curl = (from: string, path: string, ...options: string[]) =>
        inClient(
            ...["curl", "--silent", "--show-error", "--insecure", "--interface", from],
            ...["--connect-to", `::[${HOST}]:${side.deployment.httpsPort}`, ...options],
            `https://${S3_HOST}${path}`,
        );
    const status = async (from: string, path: string) =>
        Number(await curl(from, path, "--output", "/dev/null", "--write-out", "%{http_code}"));

    beforeAll(async () => {
        const { standIn, haproxy } = testImages();
        engine = await OwnEngine.start([standIn, haproxy], TRANSLATES_IPV6);
        clientNetwork = `${engine.network}-client`;
        await run("ip", ["netns", "add", clientNetwork]);
        await run("ip", [
            "link",
            "add",
            "client6",
            "netns",
            clientNetwork,
            "type",
            "veth",
            "peer",
            "name",
            "host6",
            "netns",
            engine.network,
        ]);
        await inEngine("ip", "link", "set", "host6", "up");
        await inClient("ip", "link", "set", "lo", "up");
        await inClient("ip", "link", "set", "client6", "up");
        await inEngine("ip", "-6", "address", "add", `${HOST}/32`, "dev", "host6", "nodad");
        for (const address of [CLIENT, OTHER]) {
            await inClient("ip", "-6", "address", "add", `${address}/32`, "dev", "client6", "nodad");
        }
        host = new DockerHost();
        side = await PublicSide.start({
            accessLog: "json",
            publishAddress: "0.0.0.0",
            publicIpv6Subnet: SUBNET,
            adminNetworks: JSON.stringify([`${CLIENT}/128`]),
        });
    }, 300_000);

    afterAll(async () => {
        await side.remove();
        await run("ip", ["netns", "delete", clientNetwork]);
        await engine.remove();
    }, 120_000);

    test("the proxy, the store and the access log see the client's own address", async () => {
        const echo = JSON.parse(await curl(CLIENT, "/service/echo")) as Echo;
        expect([...valuesOf(echo, "x-forwarded-for"), ...valuesOf(echo, "x-real-ip")]).toEqual([CLIENT, CLIENT]);
        await curl(CLIENT, "/bucket/by-ipv6");
        const lines = await accessLogOf(
            host,
            `${side.deployment.clusterName}-proxy`,
            ({ path }) => path === "/bucket/by-ipv6",
        );
        expect(lines.find(({ path }) => path === "/bucket/by-ipv6")?.["client_address"]).toBe(CLIENT);
    });

    test("adminNetworks distinguish IPv6 clients", async () => {
        expect(await status(CLIENT, ADMIN_PATH)).toBe(200);
        expect(await status(OTHER, ADMIN_PATH)).toBe(403);
    });

    test("port 80 redirects them", async () => {
        const answer = await inClient(
            ...["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}"],
            ...["--connect-to", `::[${HOST}]:${side.deployment.httpPort}`, `http://${S3_HOST}/`],
        );
        expect(answer).toBe("301");
    });

    test("a second update and a refresh change nothing", async () => {
        const { Id: id } = await host.inspect(`${side.deployment.clusterName}-proxy`);
        await side.deployment.refresh();
        const { output } = await side.deployment.up();
        expect(output).toMatch(/\d+ unchanged/);
        expect(output).not.toMatch(/\d+ (updated|replaced|created)/);
        expect((await host.inspect(`${side.deployment.clusterName}-proxy`)).Id).toBe(id);
    }, 120_000);

    test("a network that overlaps with another one is refused in preview", async () => {
        const other = await host.docker.createNetwork({
            Name: `${side.deployment.clusterName}-other`,
            EnableIPv6: true,
            IPAM: { Config: [{ Subnet: "fd12:3456:789b::/64" }] },
        });
        await side.deployment.configure({ publicIpv6Subnet: "fd12:3456:789b:0:1::/80" });
        expect(await side.deployment.previewFailing()).toContain(
            `publicIpv6Subnet: "fd12:3456:789b:0:1::/80" overlaps with fd12:3456:789b::/64 of the Docker network ${side.deployment.clusterName}-other`,
        );
        await other.remove();
        await side.deployment.configure({ publicIpv6Subnet: SUBNET });
    }, 60_000);

    test("without the subnet, only IPv4 addresses are published", async () => {
        await side.deployment.unset("publicIpv6Subnet");
        await side.deployment.up();
        await expect(curl(CLIENT, "/service/echo", "--max-time", "5")).rejects.toThrow(
            /Failed to connect|Could not connect|timed out/,
        );
    }, 120_000);
});
