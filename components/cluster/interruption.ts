import * as pulumi from "@pulumi/pulumi";

/** Undoes work when a program has to end before it is done. */
export interface Interruptions {
    /**
     * Has something undone where the program is interrupted: by a signal, because Pulumi has ended, or because nothing is left
     * that the program could wait for.
     *
     * @param undo Called at most once.
     * @returns Takes it back, once there is nothing to undo any more.
     */
    before(undo: () => Promise<void>): () => void;
}

/** What of Node's process is used: `process`, or what stands in for it in a test. */
export interface InterruptibleProcess {
    pid: number;
    on(event: string, listener: () => void): unknown;
    off(event: string, listener: () => void): unknown;
    listenerCount(event: string): number;
    kill(pid: number, signal: string): unknown;
}

/** How an interruption is noticed and survived. */
export interface InterruptionOptions {
    process: InterruptibleProcess;
    /** Whether Pulumi, which has started the program, has ended. */
    isPulumiGone: () => boolean;
    /** Pause between two such questions, in milliseconds. */
    interval: number;
    /** Longest time that what is undone may take before a signal ends the program, in milliseconds. */
    grace: number;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Interruptions of this process. Pulumi ends a program, or a plugin, by SIGINT where the update fails or is cancelled, and by
 * SIGKILL 5 s later. Where Pulumi itself was killed, registrations of resources are answered no more: the program has nothing
 * left to wait for, and Node.js says so (`beforeExit`).
 */
export class ProcessInterruptions implements Interruptions {
    private readonly undos = new Set<() => Promise<void>>();
    private readonly listeners = SIGNALS.map((signal) => ({ signal, listener: () => void this.end(signal) }));
    private readonly beforeExit = () => void this.undoAll();
    private timer: NodeJS.Timeout | undefined;
    private ending = false;

    constructor(private readonly options: InterruptionOptions) {}

    before(undo: () => Promise<void>): () => void {
        if (this.undos.size === 0) {
            this.listen();
        }
        this.undos.add(undo);
        return () => {
            this.undos.delete(undo);
            if (this.undos.size === 0) {
                this.stopListening();
            }
        };
    }

    private async end(signal: (typeof SIGNALS)[number]): Promise<void> {
        // A terminal and Pulumi may both send one.
        if (this.ending) {
            return;
        }
        this.ending = true;
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.options.grace)));
        await Promise.race([this.undoAll(), late]);
        clearTimeout(timer);
        this.stopListening();
        this.ending = false;
        const { process } = this.options;
        // Without a listener of the program's own a signal ends it, as it would have done at once.
        if (process.listenerCount(signal) === 0) {
            process.kill(process.pid, signal);
        }
    }

    private async undoAll(): Promise<void> {
        const undos = [...this.undos];
        this.undos.clear();
        await Promise.allSettled(undos.map((undo) => undo()));
        if (!this.ending && this.undos.size === 0) {
            this.stopListening();
        }
    }

    private listen(): void {
        const { process, isPulumiGone, interval } = this.options;
        this.listeners.forEach(({ signal, listener }) => process.on(signal, listener));
        process.on("beforeExit", this.beforeExit);
        this.timer = setInterval(() => (isPulumiGone() ? void this.undoAll() : undefined), interval);
        // It must not keep the program from having nothing left to wait for.
        this.timer.unref();
    }

    private stopListening(): void {
        const { process } = this.options;
        this.listeners.forEach(({ signal, listener }) => process.off(signal, listener));
        process.off("beforeExit", this.beforeExit);
        clearInterval(this.timer);
    }
}

/** The channel of a gRPC client, as far as it says that its server has gone. */
interface Channel {
    getConnectivityState(connect: boolean): number;
}

/** `connectivityState` of gRPC: no connection can be made; the client was closed. */
const LOST = [3, 4];

/** A question whether Pulumi has ended, for the program or the component that asks for it now. */
export function pulumiConnection(): () => boolean {
    const monitor = pulumi.runtime.getMonitor() as { getChannel?: () => Channel } | undefined;
    const channel = monitor?.getChannel?.();
    return () => channel !== undefined && LOST.includes(channel.getConnectivityState(true));
}
