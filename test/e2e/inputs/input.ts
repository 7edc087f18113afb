import type * as pulumi from "@pulumi/pulumi";
import type { AllowableChange, StorageClusterArgs } from "../../../components";
import type { FrontEndArgsWithoutCluster } from "../../../components/frontEnd/haproxyFrontEndSettings";
import type { Deployed } from "./deployed";

/** What both components are given; the front end's cluster is the one here. */
export interface StackInputs {
    cluster: StorageClusterArgs;
    frontEnd: FrontEndArgsWithoutCluster;
}

/** Containers that a change may replace. */
export type ServingContainer = "node" | "proxy";

/** Updates of the test, in their order: each changes every input that belongs to it. */
export const ROUNDS = ["loaded", "profile", "args"] as const;

export type Round = (typeof ROUNDS)[number];

/** What every input has that something shows: the engine, a file in a volume, or the running proxy. */
interface ShownValue<Value> {
    /** What it is at creation; a function, for what a test has to make first. */
    first: () => Value;
    changed: () => Value;
    shown: (deployed: Deployed) => Promise<unknown>;
    /** What has to be shown for a value. */
    expected: (value: Value, deployed: Deployed) => unknown;
    /** What else the args need for the change. */
    besides?: (desired: StackInputs) => StackInputs;
}

/** An input that can be changed. */
export interface ShownInput<Value> extends ShownValue<Value> {
    /** The containers that the change replaces, it alone. */
    replaces: ServingContainer[];
    round: Round;
    /** What the change has to be allowed by. */
    allows?: AllowableChange;
}

/** An input that is fixed for life. */
export interface FixedInput<Value> extends ShownValue<Value> {
    /** What the refusal says. */
    refusal: string;
}

/** An input that the engine never shows: its change changes nothing there. */
export interface HiddenInput<Value> {
    changed: () => Value;
    /** What else the args need for the change. */
    besides?: (desired: StackInputs) => StackInputs;
    /** Where its effect is seen. */
    because: string;
}

/** An input with a table of its own, or one that follows from others. */
export interface DividedInput {
    into: string;
}

export type Input<Value> =
    | { shown: ShownInput<Value> }
    | { fixed: FixedInput<Value> }
    | { hidden: HiddenInput<Value> }
    | { divided: DividedInput };

/** An entry for each property that args have: TypeScript refuses a table that lacks one. */
export type InputsOf<Args> = { [Property in keyof Required<Args>]: Input<pulumi.Unwrap<Args[Property]>> };

/** Args with other ones of the cluster, too. */
export function withCluster({ cluster, ...desired }: StackInputs, more: StorageClusterArgs): StackInputs {
    return { ...desired, cluster: { ...cluster, ...more } };
}
