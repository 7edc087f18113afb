/** Undoes work if the program has to end before the work is done. */
export interface Interruptions {
    /**
     * Registers an undo for an interruption of the program: by a signal, because Pulumi has ended, or because the program
     * has nothing left to wait for.
     *
     * @param undo Called at most once.
     * @returns A function that removes the registration. Call it once there is nothing to undo any more.
     */
    before(undo: () => Promise<void>): () => void;
}

/** The part of Node's `process` that is used. In a test a substitute takes its place. */
export interface InterruptibleProcess {
    pid: number;
    on(event: string, listener: () => void): unknown;
    off(event: string, listener: () => void): unknown;
    listenerCount(event: string): number;
    kill(pid: number, signal: string): unknown;
}

/** How an interruption is detected and handled. */
export interface InterruptionOptions {
    process: InterruptibleProcess;
    /** Whether Pulumi, which started the program, has ended. */
    isPulumiGone: () => boolean;
    /** Interval between two calls of `isPulumiGone`, in milliseconds. */
    interval: number;
    /** Longest time that the undo may take before a signal ends the program, in milliseconds. */
    grace: number;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Interruptions of this process. If the update fails or is cancelled, Pulumi ends a program or a plugin by SIGINT, and by
 * SIGKILL 5 s later. If Pulumi itself was killed, registrations of resources get no answer any more: the program then has
 * nothing left to wait for, and Node.js emits `beforeExit`.
 */
export class ProcessInterruptions implements Interruptions {
    private readonly undos = new Set<() => Promise<void>>();
    private readonly listeners = SIGNALS.map((signal) => ({ signal, listener: () => void this.end(signal) }));
    private readonly beforeExit = () => void this.undoAll();
    private timer: NodeJS.Timeout | undefined;
    /** The undo that runs. Everything that looks for an end meanwhile waits for this one. */
    private undone: Promise<void> | undefined;
    private ending = false;

    constructor(private readonly options: InterruptionOptions) {}

    before(undo: () => Promise<void>): () => void {
        this.listen();
        this.undos.add(undo);
        return () => {
            this.undos.delete(undo);
            this.stopIfDone();
        };
    }

    private async end(signal: (typeof SIGNALS)[number]): Promise<void> {
        // A terminal and Pulumi may both send a signal.
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
        // If the program has no signal listener of its own, the signal ends it now, as it would have done at once without
        // this class.
        if (process.listenerCount(signal) === 0) {
            process.kill(process.pid, signal);
        }
    }

    private undoAll(): Promise<void> {
        this.undone ??= this.runUndos().finally(() => {
            this.undone = undefined;
            this.stopIfDone();
        });
        return this.undone;
    }

    private async runUndos(): Promise<void> {
        while (this.undos.size > 0) {
            const undos = [...this.undos];
            this.undos.clear();
            await Promise.allSettled(undos.map((undo) => undo()));
        }
    }

    private listen(): void {
        if (this.timer !== undefined) {
            return;
        }
        const { process, isPulumiGone, interval } = this.options;
        this.listeners.forEach(({ signal, listener }) => process.on(signal, listener));
        process.on("beforeExit", this.beforeExit);
        this.timer = setInterval(() => (isPulumiGone() ? void this.undoAll() : undefined), interval);
        // The timer must not keep the program running when nothing else is left to wait for.
        this.timer.unref();
    }

    private stopIfDone(): void {
        if (this.undos.size === 0 && this.undone === undefined && !this.ending) {
            this.stopListening();
        }
    }

    private stopListening(): void {
        const { process } = this.options;
        this.listeners.forEach(({ signal, listener }) => process.off(signal, listener));
        process.off("beforeExit", this.beforeExit);
        clearInterval(this.timer);
        this.timer = undefined;
    }
}
