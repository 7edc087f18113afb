import type { Duplex } from "node:stream";
import type { DockerHost } from "./dockerHost";

/**
 * A shell script in a running container that reads lines, and answers each one with a text and a zero byte. On a busy
 * machine the start of a program in a container takes half a second; this one is started once.
 */
export class ContainerShell {
    private parts: Buffer[] = [];
    private proceed: () => void = () => undefined;
    private last: Promise<unknown> = Promise.resolve();
    private hasEnded = false;

    private constructor(
        host: DockerHost,
        private readonly stream: Duplex,
    ) {
        const write = (part: Buffer) => {
            this.parts.push(part);
            this.proceed();
        };
        const sink = { write } as unknown as NodeJS.WritableStream;
        host.docker.modem.demuxStream(stream, sink, sink);
        const end = () => {
            this.hasEnded = true;
            this.proceed();
        };
        stream.on("error", end).on("end", end).on("close", end);
    }

    static async start(host: DockerHost, container: string, script: string): Promise<ContainerShell> {
        const exec = await host.docker.getContainer(container).exec({
            Cmd: ["/bin/sh", "-c", script],
            AttachStdin: true,
            AttachStdout: true,
            AttachStderr: true,
        });
        return new ContainerShell(host, await exec.start({ hijack: true, stdin: true }));
    }

    /** Whether the script has ended, for example with its container. */
    get ended(): boolean {
        return this.hasEnded;
    }

    /**
     * Sends a line, and returns the answer. Lines are answered one after the other.
     *
     * @throws {Error} if the script ends before its answer.
     */
    ask(line: string): Promise<string> {
        const answer = this.last.then(() => this.exchange(line));
        this.last = answer.catch(() => undefined);
        return answer;
    }

    private exchange(line: string): Promise<string> {
        this.parts = [];
        return new Promise((resolve, reject) => {
            this.proceed = () => {
                if (this.parts.at(-1)?.at(-1) === 0) {
                    resolve(Buffer.concat(this.parts).toString("utf8").slice(0, -1));
                } else if (this.hasEnded) {
                    reject(new Error(`the script in the container ended before it answered ${line}`));
                }
            };
            this.stream.write(`${line}\n`);
            this.proceed();
        });
    }
}
