import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { gatewayOf } from "../../components/naming/ipv4Network";
import { s3ClientFor } from "./harness/clients";
import { DockerHost } from "./harness/dockerHost";
import { subnetOf, type NetworkClient } from "./harness/networkClient";
import { CONSOLE_HOST, PublicSide, S3_HOST } from "./harness/publicSide";
import { CLOSED_ON_CONSOLE, CLOSED_ON_S3, expectAll, OPEN_ON_CONSOLE } from "./harness/closedPaths";
import { clientNetworksSuite } from "./suites/clientNetworks";

const percentEncoded = (letter: string) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;

/** Other spellings of the same path, which a store could still resolve to it. */
const SPELLINGS: { [name: string]: (path: string) => string } = {
    "as it is": (path) => path,
    "with a query": (path) => `${path}?a=/b/../c`,
    "with a slash at its end": (path) => `${path}/`,
    "with an encoded slash at its end": (path) => `${path}%2f`,
    "with a letter encoded": (path) => path.replace(/[aeio]/, percentEncoded),
    "with every letter encoded": (path) => path.replace(/[a-z]/gi, percentEncoded),
    "with lower-case hexadecimal digits": (path) => path.replace(/[a-z]/gi, percentEncoded).toLowerCase(),
    "with an encoded slash": (path) => path.replace(/(?<=.)\//, "%2F"),
    "with every slash but the first encoded": (path) => path.replace(/(?<=.)\//g, "%2f"),
    "with doubled slashes": (path) => path.replaceAll("/", "//"),
    "with many slashes": (path) => path.replaceAll("/", "/".repeat(4000)),
    "with encoded doubled slashes": (path) => path.replace(/(?<=.)\//g, "/%2f"),
    "behind a dot segment": (path) => `/.${path}`,
    "with a dot segment inside": (path) => path.replace(/(?<=.)\//, "/./"),
    "with a dot segment at its end": (path) => `${path}/.`,
    "with an encoded dot segment": (path) => path.replace(/(?<=.)\//, "/%2e/"),
    "with thousands of dot segments": (path) => path.replace(/(?<=.)\//, `/${"./".repeat(14_000)}`),
    "behind a parent segment": (path) => `/a/..${path}`,
    "behind an encoded parent segment": (path) => `/a/%2e%2E${path}`,
    "behind a parent segment and an encoded slash": (path) => `/a/..%2f${path.slice(1)}`,
    "behind a parent segment of nothing": (path) => `/..${path}`,
    "behind two hundred parent segments of nothing": (path) => `${"/..".repeat(200)}${path}`,
    "behind four parent segments": (path) => `/a/b/c/d/../../../..${path}`,
    "with a parent segment inside": (path) => path.replace(/(?<=.)\//, "/a/../"),
    "with a parent segment at its end": (path) => `${path}/a/..`,
    "behind a folder with dots in its name": (path) => `/..a/...b/../..${path}`,
};

describe("the public side's closed paths and networks", () => {
    const host = new DockerHost();
    let side: PublicSide;

    beforeAll(async () => {
        side = await PublicSide.start();
    }, 240_000);

    afterAll(() => side.remove(), 120_000);

    describe.each(Object.entries(SPELLINGS))("closed paths %s", (_, spelt) => {
        test("are closed on the S3 hostname", () =>
            expectAll(side, 403, CLOSED_ON_S3.map(spelt), (path) => side.get(path)));

        test("are closed on the S3 hostname over HTTP/2", () =>
            expectAll(side, 403, CLOSED_ON_S3, (path) => side.getHttp2(spelt(path))));

        test("are closed on the console's hostname", () =>
            expectAll(side, 403, CLOSED_ON_CONSOLE, (path) => side.get(spelt(path), CONSOLE_HOST)));
    });

    describe("closed paths", () => {
        test.each([S3_HOST, CONSOLE_HOST])("are closed as targets in absolute form at %s", (name) =>
            expectAll(side, 403, name === S3_HOST ? CLOSED_ON_S3 : CLOSED_ON_CONSOLE, (path) =>
                side.get(`https://${name}${path}`, name),
            ),
        );

        test.each(["HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"])("are closed to %s", (method) =>
            expectAll(side, 403, CLOSED_ON_S3, (path) => side.ask(`${method} ${path} HTTP/1.1`, `Host: ${S3_HOST}`)),
        );

        test("are answered with a small error in S3's own form", async () => {
            const { status, headers, body } = await side.get(CLOSED_ON_S3[0] ?? "");
            expect(status).toBe(403);
            expect(headers).toMatchObject({ "content-type": "application/xml" });
            expect(body).toMatch(/^<\?xml .*<Error><Code>AccessDenied<\/Code><Message>[^<]+<\/Message><\/Error>$/);
            expect(body.length).toBeLessThan(200);
        });

        test("are open on the console's hostname where they are the console's own", async () => {
            for (const path of OPEN_ON_CONSOLE) {
                const { status, headers } = await side.get(path, CONSOLE_HOST);
                expect({ status, route: headers["x-route"] }).toEqual({ status: 200, route: "admin" });
            }
        });

        test("with parent segments nested deeper than the proxy resolves are refused with 400", () =>
            expectAll(side, 400, CLOSED_ON_S3, (path) => side.get(`/a/b/c/d/e/f/g${"/..".repeat(7)}${path}`)));

        test("behind thousands of parent segments are refused with 400 or 403", async () => {
            for (const path of CLOSED_ON_S3) {
                for (const segments of ["/..", "/a/.."]) {
                    expect([400, 403]).toContain((await side.get(segments.repeat(6000) + path)).status);
                }
            }
        });

        test.each(["/bucket/%", "/bucket/%4", "/bucket/%zz", "/%u0061dmin", "/bucket/%00"])(
            "a path that can't be decoded is refused: %s",
            async (path) => {
                expect((await side.get(path)).status).toBe(400);
            },
        );
    });

    describe("similar paths stay open", () => {
        test.each([
            ...[
                "/service",
                "/service/",
                "/service/administrator",
                "/service/rpcx/y",
                "/service/peers",
                "/servicex/rpc/x",
            ],
            ...[
                "/minio",
                "/minio/x",
                "/minio/administrator/x",
                "/profile",
                "/profile/cpu2",
                "/profile/cpu/x",
                "/health",
            ],
            ...["/node_service", "/node_services.x/y", "/rpc/x", "/bucket/service/admin/v3", "/bucket/profile/cpu"],
        ])("%s reaches the store", async (path) => {
            expect((await side.get(path)).headers).toHaveProperty("x-node");
        });

        test.each([
            ["profile", "cpu2"],
            ["minio", "x"],
            ["service", "x"],
            ["health", "x"],
        ])("the bucket %s works, with the key %s", async (bucket, key) => {
            const client = s3ClientFor(side.outputs);
            const object = { Bucket: bucket, Key: key };
            await client.send(new CreateBucketCommand({ Bucket: bucket }));
            await client.send(new PutObjectCommand({ ...object, Body: "content" }));
            const { Body: body } = await client.send(new GetObjectCommand(object));
            expect(await body?.transformToString()).toBe("content");
            client.destroy();
        });
    });

    describe("statistics and metrics", () => {
        const url = (client: NetworkClient, path: string) => `http://${client.proxyAddress}:8404${path}`;
        let inside: NetworkClient;
        let outside: NetworkClient;

        beforeAll(async () => {
            inside = await side.clientAt("nodes", 100);
            outside = await side.clientAt("public", 100);
        }, 60_000);

        test("are there for the node network", async () => {
            expect(await inside.run("curl", "--silent", url(inside, "/metrics"))).toContain("haproxy_process_");
            expect(await inside.run("curl", "--silent", url(inside, "/stats"))).toContain("Statistics Report");
        });

        test("can't be used to change anything", async () => {
            const page = await inside.run("curl", "--silent", url(inside, "/stats"));
            expect(page).toContain("Statistics Report");
            expect(page).not.toMatch(/<form[^>]+method="?post|name="?action/i);
        });

        test.each(["/metrics", "/stats"])("%s is not there for the network that clients come by", async (path) => {
            expect(await outside.status(`https://${S3_HOST}/service/echo`)).toBe(200);
            const curl = outside.run("curl", "--silent", "--show-error", "--max-time", "5", url(outside, path));
            await expect(curl).rejects.toThrow(/Empty reply|reset by peer|Failed to connect/);
        });

        test.each(["/metrics", "/stats"])("%s is not there on the published ports", async (path) => {
            expect((await side.get(path)).headers).toHaveProperty("x-node");
            expect((await side.get(path, CONSOLE_HOST)).headers).toHaveProperty("x-node");
            expect((await side.askPlain(`GET ${path} HTTP/1.1`, `Host: ${S3_HOST}`)).status).toBe(301);
        });
    });

    describe("the deployment's containers", () => {
        const containers = async () =>
            (await host.docker.listContainers({ all: true })).filter(({ Names: [name = ""] }) =>
                name.startsWith(`/${side.deployment.clusterName}`),
            );

        test("mount no Docker socket", async () => {
            const mounted = (await containers()).flatMap(({ Mounts: mounts }) =>
                mounts.map(({ Source: path }) => path),
            );
            expect(mounted.length).toBeGreaterThan(3);
            expect(mounted.filter((path) => /docker\.sock|\/run(\/|$)/.test(path))).toEqual([]);
        });

        test("publish no port but the proxy's two", async () => {
            const published = (await containers()).flatMap(({ Names: [name = ""], Ports: ports }) =>
                ports.filter(({ PublicPort: port }) => port > 0).map(({ PrivatePort: port }) => `${name} ${port}`),
            );
            const proxy = `/${side.deployment.clusterName}-proxy`;
            expect(published.sort()).toEqual([`${proxy} 8080`, `${proxy} 8443`]);
        });
    });

    test("networks with a gateway are refused in preview", async () => {
        const gateway = gatewayOf(await subnetOf(host, `${side.deployment.clusterName}-public`));
        await side.deployment.configure({ adminNetworks: '["0.0.0.0/0"]', consoleNetworks: `["${gateway}/32"]` });
        try {
            const failure = await side.deployment.previewFailing();
            expect(failure).toContain(`adminNetworks[0]: "0.0.0.0/0" holds ${gateway}, the gateway of the proxy's own`);
            expect(failure).toContain(
                `consoleNetworks[0]: "${gateway}/32" holds ${gateway}, the gateway of the proxy's`,
            );
        } finally {
            await side.deployment.unset("adminNetworks");
            await side.deployment.unset("consoleNetworks");
        }
    }, 60_000);

    test("by default, no response requires browsers to use HTTPS only", async () => {
        for (const path of ["/service/echo", CLOSED_ON_S3[0] ?? ""]) {
            expect((await side.get(path)).headers).not.toHaveProperty("strict-transport-security");
        }
    });

    // Last, because the configuration stays in place.
    clientNetworksSuite(() => side);
});
