import { Deployment, type DeploymentConfig, type DeploymentOutputs } from "./deployment";
import { DockerHost } from "./dockerHost";
import { NetworkClient, type ProxyNetwork } from "./networkClient";
import { RawConnection, type RawAnswer } from "./rawConnection";
import { exchangeHttp2, type Http2Headers } from "./rawHttp2";
import { StandIn } from "./standIn";
import { standInStore } from "./stores";

/** Public hostnames of the deployment. */
export const [S3_HOST, CONSOLE_HOST] = ["s3.localhost", "console.localhost"];

/** The request as the stand-in's `/service/echo` describes it. */
export interface Echo {
    method: string;
    rawUrl: string;
    /** Alternating names and values, in the order received. */
    rawHeaders: string[];
}

/** The proxy of one node of the contract stand-in, as clients on this host see it, and its node. */
export class PublicSide {
    private readonly clients: NetworkClient[] = [];

    private constructor(
        readonly deployment: Deployment,
        readonly outputs: DeploymentOutputs,
        readonly node: StandIn,
    ) {}

    static async start(config: DeploymentConfig = {}): Promise<PublicSide> {
        const deployment = await Deployment.create({ ...standInStore().config, ...config });
        try {
            await deployment.up();
            const outputs = await deployment.outputs();
            return new PublicSide(deployment, outputs, new StandIn(new DockerHost(), outputs.nodeNames[0] ?? ""));
        } catch (error) {
            await deployment.remove();
            throw error;
        }
    }

    /** A new connection over TLS. */
    connect(): Promise<RawConnection> {
        return RawConnection.openTls(this.deployment.httpsPort);
    }

    /** The response to a request over TLS and HTTP/1.1, which is sent unchanged. */
    ask(requestLine: string, ...headerLines: string[]): Promise<RawAnswer> {
        return askOn(this.connect(), requestLine, headerLines);
    }

    /** The same without TLS, on the port that redirects. */
    askPlain(requestLine: string, ...headerLines: string[]): Promise<RawAnswer> {
        return askOn(RawConnection.open(this.deployment.httpPort), requestLine, headerLines);
    }

    /** The response to a GET over HTTP/1.1. */
    get(target: string, host = S3_HOST, ...headerLines: string[]): Promise<RawAnswer> {
        return this.ask(`GET ${target} HTTP/1.1`, `Host: ${host}`, ...headerLines);
    }

    /** The response to a GET over HTTP/2. */
    getHttp2(target: string, host = S3_HOST, ...more: Http2Headers) {
        return exchangeHttp2(this.deployment.httpsPort, [
            ...([
                [":method", "GET"],
                [":scheme", "https"],
                [":path", target],
                [":authority", host],
            ] as Http2Headers),
            ...more,
        ]);
    }

    /** The request that the store receives after a GET over HTTP/1.1 with these header lines. */
    async echo(...headerLines: string[]): Promise<Echo> {
        const { status, body } = await this.get("/service/echo", S3_HOST, ...headerLines);
        if (status !== 200) {
            throw new Error(`the echo was answered with ${status}: ${body}`);
        }
        return JSON.parse(body) as Echo;
    }

    /** A client in a container, whose address has this position in one of the proxy's networks. */
    async clientAt(network: ProxyNetwork, index: number): Promise<NetworkClient> {
        const client = await NetworkClient.start(this.deployment, network, index);
        this.clients.push(client);
        return client;
    }

    /** Removes everything, its clients first: a network can't be removed while a container is on it. */
    async remove(): Promise<void> {
        await Promise.all(this.clients.map((client) => client.remove()));
        await this.deployment.remove();
    }
}

/** The values of a header in an {@link Echo}. */
export function valuesOf({ rawHeaders }: Echo, name: string): string[] {
    return rawHeaders.filter(
        (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name.toLowerCase(),
    );
}

async function askOn(opened: Promise<RawConnection>, requestLine: string, headerLines: string[]): Promise<RawAnswer> {
    const connection = await opened;
    try {
        connection.write(`${[requestLine, ...headerLines].join("\r\n")}\r\n\r\n`);
        return await connection.answer(requestLine.startsWith("HEAD "));
    } finally {
        connection.destroy();
    }
}
