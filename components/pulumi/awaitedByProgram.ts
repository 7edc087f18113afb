import * as pulumi from "@pulumi/pulumi";
import { keepProgram } from "./internals";
import { ended } from "./settled";

/** What each program waits for, by its stack. */
const waits = new WeakMap<pulumi.Resource, ProgramWait>();

/**
 * Makes an update wait for an output, and fail as soon as the output does. Returns the output.
 *
 * A program of the Automation API that is a function has ended, for Pulumi, once the function has returned and all
 * registrations have ended. If an output fails in the meantime, Pulumi (3.142 to 3.276) first deletes all resources that were
 * not registered for that reason, and then reports the error. Before 3.270 it never ends: registrations that depend on such an
 * output stay pending. So outputs on which registrations depend are awaited here too.
 */
export function awaitedByProgram<Value>(output: pulumi.Output<Value>): pulumi.Output<Value> {
    if (!pulumi.runtime.isDryRun()) {
        waitOfProgram().add(ended(output));
    }
    return output;
}

/** The same for all outputs that an object has, or that a component gets by the end of its constructor. */
export function outputsAwaitedByProgram(holder: object): void {
    if (!pulumi.runtime.isDryRun()) {
        // By then the constructor has returned, or thrown.
        const made = Promise.resolve().then(() => outputsOf(holder).map(ended));
        waitOfProgram().add(made.then((ends) => Promise.all(ends)));
    }
}

function outputsOf(holder: object): pulumi.Output<unknown>[] {
    return (Object.values(holder) as unknown[]).filter((value) => pulumi.Output.isInstance(value));
}

function waitOfProgram(): ProgramWait {
    const stack = pulumi.runtime.getStackResource();
    if (stack === undefined) {
        return new ProgramWait();
    }
    const former = waits.get(stack);
    if (former !== undefined && !former.isOver) {
        return former;
    }
    const wait = new ProgramWait();
    waits.set(stack, wait);
    return wait;
}

/**
 * A promise that Pulumi waits for. It is one for all, since Pulumi waits in the order in which promises were added, and one
 * before a failed one may never end.
 */
class ProgramWait {
    isOver = false;
    private left = 0;
    private readonly end = keepProgram(pulumi.runtime);

    add(promise: Promise<unknown>): void {
        this.left++;
        promise.then(
            () => {
                this.left--;
                if (this.left === 0) {
                    this.isOver = true;
                    this.end();
                }
            },
            () => this.end(promise),
        );
    }
}
