import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { ListenerName, ObservedCheck, ObservedConnection, ObservedRequest } from "./observations";

const MAXIMUM_CONNECTIONS = 500;
const MAXIMUM_BYTES = 64 * 1024;
const MAXIMUM_REQUESTS = 5000;
const MAXIMUM_CHECKS = 1000;

interface Recording extends Omit<ObservedConnection, "bytes" | "healthCheck"> {
    healthPath: string;
    parts: Buffer[];
}

/** Records the newest observations: connections byte by byte, requests, and health checks. */
export class Recorder {
    private readonly numbers = new WeakMap<Socket, number>();
    private connections: Recording[] = [];
    private observedRequests: ObservedRequest[] = [];
    private readonly observedChecks: { [Name in ListenerName]: ObservedCheck[] } = { s3: [], console: [] };
    private nextNumber = 1;

    /** Records every connection of a server from its first byte on. */
    watch(server: Server, listener: ListenerName, healthPath: string): void {
        server.on("connection", (socket) => {
            const recording: Recording = {
                number: this.nextNumber++,
                listener,
                remoteAddress: socket.remoteAddress ?? "",
                opened: Date.now(),
                closed: null,
                byteCount: 0,
                healthPath,
                parts: [],
            };
            this.numbers.set(socket, recording.number);
            this.connections = [...this.connections, recording].slice(-MAXIMUM_CONNECTIONS);
            // A data listener makes Node.js pass the bytes to the HTTP parser through the socket, unchanged.
            socket.on("data", (part: Buffer) => {
                const room = MAXIMUM_BYTES - Math.min(recording.byteCount, MAXIMUM_BYTES);
                if (room > 0) {
                    recording.parts.push(Buffer.from(part.subarray(0, room)));
                }
                recording.byteCount += part.length;
            });
            socket.on("close", () => (recording.closed = Date.now()));
        });
    }

    /** Records a request; its response completes the record. */
    request(listener: ListenerName, request: IncomingMessage): ObservedRequest {
        const observed: ObservedRequest = {
            listener,
            connection: this.numbers.get(request.socket) ?? 0,
            time: Date.now(),
            method: request.method ?? "",
            url: request.url ?? "",
            httpVersion: request.httpVersion,
            route: null,
            status: null,
        };
        this.observedRequests.push(observed);
        if (this.observedRequests.length > MAXIMUM_REQUESTS) {
            this.observedRequests.shift();
        }
        return observed;
    }

    /** Records a health check. */
    check(listener: ListenerName, request: IncomingMessage, sound: boolean): void {
        const checks = this.observedChecks[listener];
        checks.push({
            time: Date.now(),
            sound,
            connection: this.numbers.get(request.socket) ?? 0,
            remoteAddress: request.socket.remoteAddress ?? "",
            rawHeaders: request.rawHeaders,
        });
        if (checks.length > MAXIMUM_CHECKS) {
            checks.shift();
        }
    }

    record(): ObservedConnection[] {
        return this.connections.map(({ parts, healthPath, ...rest }) => {
            const bytes = Buffer.concat(parts);
            const healthCheck = bytes.subarray(0, 200).toString("latin1").startsWith(`GET ${healthPath} `);
            return { ...rest, healthCheck, bytes: bytes.toString("base64") };
        });
    }

    /** Deletes the records of closed connections, and the recorded bytes of open ones. */
    clearRecord(): void {
        this.connections = this.connections.filter(({ closed }) => closed === null);
        for (const connection of this.connections) {
            connection.parts = [];
            connection.byteCount = 0;
        }
    }

    requests(): ObservedRequest[] {
        return this.observedRequests;
    }

    clearRequests(): void {
        this.observedRequests = [];
    }

    checks(): { [Name in ListenerName]: ObservedCheck[] } {
        return this.observedChecks;
    }

    clearChecks(): void {
        this.observedChecks.s3 = [];
        this.observedChecks.console = [];
    }
}
