import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ProcessInterruptions, type InterruptibleProcess } from "../../../../components/pulumi/interruption";

/** A process that is ended by a signal as a real one is: if it has no listener. */
class VirtualProcess extends EventEmitter implements InterruptibleProcess {
    readonly pid = 4711;
    endedBy: string | undefined;

    kill(pid: number, signal: string): boolean {
        expect(pid).toBe(this.pid);
        if (!this.emit(signal)) {
            this.endedBy = signal;
        }
        return true;
    }
}

function interruptionsOf(
    process: VirtualProcess,
    { gone = (): boolean => false, grace = 1000 } = {},
): ProcessInterruptions {
    return new ProcessInterruptions({ process, isPulumiGone: gone, interval: 5, grace });
}

const until = async (holds: () => boolean) => {
    const limit = Date.now() + 3000;
    while (!holds() && Date.now() < limit) {
        await sleep(1);
    }
};

test.each(["SIGINT", "SIGTERM", "SIGHUP"])(
    "%s: the undo actions run, then the signal ends the process",
    async (signal) => {
        const process = new VirtualProcess();
        let undone = false;
        interruptionsOf(process).before(async () => {
            await sleep(20);
            undone = true;
        });
        process.kill(process.pid, signal);
        // A second one, from the terminal and from Pulumi, changes nothing.
        process.kill(process.pid, signal);
        expect(process.endedBy).toBeUndefined();
        await until(() => process.endedBy !== undefined);
        expect([undone, process.endedBy]).toEqual([true, signal]);
        expect(process.eventNames()).toEqual([]);
    },
);

test("a program with its own listener continues", async () => {
    const process = new VirtualProcess();
    const [heard, undone]: [string[], string[]] = [[], []];
    process.on("SIGINT", () => heard.push("SIGINT"));
    interruptionsOf(process).before(() => Promise.resolve(void undone.push("undone")));
    process.kill(process.pid, "SIGINT");
    await until(() => process.listenerCount("SIGINT") === 1);
    expect([heard, undone, process.endedBy]).toEqual([["SIGINT"], ["undone"], undefined]);
});

test("several undo actions run at the same time, also if one of them fails", async () => {
    const process = new VirtualProcess();
    const interruptions = interruptionsOf(process);
    let undone = false;
    interruptions.before(() => Promise.reject(new Error("it can't be undone")));
    interruptions.before(() => Promise.resolve(void (undone = true)));
    process.kill(process.pid, "SIGTERM");
    await until(() => process.endedBy !== undefined);
    expect(undone).toBe(true);
});

test("a slow undo action doesn't keep the process running", async () => {
    const process = new VirtualProcess();
    interruptionsOf(process, { grace: 10 }).before(() => new Promise(() => undefined));
    process.kill(process.pid, "SIGINT");
    await until(() => process.endedBy !== undefined);
});

test("a program whose event loop is empty runs the undo actions, once", async () => {
    const process = new VirtualProcess();
    let undone = 0;
    interruptionsOf(process).before(() => Promise.resolve(void (undone += 1)));
    process.emit("beforeExit");
    await until(() => process.eventNames().length === 0);
    process.emit("beforeExit");
    expect(undone).toBe(1);
});

test("if Pulumi has gone, the undo actions run", async () => {
    const process = new VirtualProcess();
    let [gone, undone] = [false, false];
    interruptionsOf(process, { gone: () => gone }).before(() => Promise.resolve(void (undone = true)));
    await sleep(30);
    expect(undone).toBe(false);
    gone = true;
    await until(() => undone);
    await until(() => process.eventNames().length === 0);
});

test("once it is cancelled, no undo action runs and no signal has a listener", () => {
    const process = new VirtualProcess();
    interruptionsOf(process).before(() => Promise.reject(new Error("nothing is to undo")))();
    expect(process.eventNames()).toEqual([]);
    process.kill(process.pid, "SIGINT");
    expect(process.endedBy).toBe("SIGINT");
});

/** An undo that takes some time, and notes that it has ended. */
function slowUndo(): { undo: () => Promise<void>; begun: boolean; ended: boolean } {
    const state = {
        begun: false,
        ended: false,
        undo: async () => {
            state.begun = true;
            await sleep(60);
            state.ended = true;
        },
    };
    return state;
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"])(
    "%s while the undo runs because Pulumi has gone: the process ends once the undo has",
    async (signal) => {
        const process = new VirtualProcess();
        const slow = slowUndo();
        interruptionsOf(process, { gone: () => true }).before(slow.undo);
        await until(() => slow.begun);
        // Pulumi is looked for again meanwhile.
        await sleep(20);
        process.kill(process.pid, signal);
        expect([slow.ended, process.endedBy]).toEqual([false, undefined]);
        await until(() => process.endedBy !== undefined);
        expect([slow.ended, process.endedBy]).toEqual([true, signal]);
        expect(process.eventNames()).toEqual([]);
    },
);

test("work that ends while its undo runs doesn't take the listeners away", async () => {
    const process = new VirtualProcess();
    const slow = slowUndo();
    const release = interruptionsOf(process, { gone: () => true }).before(slow.undo);
    await until(() => slow.begun);
    release();
    process.kill(process.pid, "SIGTERM");
    await until(() => process.endedBy !== undefined);
    expect(slow.ended).toBe(true);
});

test("what is registered while an undo runs is undone too, and nothing is left listening", async () => {
    const process = new VirtualProcess();
    const interruptions = interruptionsOf(process);
    const [first, second] = [slowUndo(), slowUndo()];
    interruptions.before(first.undo);
    process.emit("beforeExit");
    interruptions.before(second.undo);
    process.kill(process.pid, "SIGTERM");
    await until(() => process.endedBy !== undefined);
    expect([first.ended, second.ended, process.eventNames()]).toEqual([true, true, []]);
});
