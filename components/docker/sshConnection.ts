import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Agent } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { connectedBy } from "./dockerodeInternals";

/**
 * Maximum number of concurrent connections, and of those kept for the next request. By sshd's default, a multiplexed
 * connection has ten sessions, which the Docker provider needs too, and more than ten connections opened at once are dropped.
 */
const MAXIMUM_CONNECTIONS = 4;
const MAXIMUM_KEPT = 1;

/**
 * An HTTP agent whose connections use the system's own ssh client, as Docker's client and the provider do. That client
 * verifies host keys, and reads the user's configuration, keys and agent. A connection is reused for the next request.
 *
 * @param sshArguments Arguments of `ssh`, including the command on the other host.
 */
export function sshAgent(sshArguments: string[]): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: MAXIMUM_CONNECTIONS, maxFreeSockets: MAXIMUM_KEPT });
    const connect = (): Duplex => new SshConnection(spawn("ssh", sshArguments, { stdio: "pipe", env: process.env }));
    return connectedBy(agent, connect);
}

/** A connection through one ssh client, with the methods that an HTTP agent expects of a socket. */
class SshConnection extends Duplex {
    private complaint = "";

    constructor(private readonly client: ChildProcessWithoutNullStreams) {
        super();
        client.stderr.on("data", (part: Buffer) => (this.complaint = (this.complaint + part.toString()).slice(-2000)));
        client.stdout.on("data", (part: Buffer) => {
            if (!this.push(part)) {
                client.stdout.pause();
            }
        });
        // Errors of writing to a client that has ended are ignored: its exit code states the reason.
        client.stdin.on("error", () => undefined);
        client.on("error", (error) => this.destroy(error));
        client.on("close", (code) => {
            if (code === 0) {
                this.push(null);
            } else {
                this.destroy(new Error(`ssh: ${this.complaint.trim() || `exit code ${code}`}`));
            }
        });
    }

    override _read(): void {
        this.client.stdout.resume();
    }

    override _write(part: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
        if (this.client.stdin.write(part)) {
            done();
        } else {
            this.client.stdin.once("drain", done);
        }
    }

    override _final(done: () => void): void {
        this.client.stdin.end(done);
    }

    override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
        this.client.kill();
        done(error);
    }

    /** Lets the program end while the connection is idle. */
    unref(): this {
        this.client.unref();
        this.pipes().forEach((pipe) => pipe.unref());
        return this;
    }

    ref(): this {
        this.client.ref();
        this.pipes().forEach((pipe) => pipe.ref());
        return this;
    }

    setKeepAlive(): this {
        return this;
    }

    setNoDelay(): this {
        return this;
    }

    setTimeout(): this {
        return this;
    }

    /** Pipes of a child process are sockets, which Node's types don't declare. */
    private pipes(): Socket[] {
        const { stdin, stdout, stderr } = this.client;
        return [stdin, stdout, stderr] as unknown[] as Socket[];
    }
}
