import { LoadBalancer } from "../harness/loadBalancer";
import { NetworkClient } from "../harness/networkClient";
import { BUCKET, type SignedTraffic } from "../harness/signedTraffic";
import { waitUntil } from "../harness/wait";

/** What a store knows about clients behind the proxy. */
export interface KnownOfClients {
    /** Whether it knows that clients use TLS. */
    tls: boolean;
    /** Whether it trusts the forwarding headers of clients that reach a node directly, without the proxy. */
    trustsDirectClients: boolean;
}

const PATH = `/${BUCKET}/conditions`;
const ELSEWHERE = "192.0.2.1";
const FORGED = [
    ["X-Forwarded-For", ELSEWHERE],
    ["X-Real-IP", ELSEWHERE],
    ["Forwarded", `for=${ELSEWHERE};proto=http`],
    ["X-Forwarded-Proto", "http"],
] as const;

/** Conditions of bucket policies on a client's address and on TLS, for clients with an address of their own. */
export function policyConditionsSuite(traffic: () => SignedTraffic, known: KnownOfClients): void {
    describe("conditions of a bucket policy", () => {
        let client: NetworkClient;

        beforeAll(async () => {
            client = await NetworkClient.start(traffic().deployment, "public", 100);
            const { status } = await traffic().direct(await traffic().sign("PUT", PATH, { body: Buffer.from("x") }));
            expect(status).toBe(200);
        }, 60_000);

        afterAll(async () => {
            await traffic().direct(await traffic().sign("DELETE", `/${BUCKET}`, { query: { policy: "" } }));
            await client.remove();
        }, 60_000);

        /** Lets anyone read the object under a condition. */
        const allowIf = async (Condition: object) => {
            const Resource = [`arn:aws:s3:::${BUCKET}/*`];
            const statement = {
                Effect: "Allow",
                Principal: { AWS: ["*"] },
                Action: ["s3:GetObject"],
                Resource,
                Condition,
            };
            const body = Buffer.from(JSON.stringify({ Version: "2012-10-17", Statement: [statement] }));
            const put = await traffic().sign("PUT", `/${BUCKET}`, { query: { policy: "" }, body });
            expect((await traffic().direct(put)).status).toBe(204);
        };

        /** The status of an unsigned read through the proxy. */
        const read = async (...headers: (readonly [string, string])[]) =>
            Number(await client.curl(`https://${hostname()}${PATH}`, ...options(headers)));
        const hostname = () => new URL(`https://${traffic().host}`).hostname;
        const options = (headers: (readonly [string, string])[]) => [
            ...["--output", "/dev/null", "--write-out", "%{http_code}"],
            ...headers.flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
        ];

        test("aws:SourceIp is the client's own address, whatever its headers claim", async () => {
            await allowIf({ IpAddress: { "aws:SourceIp": `${client.address}/32` } });
            expect(await read()).toBe(200);
            expect(await read(...FORGED)).toBe(200);
            await allowIf({ IpAddress: { "aws:SourceIp": `${ELSEWHERE}/32` } });
            expect(await read()).toBe(403);
            expect(await read(...FORGED)).toBe(403);
        });

        test("aws:SecureTransport is what the store knows about TLS, whatever the client's headers claim", async () => {
            const outcomes = [];
            for (const value of ["true", "false"]) {
                await allowIf({ Bool: { "aws:SecureTransport": value } });
                outcomes.push(await read(), await read(...FORGED));
            }
            expect(outcomes).toEqual(known.tls ? [200, 200, 403, 403] : [403, 403, 200, 200]);
        });

        test("headers of clients that reach a node directly are not trusted, if the store can distinguish them", async () => {
            const forged = { Host: traffic().host, ...Object.fromEntries(FORGED), "X-Forwarded-Proto": "https" };
            const ask = async () =>
                (await traffic().direct({ method: "GET", target: PATH, headers: forged, body: Buffer.alloc(0) }))
                    .status;
            await allowIf({ IpAddress: { "aws:SourceIp": `${ELSEWHERE}/32` } });
            expect(await ask()).toBe(known.trustsDirectClients ? 200 : 403);
            await allowIf({ Bool: { "aws:SecureTransport": "true" } });
            expect(await ask()).toBe(403);
        });

        describe("behind a load balancer", () => {
            let balancer: LoadBalancer;

            beforeAll(async () => {
                const { deployment } = traffic();
                balancer = await LoadBalancer.start(deployment, 120);
                await deployment.configure({ trustedProxies: JSON.stringify([`${balancer.address}/32`]) });
                await deployment.up();
            }, 120_000);

            afterAll(async () => {
                const { deployment } = traffic();
                await balancer.remove();
                await deployment.unset("trustedProxies", "proxyProtocol");
                await deployment.up();
            }, 120_000);

            const readBy = async (listener: "forwarding" | "version2") =>
                Number(
                    await client.run(
                        ...["curl", "--silent", "--show-error", "--insecure", ...balancer.through(listener)],
                        ...options([...FORGED]),
                        `${listener === "forwarding" ? "http" : "https"}://${hostname()}${PATH}`,
                    ),
                );
            const outcomes = async (listener: "forwarding" | "version2") => {
                const found: { [address: string]: number } = {};
                for (const address of [client.address, balancer.address, ELSEWHERE]) {
                    await allowIf({ IpAddress: { "aws:SourceIp": `${address}/32` } });
                    found[address] = await readBy(listener);
                }
                return found;
            };
            const ofClient = () => ({ [client.address]: 200, [balancer.address]: 403, [ELSEWHERE]: 403 });

            test("aws:SourceIp is the client that it forwards for, whatever that client claims", async () => {
                expect(await outcomes("forwarding")).toEqual(ofClient());
            });

            test("aws:SourceIp is the client of its PROXY protocol header", async () => {
                await traffic().deployment.configure({ proxyProtocol: "required" });
                await traffic().deployment.up();
                await waitUntil("the load balancer's own health checks succeed", () =>
                    readBy("version2").then(
                        () => true,
                        () => false,
                    ),
                );
                expect(await outcomes("version2")).toEqual(ofClient());
            }, 60_000);
        });
    });
}
