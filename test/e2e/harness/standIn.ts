import type { ListenerName, ObservedCheck, ObservedConnection, ObservedRequest } from "../standIn/observations";
import type { DockerHost } from "./dockerHost";

const CONTROL_URL = "http://127.0.0.1:9099";

/** A connection as a node saw it, its bytes decoded. */
export interface RecordedConnection extends Omit<ObservedConnection, "bytes"> {
    bytes: Buffer;
}

/** One node of the contract stand-in, told what to do and asked what it saw, from inside of its container. */
export class StandIn {
    constructor(
        private readonly host: DockerHost,
        readonly nodeName: string,
    ) {}

    /** What the S3 listener's readiness answers from now on, and after how many seconds. */
    setS3Health(status: number, hangSeconds = 0): Promise<void> {
        return this.setHealth("s3", status, hangSeconds);
    }

    /** What the console listener's health answers from now on, and after how many seconds. */
    setConsoleHealth(status: number, hangSeconds = 0): Promise<void> {
        return this.setHealth("console", status, hangSeconds);
    }

    /** What a listener's health answers to the proxy; the engine finds the container healthy. */
    setHealthForProxy(listener: ListenerName, status: number, hangSeconds = 0): Promise<void> {
        return this.setHealth(listener, status, hangSeconds, "&within=sound");
    }

    private async setHealth(listener: ListenerName, status: number, hangSeconds: number, more = ""): Promise<void> {
        await this.ask("PUT", `/health/${listener}?status=${status}&hang=${hangSeconds}${more}`);
    }

    /** The health checks that came, the oldest first: those of the proxy and those of the engine, from 127.0.0.1. */
    async checks(): Promise<{ [Name in ListenerName]: ObservedCheck[] }> {
        return (await this.ask("GET", "/checks")) as { [Name in ListenerName]: ObservedCheck[] };
    }

    async clearChecks(): Promise<void> {
        await this.ask("DELETE", "/checks");
    }

    /** The newest 500 connections of both listeners, the oldest first, with the first 64 KiB that each brought. */
    async record(): Promise<RecordedConnection[]> {
        const connections = (await this.ask("GET", "/record")) as ObservedConnection[];
        return connections.map((connection) => ({ ...connection, bytes: Buffer.from(connection.bytes, "base64") }));
    }

    /** Forgets closed connections, and the bytes so far of open ones. */
    async clearRecord(): Promise<void> {
        await this.ask("DELETE", "/record");
    }

    /** The newest 5000 requests that got through the HTTP parser of either listener, the oldest first. */
    async requests(): Promise<ObservedRequest[]> {
        return (await this.ask("GET", "/requests")) as ObservedRequest[];
    }

    async clearRequests(): Promise<void> {
        await this.ask("DELETE", "/requests");
    }

    private async ask(method: string, path: string): Promise<unknown> {
        const curl = ["curl", "--silent", "--show-error", "--fail", "--request", method, CONTROL_URL + path];
        return JSON.parse(await this.host.exec(this.nodeName, curl)) as unknown;
    }
}
