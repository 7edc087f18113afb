import "../../fakes/noHostAsked";
import { type AcmeArgs, ObjectStore, type ObjectStoreArgs } from "../../../../components";
import { CLIENT_IN_TURN_SCRIPT } from "../../../../components/certificate/acmeScripts";
import { DockerEngine } from "../../../../components/docker/engine";
import { partsOf } from "../../../../components/settings/deploymentSettings";
import { mockEngine, secretValue, settled, valueOf, type RegisteredResource } from "../../fakes/mockEngine";
import { ARGS } from "../../fakes/threeHosts";

describe("a certificate by ACME for the proxies of three hosts", () => {
    let resources: RegisteredResource[];
    let store: ObjectStore;

    const deploy = async (args: Partial<ObjectStoreArgs> = {}, acme: Partial<AcmeArgs> = {}) => {
        const engine: Partial<DockerEngine> = {
            readFile: (id, path) =>
                Promise.resolve(
                    path.endsWith("/values") && id.endsWith("-b-acme-deployer") ? "not_after 1900000000\n" : undefined,
                ),
        };
        jest.spyOn(DockerEngine, "connect").mockResolvedValue(engine as DockerEngine);
        resources = await mockEngine();
        const certificate = {
            acme: { termsAgreed: true, directoryUrl: "https://ca.example.com/directory", ...acme },
        };
        store = new ObjectStore("store", { ...ARGS, frontEndHosts: ["c", "a", "b"], certificate, ...args });
        await settled(resources);
    };

    const container = (name: string) =>
        resources.find((one) => one.type === "docker:index/container:Container" && one.name === name)?.inputs ?? {};
    const uploads = (host: string) =>
        secretValue(container(`store-front-end-${host}-configuration-writer`)["uploads"]) as {
            file: string;
            content: string;
        }[];
    const upload = (host: string, file: string) =>
        uploads(host).find((one) => one.file === `/uploads/${file}`)?.content ?? "";

    test("is ordered by clients that take turns, in the order of frontEndHosts", async () => {
        await deploy();
        for (const host of ["a", "b", "c"]) {
            expect(container(`store-front-end-${host}-acme-client`)["command"]).toEqual([CLIENT_IN_TURN_SCRIPT]);
            const exchange = container(`store-front-end-${host}-acme-exchange`);
            expect(exchange).toMatchObject({
                name: `store-${host}-exchange`,
                user: "99:99",
                networkMode: "none",
                readOnly: true,
                capabilities: { drops: ["ALL"] },
            });
            expect(exchange["envs"]).toEqual(expect.arrayContaining(["FRONT_ENDS=c a b", `FRONT_END=${host}`]));
        }
    });

    test("is one for all of them: the same order, and the same response by which a proxy is recognised", () => {
        const valuesOf = (name: string) =>
            ["a", "b", "c"].map((host) =>
                (container(`store-front-end-${host}-acme-client`)["envs"] as string[]).find((text) =>
                    text.startsWith(`${name}=`),
                ),
            );
        expect(new Set(valuesOf("ORDER")).size).toBe(1);
        expect(new Set(valuesOf("SELF_CHECK")).size).toBe(1);
        expect(valuesOf("SELF_CHECK")[0]).toMatch(/^SELF_CHECK=[0-9a-f]{32}$/);
    });

    test("each proxy has a fixed address, and reaches the others only with the key that they share", () => {
        const pem = upload("a", "peers.pem");
        expect(pem).toContain("key of store-front-end-peers-key");
        for (const host of ["a", "b", "c"]) {
            expect(upload(host, "peers.pem")).toBe(pem);
            const networks = container(`store-front-end-${host}`)["networksAdvanced"] as { ipv4Address?: string }[];
            const own = networks.at(-1)?.ipv4Address ?? "";
            expect(own).toMatch(/^10\.\d+\.\d+\.[2-4]$/);
            const others = ["a", "b", "c"].filter((other) => other !== host);
            for (const other of others) {
                expect(upload(host, "haproxy.cfg")).toMatch(
                    new RegExp(
                        `server peer-${other} [0-9.]+:8405 ssl crt /run/certificate/peers.pem ca-file /run/certificate/peers.pem verify required`,
                    ),
                );
            }
            expect(upload(host, "haproxy.cfg")).not.toContain(`server peer-${host} `);
            expect(upload(host, "haproxy.cfg")).not.toContain(` ${own}:8405`);
        }
        expect(
            JSON.stringify(resources.filter(({ name }) => /acme-(client|deployer|exchange)$/.test(name))),
        ).not.toContain("key of store");
    });

    test("of a host that is away nothing is read, and the time of its expiry is that of another one", async () => {
        await deploy({ unreachableHosts: ["c", "a"] });
        expect(await valueOf(store.certificateNotAfter)).toBe("2030-03-17T17:46:40.000Z");
    });

    test("by DNS-01, every client has the credentials, and the proxies pass on no challenges but the certificate", async () => {
        const dns = { provider: "duckdns", secretEnvironment: { DUCKDNS_TOKEN: "the token" } };
        await deploy({}, { dns });
        for (const host of ["a", "b", "c"]) {
            expect(upload(host, "acme.environment")).toContain("DUCKDNS_TOKEN='the token'\n");
            const configuration = upload(host, "haproxy.cfg");
            expect(configuration).toContain("default_backend acme_exchange");
            expect(configuration).not.toContain("acme-challenge");
            expect(configuration).not.toContain("acme_own");
            expect(configuration).not.toContain("backend acme\n");
        }
    });

    test("is in volumes of which the first proxy's are protected; the others have copies", () => {
        const { proxies } = partsOf("store", { ...ARGS, frontEndHosts: ["c", "a"] });
        expect(proxies.map(({ host, args }) => [host, args.retainCertificates])).toEqual([
            ["c", undefined],
            ["a", false],
        ]);
    });
});

test("without ACME the proxies of several hosts have no key of their own, and no port for each other", async () => {
    const resources = await mockEngine();
    new ObjectStore("store", ARGS);
    await settled(resources);
    expect(resources.filter(({ name }) => /peers|exchange/.test(name))).toEqual([]);
    const writer = resources.find(({ name }) => name === "store-front-end-a-configuration-writer");
    expect(JSON.stringify(secretValue(writer?.inputs["uploads"]))).not.toContain("8405");
});
