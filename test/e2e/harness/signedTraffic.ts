import { Deployment, type DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { ProxyFixture, type FixtureProxy } from "./proxyFixture";
import { RequestSigner, type UnsignedRequest, type WireRequest } from "./signedRequest";
import { StandIn } from "./standIn";
import type { Store } from "./stores";
import { overHttp1, overHttp2, type Route } from "./wire";

/** Bucket that every test may write to. */
export const BUCKET = "signed";

/** Protocols between clients and the deployment's proxy. */
export const PROTOCOLS = ["HTTP/1.1", "HTTP/2"] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** One node of a store, and every way to it: through its proxy, past it, and through other proxies. */
export class SignedTraffic {
    /** Past every proxy. */
    readonly direct: Route;
    /** Through the deployment's proxy, over TLS. */
    readonly proxied: { [Name in Protocol]: Route };
    /** Value of Host that clients send by themselves. */
    readonly host: string;
    readonly signer: RequestSigner;
    /** Signs with the right access key and a wrong secret key. */
    readonly stranger: RequestSigner;
    /** The node, where the store is the stand-in. */
    readonly standIn: StandIn;

    private constructor(
        private readonly deployment: Deployment,
        private readonly fixture: ProxyFixture,
        { accessKey, secretKey, caCertificate, s3Endpoint, nodeNames: [node = ""] }: DeploymentOutputs,
    ) {
        const { host, hostname } = new URL(s3Endpoint);
        const endpoint = { port: deployment.httpsPort, tls: { ca: caCertificate, servername: hostname } };
        this.direct = fixture.through("unchanged");
        this.proxied = { "HTTP/1.1": overHttp1(endpoint), "HTTP/2": overHttp2(endpoint) };
        this.host = host;
        this.signer = new RequestSigner({ accessKeyId: accessKey, secretAccessKey: secretKey });
        this.stranger = new RequestSigner({ accessKeyId: accessKey, secretAccessKey: "another-secret" });
        this.standIn = new StandIn(new DockerHost(), node);
    }

    /** Deploys a store, and makes the bucket. */
    static async start(store: Store): Promise<SignedTraffic> {
        const deployment = await Deployment.create(store.config);
        try {
            await deployment.up();
            const outputs = await deployment.outputs();
            const fixture = await ProxyFixture.start(deployment, outputs);
            const traffic = new SignedTraffic(deployment, fixture, outputs);
            await traffic.makeBucket(BUCKET);
            return traffic;
        } catch (error) {
            await deployment.remove();
            throw error;
        }
    }

    /** The way through a proxy that rewrites requests. */
    through(proxy: FixtureProxy): Route {
        return this.fixture.through(proxy);
    }

    /** Signs a request for the public Host. */
    sign(method: string, path: string, rest: Partial<UnsignedRequest> = {}): Promise<WireRequest> {
        return this.signer.sign({ method, path, host: this.host, ...rest });
    }

    async makeBucket(name: string): Promise<void> {
        const { status } = await this.direct(await this.sign("PUT", `/${name}`));
        if (status !== 200) {
            throw new Error(`making the bucket ${name} was answered with ${status}`);
        }
    }

    async remove(): Promise<void> {
        await this.fixture.remove();
        await this.deployment.remove();
    }
}
