import type { Deployment } from "./deployment";
import { DockerHost } from "./dockerHost";
import { ProxyFixture, type FixtureProxy } from "./proxyFixture";
import { RequestSigner, type UnsignedRequest, type WireRequest } from "./signedRequest";
import { StandIn } from "./standIn";
import { overHttp1, overHttp2, type Route } from "./wire";

/** Bucket that every test may write to. */
export const BUCKET = "signed";

/** Protocols between clients and the deployment's proxy. */
export const PROTOCOLS = ["HTTP/1.1", "HTTP/2"] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/**
 * Sends signed requests to one node of a store on every route: through its proxy, directly, and through other proxies.
 */
export class SignedTraffic {
    private constructor(
        readonly deployment: Deployment,
        private readonly fixture: ProxyFixture,
        /** Directly, without any proxy. */
        readonly direct: Route,
        /** Through the deployment's proxy, over TLS. */
        readonly proxied: { [Name in Protocol]: Route },
        /** Value of Host that clients send by default. */
        readonly host: string,
        readonly signer: RequestSigner,
        /** Signs with the right access key and a wrong secret key. */
        readonly stranger: RequestSigner,
        /** The node, if the store is the stand-in. */
        readonly standIn: StandIn,
    ) {}

    /** Sets up the routes to a running deployment, and creates the bucket. */
    static async start(deployment: Deployment): Promise<SignedTraffic> {
        const outputs = await deployment.outputs();
        const { accessKey: accessKeyId, secretKey, caCertificate, s3Endpoint, nodeNames } = outputs;
        const { host, hostname } = new URL(s3Endpoint);
        const endpoint = { port: deployment.httpsPort, tls: { ca: caCertificate, servername: hostname } };
        const fixture = await ProxyFixture.start(deployment, outputs);
        const traffic = new SignedTraffic(
            deployment,
            fixture,
            fixture.through("unchanged"),
            { "HTTP/1.1": overHttp1(endpoint), "HTTP/2": overHttp2(endpoint) },
            host,
            new RequestSigner({ accessKeyId, secretAccessKey: secretKey }),
            new RequestSigner({ accessKeyId, secretAccessKey: "another-secret" }),
            new StandIn(new DockerHost(), nodeNames[0] ?? ""),
        );
        await traffic.makeBucket(BUCKET);
        return traffic;
    }

    /** The route through a proxy that rewrites requests. */
    through(proxy: FixtureProxy): Route {
        return this.fixture.through(proxy);
    }

    /** Signs a request for the public hostname. */
    sign(method: string, path: string, rest: Partial<UnsignedRequest> = {}): Promise<WireRequest> {
        return this.signer.sign({ method, path, host: this.host, ...rest });
    }

    async makeBucket(name: string): Promise<void> {
        const { status } = await this.direct(await this.sign("PUT", `/${name}`));
        if (status !== 200) {
            throw new Error(`making the bucket ${name} was answered with ${status}`);
        }
    }

    /** Removes the other proxies. */
    async stop(): Promise<void> {
        await this.fixture.remove();
    }
}
