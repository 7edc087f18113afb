import type { ListenerName, ObservedCheck, ObservedConnection, ObservedRequest } from "../standIn/observations";
import { ContainerShell } from "./containerShell";
import type { DockerHost } from "./dockerHost";

/** Sends each request to the control listener. Its answer ends with a line with curl's exit code. */
const CONTROL = [
    "while read -r method path; do",
    'curl --silent --show-error --fail --request "$method" "http://127.0.0.1:9099$path" 2>&1',
    "printf '\\n%s\\0' $?",
    "done",
].join("\n");

/** By the node's name. */
const shells = new Map<string, Promise<ContainerShell>>();

/** A connection as a node recorded it, with decoded bytes. */
export interface RecordedConnection extends Omit<ObservedConnection, "bytes"> {
    bytes: Buffer;
}

/** One node of the contract stand-in, controlled and read from inside its container. */
export class StandIn {
    constructor(
        private readonly host: DockerHost,
        readonly nodeName: string,
    ) {}

    /** Sets the response of the S3 listener's readiness, and its delay in seconds. */
    setS3Health(status: number, hangSeconds = 0): Promise<void> {
        return this.setHealth("s3", status, hangSeconds);
    }

    /** Sets the response of the console listener's health check, and its delay in seconds. */
    setConsoleHealth(status: number, hangSeconds = 0): Promise<void> {
        return this.setHealth("console", status, hangSeconds);
    }

    /** Sets a health response for the proxy only; the engine still finds the container healthy. */
    setHealthForProxy(listener: ListenerName, status: number, hangSeconds = 0): Promise<void> {
        return this.setHealth(listener, status, hangSeconds, "&within=sound");
    }

    private async setHealth(listener: ListenerName, status: number, hangSeconds: number, more = ""): Promise<void> {
        await this.ask("PUT", `/health/${listener}?status=${status}&hang=${hangSeconds}${more}`);
    }

    /**
     * The health checks that were received, the oldest first: those of the proxy, and those of the engine from
     * 127.0.0.1.
     */
    async checks(): Promise<{ [Name in ListenerName]: ObservedCheck[] }> {
        return (await this.ask("GET", "/checks")) as { [Name in ListenerName]: ObservedCheck[] };
    }

    async clearChecks(): Promise<void> {
        await this.ask("DELETE", "/checks");
    }

    /** The newest 500 connections of both listeners, the oldest first, with the first 64 KiB of each. */
    async record(): Promise<RecordedConnection[]> {
        const connections = (await this.ask("GET", "/record")) as ObservedConnection[];
        return connections.map((connection) => ({ ...connection, bytes: Buffer.from(connection.bytes, "base64") }));
    }

    /** Deletes the records of closed connections, and the recorded bytes of open ones. */
    async clearRecord(): Promise<void> {
        await this.ask("DELETE", "/record");
    }

    /** The newest 5000 requests that either listener could parse, the oldest first. */
    async requests(): Promise<ObservedRequest[]> {
        return (await this.ask("GET", "/requests")) as ObservedRequest[];
    }

    async clearRequests(): Promise<void> {
        await this.ask("DELETE", "/requests");
    }

    private async ask(method: string, path: string): Promise<unknown> {
        const answer = await (await this.shell()).ask(`${method} ${path}`);
        const end = answer.lastIndexOf("\n");
        if (answer.slice(end + 1) !== "0") {
            throw new Error(`${method} ${path} at ${this.nodeName} failed: ${answer}`);
        }
        return JSON.parse(answer.slice(0, end)) as unknown;
    }

    /** The node's shell. It ends with the container's process, and is then started again. */
    private shell(): Promise<ContainerShell> {
        const former = shells.get(this.nodeName)?.catch(() => undefined) ?? Promise.resolve(undefined);
        const shell = former.then((found) =>
            found?.ended === false ? found : ContainerShell.start(this.host, this.nodeName, CONTROL),
        );
        shells.set(this.nodeName, shell);
        return shell;
    }
}
