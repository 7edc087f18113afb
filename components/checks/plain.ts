import * as pulumi from "@pulumi/pulumi";
import { isKnown } from "../pulumi/internals";
import type { Problem } from "./problem";

/** Whether a value is known while the program is built: it holds neither outputs nor promises, at any depth. */
export function isPlain<Value>(value: pulumi.Input<Value>): value is Value {
    if (pulumi.isUnknown(value)) {
        return false;
    }
    if (typeof value !== "object" || value === null) {
        return true;
    }
    if (pulumi.Output.isInstance(value) || value instanceof Promise) {
        return false;
    }
    return Object.values(value).every((inner) => isPlain<unknown>(inner));
}

/** Whether a value holds outputs or promises, at any depth. */
export function dependsOnOthers(value: unknown): boolean {
    return !isPlain(value);
}

/** Checks a value, unless another resource provides it. It is then checked once it is known. */
export function ifPlain<Value>(value: pulumi.Input<Value>, check: (plain: Value) => Problem[]): Problem[] {
    return isPlain(value) ? check(value) : [];
}

/** An output's value, or undefined while it is unknown, in a preview. It keeps what it derives from, and secrecy. */
export function ifKnown<Value>(output: pulumi.Output<Value>): pulumi.Output<Value | undefined> {
    return pulumi.output(isKnown(output).then((known) => (known ? output : undefined))) as pulumi.Output<
        Value | undefined
    >;
}
