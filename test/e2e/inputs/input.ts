import type * as pulumi from "@pulumi/pulumi";
import type { AllowableChange, StorageClusterArgs } from "../../../components";
import type { ProxyArgsWithoutCluster } from "../../../components/settings/proxySettings";
import type { Deployed } from "./deployed";

/** The args of both components. The proxy's cluster is the one in this program. */
export interface StackInputs {
    cluster: StorageClusterArgs;
    proxy: PlainProxyArgs;
}

/** A proxy's args with plain values where other resources could provide them. */
type PlainProxyArgs = Omit<ProxyArgsWithoutCluster, "stores" | "s3Host" | "consoleHost" | "httpPort" | "httpsPort"> & {
    s3Host: string;
    consoleHost: string;
    httpPort: number;
    httpsPort: number;
};

/** Containers that a change may replace. */
export type ServingContainer = "node" | "proxy";

/** The test's updates, in their order. Each one changes every input that belongs to it. */
export const ROUNDS = ["loaded", "profile", "args"] as const;

export type Round = (typeof ROUNDS)[number];

/** Fields of every input that is visible on the engine, in a volume's file or in the running proxy. */
interface ShownValue<Value> {
    /** Value at creation; a function if a test has to create something first. */
    first: () => Value;
    changed: () => Value;
    shown: (deployed: Deployed) => Promise<unknown>;
    /** What has to be visible for a value. */
    expected: (value: Value, deployed: Deployed) => unknown;
    /** Other args that the change needs. */
    besides?: (desired: StackInputs) => StackInputs;
}

/** An input that can be changed. */
export interface ShownInput<Value> extends ShownValue<Value> {
    /** The containers that this change alone replaces. */
    replaces: ServingContainer[];
    round: Round;
    /** The entry of `allowedChanges` that the change needs. */
    allows?: AllowableChange;
}

/** An input that can't be changed after the creation. */
export interface FixedInput<Value> extends ShownValue<Value> {
    /** Message of the refusal. */
    refusal: string;
}

/** An input that is never visible on the engine: its change changes nothing there. */
export interface HiddenInput<Value> {
    changed: () => Value;
    /** Other args that the change needs. */
    besides?: (desired: StackInputs) => StackInputs;
    /** Where its effect is tested. */
    because: string;
}

/** An input with its own table, or an input that follows from others. */
export interface DividedInput {
    into: string;
}

export type Input<Value> =
    | { shown: ShownInput<Value> }
    | { fixed: FixedInput<Value> }
    | { hidden: HiddenInput<Value> }
    | { divided: DividedInput };

/** An entry for each property of the args: TypeScript rejects a table that lacks one. */
export type InputsOf<Args> = { [Property in keyof Required<Args>]: Input<pulumi.Unwrap<Args[Property]>> };

/** Args with changed values of the cluster as well. */
export function withCluster({ cluster, ...desired }: StackInputs, more: StorageClusterArgs): StackInputs {
    return { ...desired, cluster: { ...cluster, ...more } };
}
