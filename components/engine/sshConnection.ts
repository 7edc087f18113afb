import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Agent } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Connections at once: a multiplexed one has ten sessions by sshd's default, and a burst of more than ten is dropped. */
const MAXIMUM_CONNECTIONS = 4;

/**
 * An HTTP agent whose connections go through the system's own ssh client, as Docker's client and the provider have it: it verifies
 * host keys, and reads the user's configuration, keys and agent. A connection is used again for the next request.
 *
 * @param sshArguments Arguments of `ssh`, the command on the other host among them.
 */
export function sshAgent(sshArguments: string[]): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: MAXIMUM_CONNECTIONS });
    const connect = (): Duplex => new SshConnection(spawn("ssh", sshArguments, { stdio: "pipe", env: process.env }));
    // Node's types know no agent whose connections aren't sockets.
    return Object.assign(agent, { createConnection: connect });
}

/** What goes through one ssh client; with what an HTTP agent asks of a socket besides. */
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
        // Written to a client that has ended: its exit code says why.
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

    /** Pipes of a child process are sockets, which Node's types don't say. */
    private pipes(): Socket[] {
        const { stdin, stdout, stderr } = this.client;
        return [stdin, stdout, stderr] as unknown[] as Socket[];
    }
}
