import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import { LABELS } from "../naming/labels";

/** Names and values of labels. Other resources may provide them. */
export type Labels = pulumi.Input<{ [name: string]: pulumi.Input<string> }>;

/** The labels of all maps. Of two with the same name, the later one counts. */
export function allLabels(...maps: (Labels | undefined)[]): pulumi.Output<{ [name: string]: string }> {
    return pulumi
        .all(maps.map((map) => pulumi.output(map ?? {})))
        .apply((known) => Object.assign({}, ...known) as { [name: string]: string });
}

/** Labels in the Docker provider's format, in a fixed order. */
export function labelList(labels: Labels): pulumi.Output<{ label: string; value: string }[]> {
    return allLabels(labels).apply((known) =>
        Object.entries(known)
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([label, value]) => ({ label, value })),
    );
}

/**
 * Environment variables in the Docker provider's format, in a fixed order, so that a different order of the args changes
 * nothing.
 */
export function environmentList(environment: { [name: string]: pulumi.Input<string> }): pulumi.Output<string>[] {
    return Object.entries(environment)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => pulumi.interpolate`${name}=${value}`);
}

/** A digest of a container's arguments, without the uploaded files. */
export function inputsDigest(args: docker.ContainerArgs): pulumi.Output<string> {
    const watched = Object.entries(args).filter(([name]) => name !== "uploads");
    return pulumi
        .output(Object.fromEntries(watched) as pulumi.Unwrap<object>)
        .apply((inputs) => createHash("sha256").update(JSON.stringify(inputs)).digest("hex").slice(0, 16));
}

/**
 * The arguments of a container with a label that changes whenever one of them changes. The provider records a changed
 * health check, tmpfs or CPU quota as applied without sending it to the engine. A changed label replaces the container.
 */
export function replacedOnAnyChange(args: docker.ContainerArgs): docker.ContainerArgs {
    return {
        ...args,
        labels: pulumi
            .all([pulumi.output(args.labels), inputsDigest(args)])
            .apply(([list, value]) => [...(list ?? []), { label: LABELS.inputs, value }]),
    };
}
