import type * as pulumi from "@pulumi/pulumi";
import { promiseOf } from "./internals";

/**
 * Resolves to an output's value once it is known, and rejects with the output's error. It stays pending in a preview that
 * doesn't know the value.
 */
export function settled<Value>(output: pulumi.Output<Value>): Promise<Value> {
    const value = new Promise<Value>((resolve, reject) => {
        ended(output.apply((known) => resolve(known))).catch(reject);
    });
    // The output's own consumers report its error: no one has to wait for this promise.
    value.catch(() => undefined);
    return value;
}

/** Resolves once an output is known, or in a preview isn't; rejects with its error. */
export async function ended(output: pulumi.Output<unknown>): Promise<void> {
    await promiseOf(output);
}
